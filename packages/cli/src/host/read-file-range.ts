import { closeSync, openSync, readSync } from "node:fs";
import type { Range } from "@patchbay/core";

const chunkBytes = 65_536;

/** A part of a line. A line comes in several where it is long, so that one of a whole file is never held. */
interface Piece {
  readonly text: string;
  readonly line: number;
  /** Where in its line it begins. */
  readonly character: number;
  /** Whether the line's newline follows it. */
  readonly endsLine: boolean;
}

/** The text of a range of a file, read in pieces and not much further than `limitBytes` of it. Columns are UTF-16 units. */
export function readFileRange(path: string, { start, end }: Range, limitBytes: number): string {
  let taken = "";
  forEachPiece(path, ({ text, line, character, endsLine }) => {
    if (line < start.line) return true;
    const from = line === start.line ? Math.max(0, start.character - character) : 0;
    const to = line === end.line ? Math.max(0, end.character - character) : text.length;
    taken += text.slice(from, to);
    const isOver = line === end.line && (endsLine || to <= text.length);
    if (endsLine && line < end.line) taken += "\n";
    return !isOver && taken.length < limitBytes;
  });
  return taken;
}

/** How many UTF-16 units a line has, its line end not counted; 0 where there is no such line. */
export function lineLength(path: string, line: number): number {
  let length = 0;
  let last = "";
  forEachPiece(path, (piece) => {
    if (piece.line < line) return true;
    length += piece.text.length;
    last = piece.text.at(-1) ?? last;
    return !piece.endsLine;
  });
  return last === "\r" ? length - 1 : length;
}

/** How many lines a file has, counted no further than `most`. A newline at its end begins no line of its own. */
export function countLines(path: string, most: number): number {
  let count = 0;
  forEachPiece(path, ({ text, line, endsLine }) => {
    if (text !== "" || endsLine) count = line + 1;
    return count < most;
  });
  return count;
}

/** Calls for each piece, in order, until the callback says false. */
function forEachPiece(path: string, visit: (piece: Piece) => boolean): void {
  const file = openSync(path, "r");
  try {
    const decoder = new TextDecoder("utf-8");
    const buffer = Buffer.alloc(chunkBytes);
    let line = 0;
    let character = 0;
    for (;;) {
      const count = readSync(file, buffer, 0, chunkBytes, null);
      const parts = decoder.decode(buffer.subarray(0, count), { stream: count > 0 }).split("\n");
      for (const [index, text] of parts.entries()) {
        const endsLine = index < parts.length - 1;
        if (!visit({ text, line, character, endsLine })) return;
        line = endsLine ? line + 1 : line;
        character = endsLine ? 0 : character + text.length;
      }
      if (count === 0) return;
    }
  } finally {
    closeSync(file);
  }
}
