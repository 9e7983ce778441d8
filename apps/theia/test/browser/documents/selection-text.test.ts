import { expect, it } from "vitest";
import { readSelectionText } from "../../../src/browser/documents/selection-text.ts";

interface Read {
  readonly line: number;
  readonly length: number;
}

function documentOf(lines: readonly string[]): {
  readonly lineCount: number;
  readonly reads: Read[];
  getText(range: { start: { line: number; character: number }; end: { line: number; character: number } }): string;
} {
  const reads: Read[] = [];
  return {
    lineCount: lines.length,
    reads,
    getText: ({ start, end }) => {
      const text = (lines[start.line] ?? "").slice(start.character, end.character);
      reads.push({ line: start.line, length: text.length });
      return text;
    },
  };
}

it("reads exactly what is selected", () => {
  const document = documentOf(["one two", "three", "four five"]);
  const range = { start: { line: 0, character: 4 }, end: { line: 2, character: 4 } };
  expect(readSelectionText(document, range)).toBe("two\nthree\nfour");
});

it("reads no further than the limit in a selection of many lines", () => {
  const document = documentOf(Array.from({ length: 50_000 }, () => "0123456789"));
  const range = { start: { line: 0, character: 0 }, end: { line: 49_999, character: 10 } };
  expect(readSelectionText(document, range).length).toBeGreaterThanOrEqual(16_384);
  expect(document.reads.length).toBeLessThan(1_600);
});

it("reads no further than the limit in one huge line", () => {
  const document = documentOf(["x".repeat(5_000_000)]);
  const range = { start: { line: 0, character: 3 }, end: { line: 0, character: 4_999_999 } };
  expect(readSelectionText(document, range).length).toBe(16_384);
  expect(document.reads).toEqual([{ line: 0, length: 16_384 }]);
});
