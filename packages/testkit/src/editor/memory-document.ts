import type { Position, Range } from "@patchbay/core";

/** A file as the in-memory editor has it open. */
export interface MemoryDocument {
  readonly path: string;
  text: string;
  dirty: boolean;
  cursor: Position;
  selection: Range | undefined;
}

/** The UTF-16 offset of a position; places behind the end of a line or of the text are the end. */
function offsetAt(text: string, position: Position): number {
  let start = 0;
  for (let line = 0; line < position.line; line++) {
    const next = text.indexOf("\n", start);
    if (next === -1) return text.length;
    start = next + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + position.character, end === -1 ? text.length : end);
}

/** The text of a range, not more than about `limitBytes` UTF-8 bytes of it. */
export function readRange(text: string, range: Range, limitBytes: number): string {
  const start = offsetAt(text, range.start);
  // A UTF-16 unit is at least one byte of UTF-8, so no more units than bytes are ever needed.
  return text.slice(start, Math.min(offsetAt(text, range.end), start + limitBytes));
}

/** Whether nothing is selected. */
export function isEmptyRange(range: Range): boolean {
  return range.start.line === range.end.line && range.start.character === range.end.character;
}
