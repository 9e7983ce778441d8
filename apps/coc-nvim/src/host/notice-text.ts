import { plainLine } from "../vim/plain-line.ts";

/** Widest line of a notice, in characters: coc breaks longer ones where its buttons then fall out of the window. */
const widest = 54;
/** Longest path in a notice; of longer ones the end is shown, which tells more than the beginning. */
const longestPath = 40;

/** The lines of a notice in an editor of so many columns; `path` is what may be shortened in the text. */
export function noticeLines(text: string, path: string | undefined, columns: number): readonly string[] {
  const width = Math.max(20, Math.min(widest, columns - 18));
  const shown = path === undefined ? text : text.replaceAll(path, shortened(path, Math.min(longestPath, width)));
  const lines: string[] = [];
  for (const word of plainLine(shown.replaceAll(/\s+/gu, " ")).split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function shortened(path: string, limit: number): string {
  if (path.length <= limit) return path;
  const parts = path.split("/");
  let end = parts.pop() ?? "";
  while (parts.length > 0 && end.length + (parts.at(-1)?.length ?? 0) + 3 <= limit) end = `${parts.pop()}/${end}`;
  return `…/${end}`;
}
