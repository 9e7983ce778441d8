import { EndOfLine, Range } from "vscode";
import { describe, expect, it } from "vitest";
import { type LinedText, readRange } from "../../src/host/open-documents.ts";

/** A document that counts the lines that are asked for. */
function createDocument(
  lines: readonly string[],
  eol: EndOfLine = EndOfLine.LF,
): { readonly document: LinedText; readonly asked: readonly number[] } {
  const asked: number[] = [];
  const document: LinedText = {
    eol,
    lineCount: lines.length,
    lineAt: (line) => {
      asked.push(line);
      return { text: lines[line] ?? "" };
    },
  };
  return { document, asked };
}

describe("reading a selection", () => {
  it("asks for no line beyond the limit", () => {
    const { document, asked } = createDocument(Array.from({ length: 100_000 }, () => "0123456789"));
    expect(readRange(document, new Range(0, 0, 99_999, 10), 100)).toHaveLength(100);
    expect(asked.length).toBeLessThanOrEqual(11);
  });

  it("takes no more than the limit of one long line", () => {
    const { document } = createDocument(["x".repeat(1_000_000)]);
    expect(readRange(document, new Range(0, 5, 0, 900_000), 100)).toHaveLength(100);
  });

  it("keeps the document's line ends", () => {
    const { document } = createDocument(["one", "two", "three"], EndOfLine.CRLF);
    expect(readRange(document, new Range(0, 1, 2, 2), 1000)).toBe("ne\r\ntwo\r\nth");
  });

  it("stops at the end of a document that has become shorter", () => {
    const { document } = createDocument(["one"]);
    expect(readRange(document, new Range(0, 0, 5, 3), 1000)).toBe("one");
  });
});
