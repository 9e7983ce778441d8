import { describe, expect, it } from "vitest";
import {
  rangeOfSelection,
  shapeOfMode,
  textOfSelection,
  type VimPosition,
  type VisualSelection,
} from "../../src/context/visual-selection.ts";

const lines = ["one two", "\ttab", "漢字 and", "😀😀!", "", "last"];
const read = (line: number): string | undefined => lines[line];

function selection(
  shape: VisualSelection["shape"],
  anchor: VimPosition,
  cursor: VimPosition,
  more: Partial<VisualSelection> = {},
): VisualSelection {
  return { shape, anchor, cursor, exclusive: false, toLineEnd: false, tabStop: 8, ...more };
}

const at = (line: number, column: number): VimPosition => ({ line, column });

describe("the shape of a mode", () => {
  it.each([
    ["v", "characters"],
    ["V", "lines"],
    ["\u0016", "block"],
    ["s", "characters"],
    ["n", undefined],
    ["t", undefined],
    ["i", undefined],
  ])("of %j is %s", (mode, shape) => {
    expect(shapeOfMode(mode)).toBe(shape);
  });
});

describe("a characterwise selection", () => {
  it("includes the character under the cursor, forwards and backwards", () => {
    const forwards = selection("characters", at(1, 5), at(1, 7));
    expect(rangeOfSelection(forwards, read)).toEqual({
      start: { line: 0, character: 4 },
      end: { line: 0, character: 7 },
    });
    const backwards = selection("characters", at(1, 7), at(1, 5));
    expect(textOfSelection(backwards, read, 1000)).toBe("two");
  });

  it("leaves it out where 'selection' is exclusive", () => {
    expect(textOfSelection(selection("characters", at(1, 1), at(1, 4), { exclusive: true }), read, 1000)).toBe("one");
    expect(rangeOfSelection(selection("characters", at(1, 4), at(1, 4), { exclusive: true }), read)).toBeUndefined();
  });

  it("counts wide characters and surrogate pairs as one", () => {
    expect(textOfSelection(selection("characters", at(3, 4), at(4, 5)), read, 1000)).toBe("字 and\n😀😀");
  });

  it("takes the line break in where the cursor is behind the line", () => {
    expect(textOfSelection(selection("characters", at(1, 5), at(1, 8)), read, 1000)).toBe("two\n");
    expect(textOfSelection(selection("characters", at(6, 1), at(6, 5)), read, 1000)).toBe("last\n");
  });

  it("stops soon after the limit, also inside one long line", () => {
    const long = ["x".repeat(100_000)];
    const all = selection("characters", at(1, 1), at(1, 100_000));
    expect(textOfSelection(all, (line) => long[line], 16_384).length).toBeLessThan(16_400);
    let asked = 0;
    const many = selection("lines", at(1, 1), at(1_000_000, 1));
    textOfSelection(many, () => "y".repeat(100) + (asked++ < 0 ? "" : ""), 1000);
    expect(asked).toBeLessThan(20);
  });
});

describe("a linewise selection", () => {
  it("is whole lines, whatever the columns", () => {
    const two = selection("lines", at(2, 3), at(1, 2));
    expect(rangeOfSelection(two, read)).toEqual({ start: { line: 0, character: 0 }, end: { line: 1, character: 4 } });
    expect(textOfSelection(two, read, 1000)).toBe("one two\n\ttab");
  });

  it("of one empty line is nothing", () => {
    expect(rangeOfSelection(selection("lines", at(5, 1), at(5, 1)), read)).toBeUndefined();
  });
});

describe("a blockwise selection", () => {
  const table = ["ab漢cd", "\tx", "12345678901", "short", "abcdefghij"];
  const cell = (line: number): string | undefined => table[line];

  it("is a column of cells: wide characters take two, tabs run to their stop", () => {
    // Cells 2 to 3: the wide character, part of the tab, and two digits.
    const block = selection("block", at(1, 3), at(3, 4));
    expect(textOfSelection(block, cell, 1000)).toBe("漢\n\t\n34");
  });

  it("has nothing of a line that is too short", () => {
    expect(textOfSelection(selection("block", at(3, 7), at(5, 8)), cell, 1000)).toBe("78\n\ngh");
  });

  it("runs to every line's end with $", () => {
    const block = selection("block", at(3, 9), at(4, 2), { toLineEnd: true });
    expect(textOfSelection(block, cell, 1000)).toBe("2345678901\nhort");
  });

  it("spans from its first to its last corner", () => {
    expect(rangeOfSelection(selection("block", at(3, 5), at(4, 2)), cell)).toEqual({
      start: { line: 2, character: 1 },
      end: { line: 3, character: 5 },
    });
  });
});
