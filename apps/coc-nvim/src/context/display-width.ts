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
export interface Cell {
  readonly index: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The characters of a line with their cells. */
export function* cellsOf(line: string, tabStop: number): Generator<Cell> {
  let column = 0;
  let index = 0;
  for (const text of line) {
    const width = cellWidth(text, column, tabStop);
    yield { index, text, start: column, end: column + width };
    column += width;
    index += text.length;
  }
}
