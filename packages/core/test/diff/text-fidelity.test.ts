import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { restoreLineEnds, splitByteOrderMark } from "../../src/diff/text-fidelity.ts";

/** What an editor makes of a text when it loads it: one line end everywhere. */
function asDocument(text: string, end: string): string {
  return text.replace(/\r\n|\r|\n/gu, end);
}

const line = fc.string({ maxLength: 6 }).map((text) => text.replace(/[\r\n]/gu, ""));
const end = fc.constantFrom("\n", "\r\n", "\r");
const text = fc
  .array(fc.tuple(line, end), { maxLength: 8 })
  .chain((lines) => line.map((last) => lines.map(([one, by]) => one + by).join("") + last));

describe("restoreLineEnds", () => {
  it("gives an unedited proposal back byte for byte, whatever the editor made of its line ends", () => {
    fc.assert(
      fc.property(text, end, (proposed, by) => {
        expect(restoreLineEnds(asDocument(proposed, by), proposed)).toBe(proposed);
      }),
    );
  });

  it("keeps every line's text, whatever was edited", () => {
    fc.assert(
      fc.property(text, text, end, (proposed, edited, by) => {
        const restored = restoreLineEnds(asDocument(edited, by), proposed);
        expect(asDocument(restored, "\n")).toBe(asDocument(edited, "\n"));
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps an empty line apart from the carriage return before it", () => {
    expect(restoreLineEnds("h\n\nq", "h\rp\n\nq")).toBe("h\r\rq");
    expect(restoreLineEnds("h\n\n\nq", "h\rp\n\n\nq")).toBe("h\r\r\rq");
  });

  it("uses the proposal's one line end for all lines", () => {
    expect(restoreLineEnds("a\nnew\nb\n", "a\r\nb\r\n")).toBe("a\r\nnew\r\nb\r\n");
    expect(restoreLineEnds("a\r\nnew\r\nb\r\n", "a\nb\n")).toBe("a\nnew\nb\n");
  });

  it("keeps mixed line ends outside of the edit", () => {
    expect(restoreLineEnds("a\nb\nX\nc\n", "a\r\nb\nc\r\n")).toBe("a\r\nb\nX\r\nc\r\n");
  });

  it("keeps a missing final line end missing", () => {
    expect(restoreLineEnds("a\nB", "a\nb")).toBe("a\nB");
  });
});

describe("splitByteOrderMark", () => {
  it("takes one mark and no more", () => {
    expect(splitByteOrderMark("\ufeff\ufeffa")).toEqual({ mark: "\ufeff", body: "\ufeffa" });
    expect(splitByteOrderMark("a")).toEqual({ mark: "", body: "a" });
  });
});
