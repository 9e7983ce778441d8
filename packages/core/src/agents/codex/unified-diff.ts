interface DiffHunk {
  /** The first line of the file that it is about, from 0. */
  readonly start: number;
  /** Whole lines with their ends, as they are and as they come. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const heading = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/u;
const noEnd = "\\ No newline at end of file";

/**
 * A file after a diff as Codex CLI's service tells it (seen, 0.171.0): hunks without a header, each line with the end that it has in the file.
 * Undefined where it is not about this text.
 */
export function patched(text: string, diff: string): string | undefined {
  const hunks = hunksOf(diff);
  if (hunks === undefined) return undefined;
  const lines = wholeLines(text);
  const out: string[] = [];
  let done = 0;
  for (const { start, before, after } of hunks) {
    if (start < done || before.some((line, index) => lines[start + index] !== line)) return undefined;
    out.push(...lines.slice(done, start), ...after);
    done = start + before.length;
  }
  return [...out, ...lines.slice(done)].join("");
}

function wholeLines(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = lines.pop()?.slice(0, -1) ?? "";
  return last === "" ? lines : [...lines, last];
}

function hunksOf(diff: string): readonly DiffHunk[] | undefined {
  const rows = diff.split("\n");
  const hunks: DiffHunk[] = [];
  let at = 0;
  while (at < rows.length) {
    const [head, first, count] = heading.exec(rows[at] ?? "") ?? [];
    // What follows the last hunk is about the file and none of its lines.
    if (head === undefined)
      return hunks.length > 0 && rows.slice(at).every((row) => !row.startsWith("@@")) ? hunks : undefined;
    at += 1;
    const [before, after]: [string[], string[]] = [[], []];
    for (let left = Number(count ?? 1); at < rows.length; at += 1) {
      const row = rows[at] ?? "";
      const [sign, line] = [row.charAt(0), `${row.slice(1)}\n`];
      if (row === noEnd) {
        // Of the line before, on the side or the sides on which that stands.
        const last = rows[at - 1]?.charAt(0);
        if (last !== "+") before.push((before.pop() ?? "").slice(0, -1));
        if (last !== "-") after.push((after.pop() ?? "").slice(0, -1));
      } else if (sign === " " && left > 0) {
        before.push(line);
        after.push(line);
        left -= 1;
      } else if (sign === "-" && left > 0) {
        before.push(line);
        left -= 1;
      } else if (sign === "+") after.push(line);
      else break;
    }
    // Lines that only come stand behind the one that is named.
    hunks.push({ start: Number(first) - (before.length === 0 ? 0 : 1), before, after });
  }
  return hunks;
}
