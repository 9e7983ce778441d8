import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonPieces } from "../../src/support/json-pieces.ts";

describe("JSON in pieces", () => {
  it("is what JSON.stringify makes of it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(Array.from(jsonPieces(value).pieces()).join("")).toBe(JSON.stringify(value));
      }),
    );
  });

  it("leaves out what is undefined", () => {
    const value = { a: undefined, b: [undefined, {}, []], c: { d: undefined } };
    expect(Array.from(jsonPieces(value).pieces())).toEqual([JSON.stringify(value)]);
  });

  it("never makes a large text in one go, and cuts no character in two", () => {
    // The pairs stand at odd places, so that some of them meet the end of a piece.
    const text = `x${"\u{1f600}".repeat(400_000)}\n"\\\ud83d`;
    const pieces = Array.from(jsonPieces({ text, other: "o".repeat(300_000) }).pieces());
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(600_000);
    expect(pieces.join("")).toBe(JSON.stringify({ text, other: "o".repeat(300_000) }));
  });
});
