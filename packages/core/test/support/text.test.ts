import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitText, visibleText } from "../../src/support/text.ts";

it("nothing is hidden in a text that is shown: fillers and rows of selectors are spelled out", () => {
  expect(visibleText("a\u3164b\u034f\u{e0101}\u{e0041}\u2800\ufe01\ufe02\u202e")).toBe(
    "a\\u{3164}b\\u{34f}\\u{e0101}\\u{e0041}\\u{2800}\ufe01\\u{fe02}\\u{202e}",
  );
  expect(visibleText("👩‍👩‍👧 ❤\ufe0f é 漢字")).toBe("👩‍👩‍👧 ❤\ufe0f é 漢字");
});

describe("limitText", () => {
  it("C07 cuts at 16,384 UTF-8 bytes on a whole code point", () => {
    const text = limitText(`${"a".repeat(16_382)}😀tail`, 16_384);
    expect(text).toBe("a".repeat(16_382));
  });

  it("keeps a code point that just fits", () => {
    expect(limitText(`${"a".repeat(16_380)}😀tail`, 16_384)).toBe(`${"a".repeat(16_380)}😀`);
  });

  it("never exceeds the limit, never leaves a lone surrogate, and is a prefix of well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.integer({ min: 0, max: 120 }), (text, limit) => {
        const cut = limitText(text, limit);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
        // As much as fits: the next code point would be too much.
        const next = text.codePointAt(cut.length);
        if (next !== undefined) expect(Buffer.byteLength(cut + String.fromCodePoint(next))).toBeGreaterThan(limit);
      }),
    );
  });

  it("replaces lone surrogates that were there before", () => {
    expect(limitText("a\ud83d", 100)).toBe("a\ufffd");
  });
});
