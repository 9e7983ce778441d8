import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LargeJsonReader, parseLargeJson } from "../../src/endpoint/json-rpc.ts";

/** Longer than what is decoded on its own. */
const long = "a line\n".repeat(20_000);

function read(text: string, pieceLength: number, expected?: number): unknown {
  const reader = new LargeJsonReader("nonce", expected);
  for (let start = 0; start < text.length; start += pieceLength) reader.add(text.slice(start, start + pieceLength));
  return parseLargeJson(reader.end());
}

describe("large JSON", () => {
  it("parses no long string as a whole", () => {
    const reader = new LargeJsonReader("nonce");
    reader.add(JSON.stringify({ id: 7, params: { text: long } }));
    const { text, strings } = reader.end();
    expect(text.length).toBeLessThan(100);
    expect(strings).toEqual([long]);
  });

  it("gives what JSON.parse gives, wherever the text is cut", () => {
    const pieces = fc.constantFrom("a", '"', "\\", "\n", "\u0001", "é", "\u{1f600}", "\ud83d", "\ude00", "\u2028", "/");
    const texts = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""));
    const values = fc.record({ id: fc.integer(), path: texts, text: texts.map((text) => text + long + text + long) });
    fc.assert(
      fc.property(values, fc.integer({ min: 1_000, max: 70_000 }), fc.nat(2), (value, pieceLength, times) => {
        const text = JSON.stringify(value);
        expect(read(text, pieceLength, times * text.length)).toEqual(JSON.parse(text));
      }),
      { numRuns: 30 },
    );
  });

  it("reads a text that becomes much longer than its sender said, and is not all ASCII", () => {
    const value = { a: long.repeat(9), b: `${long.repeat(9)}\u{1f600}${long}` };
    expect(read(JSON.stringify(value), 65_536, 10)).toEqual(value);
  });

  it.each([
    ["an escape cut anywhere", `{"a":"${"\\u00e9\\\\\\n\\ud83d\\ude00".repeat(4_000)}"}`],
    ["long keys", JSON.stringify({ [long]: { [`${long}2`]: 1 }, __proto: [long, long] })],
    ["a member named __proto__", `{"__proto__":"${"x".repeat(70_000)}"}`],
    ["what looks like a place of a long string", JSON.stringify({ a: "other:0", b: long })],
    ["no object at all", JSON.stringify(long)],
  ])("reads %s", (_name, text) => {
    for (const pieceLength of [1_021, 65_536, text.length]) expect(read(text, pieceLength)).toEqual(JSON.parse(text));
  });

  it.each([
    ["a string without its end", `{"a":"${"x".repeat(70_000)}`],
    ["an escape without its end", `{"a":"${"x".repeat(70_000)}\\`],
    ["a control character", `{"a":"${"x".repeat(70_000)}\u0001"}`],
    ["an escape that JSON does not know", `{"a":"${"x".repeat(70_000)}\\x"}`],
    ["a wrong code", `{"a":"${"x".repeat(70_000)}\\u12g4"}`],
    ["a quote within a code", `{"a":"${"x".repeat(70_000)}\\u12"}`],
    ["a text after the end", `{"a":"${"x".repeat(70_000)}"} x`],
    ["a backslash between strings", `{"a"\\:"${"x".repeat(70_000)}"}`],
    ["a byte order mark", `\ufeff{"a":"${"x".repeat(70_000)}"}`],
  ])("refuses %s", (_name, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    for (const pieceLength of [1_021, 65_536, text.length]) expect(() => read(text, pieceLength)).toThrow(SyntaxError);
  });
});
