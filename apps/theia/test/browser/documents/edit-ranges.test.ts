import { textEdits } from "@patchbay/core";
import { expect, it } from "vitest";
import { editRanges } from "../../../src/browser/documents/selection-text.ts";

it("says by lines what edits say by offsets", async () => {
  const text = "one\ntwo\n\nthree\n";
  const edits = await textEdits(text, "one\nTWO\n\nthree\nfour\n", async () => {});
  expect(editRanges(text, edits)).toEqual([
    { range: { startLineNumber: 2, startColumn: 1, endLineNumber: 3, endColumn: 1 }, text: "TWO\n" },
    { range: { startLineNumber: 5, startColumn: 1, endLineNumber: 5, endColumn: 1 }, text: "four\n" },
  ]);
});

it("reaches the very end and the very start", () => {
  expect(editRanges("", [{ start: 0, end: 0, text: "x" }])).toEqual([
    { range: { startLineNumber: 1, startColumn: 1, endLineNumber: 1, endColumn: 1 }, text: "x" },
  ]);
  expect(editRanges("a\nb", [{ start: 1, end: 3, text: "" }])).toEqual([
    { range: { startLineNumber: 1, startColumn: 2, endLineNumber: 2, endColumn: 2 }, text: "" },
  ]);
});
