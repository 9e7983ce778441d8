import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pieceLength, restoringSteps, sameLines, splitByteOrderMark } from "../../src/diff/text-fidelity.ts";
import { finish } from "../../src/support/time.ts";

/** What an editor makes of a text when it loads it: one line end everywhere. */
function asDocument(text: string, end: string): string {
  return text.replace(/\r\n|\r|\n/gu, end);
}

const line = fc.string({ maxLength: 6 }).map((text) => text.replace(/[\r\n]/gu, ""));
const end = fc.constantFrom("\n", "\r\n", "\r");
const text = fc
  .array(fc.tuple(line, end), { maxLength: 8 })
  .chain((lines) => line.map((last) => lines.map(([one, by]) => one + by).join("") + last));

const restore = (documentText: string, proposed: string): string => finish(restoringSteps(documentText, proposed));

/** The same, said plainly: the first and the last lines that are as they were keep their ends. */
function restoreLineByLine(documentText: string, proposed: string): string {
  const lines = asDocument(documentText, "\n");
  if (lines === asDocument(proposed, "\n")) return proposed;
  const before = Array.from(proposed.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/gu), ([, one = "", by = ""]) => ({ one, by }));
  if (before.length > 1 && proposed.length > 0 && before.at(-2)?.by === "") before.pop();
  const ends = before.map(({ by }) => by).filter((by) => by !== "");
  if (ends.length === 0) return lines;
  const count = (by: string): number => ends.filter((other) => other === by).length;
  const dominant = ends.reduce((most, by) => (count(by) > count(most) ? by : most));
  const after = lines.split("\n");
  const room = Math.min(after.length, before.length);
  let head = 0;
  while (head < room && after[head] === before[head]?.one) head += 1;
  let tail = 0;
  while (tail < room - head && after.at(-1 - tail) === before.at(-1 - tail)?.one) tail += 1;
  let merged = "";
  for (const [index, one] of after.slice(0, -1).entries()) {
    const isTail = index >= after.length - tail;
    const kept = index < head ? before[index] : isTail ? before[before.length - (after.length - index)] : undefined;
    const by = kept === undefined || kept.by === "" ? dominant : kept.by;
    merged += one;
    merged += by === "\n" && merged.endsWith("\r") ? "\r" : by;
  }
  return merged + (after.at(-1) ?? "");
}

describe("restoreLineEnds", () => {
  it("does as it would line by line, whatever was edited", () => {
    fc.assert(
      fc.property(text, text, text, text, end, (start, was, is, rest, by) => {
        const proposed = start + was + rest;
        const edited = asDocument(start + is + rest, by);
        expect(restore(edited, proposed)).toBe(restoreLineByLine(edited, proposed));
      }),
      { numRuns: 3_000 },
    );
  });

  const long = 1024 * 1024;
  it.each([
    ["empty lines that end with two characters", "\r\n".repeat(long / 2), ""],
    ["empty lines with all kinds of ends", "\r\n\r\r\n\n".repeat(long / 6), ""],
    ["one line", "x".repeat(long), "\r\ny\n"],
    ["lines as people write them", "some words that make a line\r\n".repeat(long / 29), "\n"],
  ])("works on a megabyte of %s in pieces", (_what, body, rest) => {
    const proposed = body + rest;
    const lines = asDocument(proposed, "\n");
    const edited = `${lines.slice(0, long / 4)}edit${lines.slice(long / 4)}`;
    const steps = restoringSteps(edited, proposed);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    const restored = step.value;
    expect(asDocument(restored, "\n") === edited).toBe(true);
    const pieces = Math.floor(Math.min(proposed.length, lines.length) / pieceLength);
    if (lines.length !== proposed.length || proposed.includes("\r\n")) expect(pauses).toBeGreaterThanOrEqual(pieces);
  });

  it("gives an unedited proposal back byte for byte, whatever the editor made of its line ends", () => {
    fc.assert(
      fc.property(text, end, (proposed, by) => {
        expect(restore(asDocument(proposed, by), proposed)).toBe(proposed);
      }),
    );
  });

  it("keeps every line's text, whatever was edited", () => {
    fc.assert(
      fc.property(text, text, end, (proposed, edited, by) => {
        const restored = restore(asDocument(edited, by), proposed);
        expect(asDocument(restored, "\n")).toBe(asDocument(edited, "\n"));
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps an empty line apart from the carriage return before it", () => {
    expect(restore("h\n\nq", "h\rp\n\nq")).toBe("h\r\rq");
    expect(restore("h\n\n\nq", "h\rp\n\n\nq")).toBe("h\r\r\rq");
  });

  it("uses the proposal's one line end for all lines", () => {
    expect(restore("a\nnew\nb\n", "a\r\nb\r\n")).toBe("a\r\nnew\r\nb\r\n");
    expect(restore("a\r\nnew\r\nb\r\n", "a\nb\n")).toBe("a\nnew\nb\n");
  });

  it("keeps mixed line ends outside of the edit", () => {
    expect(restore("a\nb\nX\nc\n", "a\r\nb\nc\r\n")).toBe("a\r\nb\nX\r\nc\r\n");
  });

  it("keeps a missing final line end missing", () => {
    expect(restore("a\nB", "a\nb")).toBe("a\nB");
  });
});

describe("sameLines", () => {
  it("says whether two texts differ in nothing but their line ends", () => {
    fc.assert(
      fc.property(text, text, end, (one, other, by) => {
        expect(sameLines(one, asDocument(one, by))).toBe(true);
        expect(sameLines(one, other)).toBe(asDocument(one, "\n") === asDocument(other, "\n"));
      }),
      { numRuns: 2_000 },
    );
  });

  it("says so of long texts", () => {
    const one = "some words that make a line\r\n".repeat(10_000);
    for (const by of ["\n", "\r\n", "\r"]) {
      expect(sameLines(one, asDocument(one, by))).toBe(true);
      expect(sameLines(one, `${asDocument(one, by)}x`)).toBe(false);
      expect(sameLines(one, asDocument(`${one.slice(0, 150_000)}x${one.slice(150_001)}`, by))).toBe(false);
    }
  });
});

describe("splitByteOrderMark", () => {
  it("takes one mark and no more", () => {
    expect(splitByteOrderMark("\ufeff\ufeffa")).toEqual({ mark: "\ufeff", body: "\ufeffa" });
    expect(splitByteOrderMark("a")).toEqual({ mark: "", body: "a" });
  });
});
