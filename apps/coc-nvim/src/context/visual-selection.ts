import type { Position, Range } from "@patchbay/core";

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

/**
 * Vim counts columns in bytes of UTF-8, agents and coc in UTF-16 code units.
 *
 * @param line the whole line
 * @param byteOffset 0-based; past the end it is the end, inside a character it is the character's start
 */
export function byteToUtf16(line: string, byteOffset: number): number {
  let bytes = 0;
  let index = 0;
  while (index < line.length) {
    const size = utf8Size(line, index);
    if (bytes + size.bytes > byteOffset) break;
    bytes += size.bytes;
    index += size.units;
  }
  return index;
}

/** Where the character that starts at or holds `index` ends, composing characters that Vim keeps with it included. */
export function characterEnd(line: string, index: number): number {
  if (index >= line.length) return line.length;
  let end = index + utf8Size(line, index).units;
  while (end < line.length && isComposing(line, end)) end += utf8Size(line, end).units;
  return end;
}

function utf8Size(line: string, index: number): { readonly bytes: number; readonly units: number } {
  const code = line.codePointAt(index) ?? 0;
  if (code < 0x80) return { bytes: 1, units: 1 };
  if (code < 0x800) return { bytes: 2, units: 1 };
  if (code < 0x10000) return { bytes: 3, units: 1 };
  return { bytes: 4, units: 2 };
}

function isComposing(line: string, index: number): boolean {
  return /^\p{M}/u.test(line.slice(index, index + 2));
}

/**
 * Cells a text takes on the screen, as Vim counts them for a blockwise selection: tabs run to the next stop, East Asian
 * wide characters and emoji take two, composing characters none, control characters are shown as ^X.
 */
function cellWidth(character: string, column: number, tabStop: number): number {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x09) return tabStop - (column % tabStop);
  if (code < 0x20 || code === 0x7f) return 2;
  if (code < 0x300) return code >= 0x80 && code < 0xa0 ? 4 : 1;
  if (/^[\p{Mn}\p{Me}\u200b-\u200d]/u.test(character)) return 0;
  return isWide(code) ? 2 : 1;
}

const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  return wideRanges.some(([first, last]) => code >= first && code <= last);
}

/** One character of a line with the cells it takes, 0-based, `end` exclusive. */
interface Cell {
  readonly index: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The characters of a line with their cells. */
function* cellsOf(line: string, tabStop: number): Generator<Cell> {
  let column = 0;
  let index = 0;
  for (const text of line) {
    const width = cellWidth(text, column, tabStop);
    yield { index, text, start: column, end: column + width };
    column += width;
    index += text.length;
  }
}
