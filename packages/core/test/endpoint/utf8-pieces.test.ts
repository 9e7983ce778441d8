import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Utf8Pieces } from "../../src/endpoint/request-body.ts";

/** What is decoded of bytes that come in pieces of that length; undefined where they are refused. */
function decode(bytes: Buffer, pieceLength: number): string | undefined {
  const pieces = new Utf8Pieces();
  let text = "";
  for (let start = 0; start < bytes.length; start += pieceLength) {
    // In memory that is used again, as a socket's may be.
    const memory = Buffer.from(bytes.subarray(start, start + pieceLength));
    const decoded = pieces.decode(memory);
    memory.fill(0x3f);
    if (decoded === undefined) return undefined;
    text += decoded;
  }
  return pieces.isWhole ? text : undefined;
}

describe("UTF-8 in pieces", () => {
  it("gives the text, wherever it is cut", () => {
    const characters = fc.constantFrom(
      "a",
      "\n",
      "\u007f",
      "é",
      "\u07ff",
      "\u0800",
      "漢",
      "\ufeff",
      "\uffff",
      "😀",
      "\u{10ffff}",
    );
    const texts = fc.array(characters, { maxLength: 60 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, pieceLength) => {
        expect(decode(Buffer.from(text), pieceLength)).toBe(text);
      }),
    );
  });

  it("takes and refuses what the runtime's decoder takes and refuses", () => {
    const odd = fc.constantFrom(
      0x00,
      0x41,
      0x7f,
      0x80,
      0xbf,
      0xc0,
      0xc3,
      0xe0,
      0xa0,
      0xed,
      0x9f,
      0xf0,
      0x90,
      0xf4,
      0x8f,
      0xf8,
      0xff,
    );
    const bytes = fc.array(odd, { maxLength: 12 }).map((values) => Buffer.from(values));
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 5 }), (all, pieceLength) => {
        expect(decode(all, pieceLength)).toBe(reference(all));
      }),
      { numRuns: 3_000 },
    );
  });

  it("refuses what stands within a character, also where the character goes on afterwards", () => {
    expect(decode(Buffer.from([0xc3, 0x41, 0xbf]), 1)).toBeUndefined();
  });
});

function reference(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
