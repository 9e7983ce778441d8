import { closeSync, openSync, readSync } from "node:fs";
import type { Range } from "@patchbay/core";

const chunkBytes = 65_536;

/** The text of a range of a file, read in pieces and not much further than `limitBytes` of it. Columns are UTF-16 units. */
export function readFileRange(path: string, range: Range, limitBytes: number): string {
  const { start, end } = range;
  let taken = "";
  forEachLine(path, (text, line) => {
    if (line < start.line) return true;
    const from = line === start.line ? start.character : 0;
    taken += line === end.line ? text.slice(from, end.character) : `${text.slice(from)}\n`;
    return line < end.line && taken.length < limitBytes;
  });
  return taken;
}

/** How many UTF-16 units a line has, its line end not counted; 0 where there is no such line. */
export function lineLength(path: string, line: number): number {
  let length = 0;
  forEachLine(path, (text, index) => {
    if (index === line) length = text.endsWith("\r") ? text.length - 1 : text.length;
    return index < line;
  });
  return length;
}

/** Calls for each line, without its newline, until the callback says false. */
function forEachLine(path: string, visit: (text: string, line: number) => boolean): void {
  const file = openSync(path, "r");
  try {
    const decoder = new TextDecoder("utf-8");
    const buffer = Buffer.alloc(chunkBytes);
    let rest = "";
    let line = 0;
    for (;;) {
      const count = readSync(file, buffer, 0, chunkBytes, null);
      const lines = (rest + decoder.decode(buffer.subarray(0, count), { stream: count > 0 })).split("\n");
      rest = count === 0 ? "" : (lines.pop() ?? "");
      for (const text of lines) {
        if (!visit(text, line)) return;
        line += 1;
      }
      if (count === 0) return;
    }
  } finally {
    closeSync(file);
  }
}
