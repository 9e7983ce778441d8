import type { Vim } from "./vim.ts";

/** Most bytes of text in one message; what a pipe holds at once reaches Vim in one piece. */
const partBytes = 40_000;

/** Lines that go on in the next part, or not. */
interface Part {
  readonly lines: readonly string[];
  /** The first line goes on where the last one of the part before ended. */
  readonly continued: boolean;
}

/** Lines as an argument for the scripts: as they are, or under a key in parts that were sent before. */
export type SentLines = { readonly lines: readonly string[] } | { readonly parts: string };

/** Gives the editor a text of any length (autoload/patchbay/parts.vim says why not in one message). */
export async function sendLines(vim: Pick<Vim, "call">, key: string, lines: readonly string[]): Promise<SentLines> {
  const parts = partsOf(lines);
  if (parts.length <= 1) return { lines };
  await vim.call("patchbay#parts#clear", [key]);
  for (const part of parts) await vim.call("patchbay#parts#add", [key, part.lines, part.continued ? 1 : 0]);
  return { parts: key };
}

/** Lines in parts of a bounded size; a line that is longer than a part is cut, never inside a character. */
export function partsOf(lines: readonly string[], limit: number = partBytes): readonly Part[] {
  const parts: Part[] = [];
  let current: string[] = [];
  let continued = false;
  let bytes = 0;
  const end = (nextContinues: boolean): void => {
    parts.push({ lines: current, continued });
    current = [];
    bytes = 0;
    continued = nextContinues;
  };
  for (const line of lines) {
    let rest = line;
    while (sizeOf(rest) > limit) {
      if (current.length > 0) end(false);
      const at = cutBefore(rest, Math.floor(limit / 3));
      current.push(rest.slice(0, at));
      end(true);
      rest = rest.slice(at);
    }
    const size = sizeOf(rest);
    // What goes on is the first line of its part.
    if (bytes > 0 && bytes + size > limit) end(false);
    current.push(rest);
    bytes += size;
  }
  if (current.length > 0) end(false);
  return parts;
}

/** In UTF-8, with the quotes and the comma of JSON. */
function sizeOf(line: string): number {
  return Buffer.byteLength(line, "utf8") + 3;
}

/** A place at or before `index` where no character is cut. */
function cutBefore(line: string, index: number): number {
  const code = line.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
