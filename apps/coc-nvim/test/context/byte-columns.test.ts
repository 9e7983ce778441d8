import { describe, expect, it } from "vitest";
import { byteToUtf16, characterEnd } from "../../src/context/visual-selection.ts";
import { utf16ToByte } from "../../src/host/document-texts.ts";

describe("columns in bytes and in UTF-16 units", () => {
  const line = "aé漢😀z";

  it.each([
    [0, 0],
    [1, 1],
    [3, 2],
    [6, 3],
    [10, 5],
    [11, 6],
  ])("byte %i is unit %i", (bytes, units) => {
    expect(byteToUtf16(line, bytes)).toBe(units);
    expect(utf16ToByte(line, units)).toBe(bytes);
  });

  it("takes a byte inside a character as the character's start, and one past the end as the end", () => {
    expect(byteToUtf16(line, 2)).toBe(1);
    expect(byteToUtf16(line, 8)).toBe(3);
    expect(byteToUtf16(line, 500)).toBe(line.length);
    expect(byteToUtf16("", 3)).toBe(0);
  });

  it("counts composing characters to the one they stand on", () => {
    expect(characterEnd("e\u0301x", 0)).toBe(2);
    expect(characterEnd("😀x", 0)).toBe(2);
    expect(characterEnd("ab", 5)).toBe(2);
  });
});
