import type { Position, Range } from "@patchbay/core";
import { byteToUtf16, characterEnd } from "./byte-columns.ts";
import { cellsOf } from "./display-width.ts";

/** What Vim says of Visual (or Select) mode; lines and byte columns are 1-based, as Vim counts. */
export interface VisualSelection {
  readonly shape: "characters" | "lines" | "block";
  readonly cursor: VimPosition;
  readonly anchor: VimPosition;
  /** 'selection' is `exclusive`: the last character is not part of it. */
  readonly exclusive: boolean;
  /** `$` in a block: every line to its end. */
  readonly toLineEnd: boolean;
  readonly tabStop: number;
}

export interface VimPosition {
  readonly line: number;
  readonly column: number;
}

/** Gives the 0-based line of the buffer, or undefined past its end. */
export type LineReader = (line: number) => string | undefined;

/** The shape of a mode() that selects; undefined for all others. */
export function shapeOfMode(mode: string): VisualSelection["shape"] | undefined {
  switch (mode) {
    case "v":
    case "s":
      return "characters";
    case "V":
    case "S":
      return "lines";
    case "\u0016":
    case "\u0013":
      return "block";
    default:
      return undefined;
  }
}

/** The range from the first to behind the last selected character; undefined where nothing is selected. */
export function rangeOfSelection(selection: VisualSelection, read: LineReader): Range | undefined {
  const [first, last] = ordered(selection);
  if (selection.shape === "lines") {
    const end = read(last.line - 1) ?? "";
    return nonEmpty({ line: first.line - 1, character: 0 }, { line: last.line - 1, character: end.length });
  }
  if (selection.shape === "block") return rangeOfBlock(selection, read);
  return nonEmpty(startOf(first, read), endOf(last, selection.exclusive, read));
}

/** The selected text, stopped soon after `limitBytes`. Lines of a block are joined as lines. */
export function textOfSelection(selection: VisualSelection, read: LineReader, limitBytes: number): string {
  const range = rangeOfSelection(selection, read);
  if (range === undefined) return "";
  const parts: string[] = [];
  let bytes = 0;
  const columns = selection.shape === "block" ? blockColumns(selection, read) : undefined;
  for (let line = range.start.line; line <= range.end.line && bytes <= limitBytes; line += 1) {
    const text = read(line);
    if (text === undefined) {
      // A selection to the end of the last line ends on the line behind it.
      parts.push("");
      break;
    }
    const part =
      columns === undefined
        ? text.slice(
            line === range.start.line ? range.start.character : 0,
            line === range.end.line ? range.end.character : text.length,
          )
        : blockPart(text, columns, selection);
    // Bytes are at least units, and a single line may be a whole file.
    parts.push(part.slice(0, limitBytes + 2 - Math.min(bytes, limitBytes)));
    bytes += Buffer.byteLength(parts.at(-1) ?? "", "utf8") + 1;
  }
  return parts.join("\n");
}

function ordered(selection: VisualSelection): readonly [VimPosition, VimPosition] {
  const { cursor, anchor } = selection;
  const forward = anchor.line < cursor.line || (anchor.line === cursor.line && anchor.column <= cursor.column);
  return forward ? [anchor, cursor] : [cursor, anchor];
}

function startOf(position: VimPosition, read: LineReader): Position {
  const line = position.line - 1;
  return { line, character: byteToUtf16(read(line) ?? "", position.column - 1) };
}

function endOf(position: VimPosition, exclusive: boolean, read: LineReader): Position {
  const line = position.line - 1;
  const text = read(line) ?? "";
  const character = byteToUtf16(text, position.column - 1);
  if (exclusive) return { line, character };
  // On the line's end (`v$`) the line break is selected, too.
  if (character >= text.length && text.length > 0) return { line: line + 1, character: 0 };
  return { line, character: characterEnd(text, character) };
}

function nonEmpty(start: Position, end: Position): Range | undefined {
  return start.line === end.line && start.character >= end.character ? undefined : { start, end };
}

function blockColumns(selection: VisualSelection, read: LineReader): { readonly left: number; readonly right: number } {
  const sides = [selection.cursor, selection.anchor].map((position) => cellsAt(position, selection, read));
  const left = Math.min(...sides.map((side) => side.start));
  const right = Math.max(...sides.map((side) => (selection.exclusive ? side.start : side.end)));
  return { left, right: selection.toLineEnd ? Number.MAX_SAFE_INTEGER : Math.max(right, left + 1) };
}

function cellsAt(
  position: VimPosition,
  selection: VisualSelection,
  read: LineReader,
): { readonly start: number; readonly end: number } {
  const line = read(position.line - 1) ?? "";
  const index = byteToUtf16(line, position.column - 1);
  let last = 0;
  for (const cell of cellsOf(line, selection.tabStop)) {
    if (cell.index >= index) return { start: cell.start, end: cell.end };
    last = cell.end;
  }
  return { start: last, end: last + 1 };
}

function blockPart(
  line: string,
  columns: { readonly left: number; readonly right: number },
  selection: VisualSelection,
): string {
  let part = "";
  for (const cell of cellsOf(line, selection.tabStop)) {
    if (cell.start >= columns.right) break;
    if (cell.end > columns.left || (cell.start === cell.end && cell.start > columns.left)) part += cell.text;
  }
  return part;
}

function rangeOfBlock(selection: VisualSelection, read: LineReader): Range | undefined {
  const columns = blockColumns(selection, read);
  const lines = [selection.cursor.line - 1, selection.anchor.line - 1];
  const first = Math.min(...lines);
  const last = Math.max(...lines);
  return nonEmpty(
    { line: first, character: indexFromCell(read(first) ?? "", columns.left, selection.tabStop) },
    { line: last, character: indexToCell(read(last) ?? "", columns.right, selection.tabStop) },
  );
}

/** Where the part of a line from this cell on starts: a character that reaches into it belongs to it, as in `blockPart`. */
function indexFromCell(line: string, column: number, tabStop: number): number {
  for (const cell of cellsOf(line, tabStop)) if (cell.end > column) return cell.index;
  return line.length;
}

/** Where the part of a line before this cell ends. */
function indexToCell(line: string, column: number, tabStop: number): number {
  for (const cell of cellsOf(line, tabStop)) if (cell.start >= column) return cell.index;
  return line.length;
}
