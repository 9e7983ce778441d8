import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineReader, linesOf } from "../../src/support/line-reader.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Also what other readers of lines cut at: vertical tab, form feed, a carriage return, U+0085, U+2028 and U+2029. */
const character = fc.oneof(
  fc.constantFrom("\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\ufeff", "\0", "ä", "€", "😀"),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);

const text = fc.array(character, { maxLength: 30 }).map((parts) => parts.join(""));

/** Cuts bytes wherever the numbers say, also within a character. */
function chunked(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.slice(from, places[index] ?? bytes.length));
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });

function read(chunks: readonly Uint8Array[], limit?: number): { lines: string[]; long: number[] } {
  const [lines, long]: [string[], number[]] = [[], []];
  const reader = new LineReader({
    onLine: (line) => lines.push(line),
    onTooLong: (bytes) => long.push(bytes),
    ...(limit === undefined ? {} : { limit }),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, long };
}

const linesIn = (whole: string): readonly string[] => whole.split("\n").map((line) => line.replace(/\r$/u, ""));

describe("lines of bytes", () => {
  it("are cut at line feeds and nowhere else, whatever they hold and however they come", () => {
    fc.assert(
      fc.property(text, cuts, (whole, places) => {
        expect(read(chunked(encode(whole), places))).toEqual({
          lines: linesIn(whole).filter((line) => line !== ""),
          long: [],
        });
      }),
    );
  });

  it("carry any JSON as it was said", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ text, more: fc.jsonValue() })), cuts, async (values, places) => {
        const bytes = encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        async function* stream(): AsyncGenerator<Uint8Array> {
          for (const chunk of chunked(bytes, places)) yield await Promise.resolve(chunk);
        }
        const heard: unknown[] = [];
        for await (const line of linesOf(stream())) heard.push(JSON.parse(line));
        expect(JSON.stringify(heard)).toBe(JSON.stringify(values));
      }),
    );
  });

  it("are skipped to their end over the limit, and the others are read", () => {
    fc.assert(
      fc.property(text, cuts, fc.integer({ min: 1, max: 20 }), (whole, places, limit) => {
        const size = (line: string): number => encode(line).length;
        const lines = linesIn(whole).filter((line) => line !== "");
        expect(read(chunked(encode(whole), places), limit)).toEqual({
          lines: lines.filter((line) => size(line) <= limit),
          long: lines.map(size).filter((bytes) => bytes > limit),
        });
      }),
    );
  });

  it("take little more memory than they are long, also where each byte comes by itself", () => {
    const byte = encode("x");
    const before = process.memoryUsage();
    const reader = new LineReader({ onLine: () => undefined });
    const size = 4 * 1_048_576;
    for (let count = 0; count < size; count += 1) reader.push(byte.slice());
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(16 * 1_048_576);
  });
});
