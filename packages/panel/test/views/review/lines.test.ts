import { hunksBetween } from "@patchbay/core/texts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blocksOf, mostLines, splicedBlocks } from "../../../src/views/review/blocks.ts";
import {
  editOf,
  fieldText,
  joinSplice,
  linesOf,
  spliceBetween,
  textOf,
  typedSplice,
  withEdit,
  withSplice,
} from "../../../src/views/review/lines.ts";

const budget = { numRuns: 400, seed: 20_261_123 } as const;
const ends = fc.constantFrom("\n", "\r\n", "\r", "");
const body = fc.stringMatching(/^[ab\t]{0,3}$/u);
const text = fc.array(fc.tuple(body, ends)).map((lines) => lines.flat().join(""));

describe("the lines of a review", () => {
  it("are the text, byte for byte", () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(textOf(linesOf(one))).toBe(one);
      }),
      budget,
    );
  });

  it("become another text by what is sent of them, and the host comes to the same", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [from, to] = [linesOf(before), linesOf(after)];
        const splice = spliceBetween(from, to);
        expect(splice === undefined).toBe(after === before);
        if (splice === undefined) return;
        expect(textOf(withSplice(from, splice))).toBe(after);
        const edit = editOf(from, splice);
        expect(before.slice(0, edit.start) + edit.text + before.slice(edit.end)).toBe(after);
        expect(withEdit(from, edit)).toEqual(to);
      }),
      budget,
    );
  });

  it("hold what was typed, and every other byte as it was", () => {
    fc.assert(
      fc.property(text, fc.array(body), fc.nat(), fc.nat(), (before, typed, from, count) => {
        const lines = linesOf(before);
        const start = from % lines.length;
        const span = { start, end: Math.min(lines.length, start + 1 + (count % 4)) };
        const value = typed.join("\n");
        const splice = typedSplice(lines, span, value);
        const after = splice === undefined ? lines : withSplice(lines, splice);
        const grown = after.length - lines.length;
        expect(fieldText(after, { start, end: span.end + grown })).toBe(value);
        expect(textOf(after).startsWith(textOf(lines.slice(0, start)))).toBe(true);
        expect(textOf(after).endsWith(textOf(lines.slice(span.end)))).toBe(true);
      }),
      budget,
    );
  });

  it("keep the line ends of a file in what is new", () => {
    const lines = linesOf("a\r\nb\r\nc");
    const splice = typedSplice(lines, { start: 0, end: 3 }, "a\nnew\nb\nc\nd");
    expect(splice && textOf(withSplice(lines, splice))).toBe("a\r\nnew\r\nb\r\nc\r\nd");
    const joined = joinSplice(lines, 2);
    expect(joined && textOf(withSplice(lines, joined))).toBe("a\r\nbc");
  });
});

describe("the blocks of a review", () => {
  const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n"), { maxLength: 260 });

  it("hold each line of both sides once, in order, few at a time", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [left, right] = [linesOf(before.join("")), linesOf(after.join(""))];
        const hunks = hunksBetween(textOf(left), textOf(right));
        const blocks = blocksOf(hunks, { left: left.length, right: right.length }, []);
        for (const side of ["left", "right"] as const) {
          const all = side === "left" ? left : right;
          expect(blocks.flatMap((block) => all.slice(block[side].start, block[side].end))).toEqual(all);
          expect(blocks.every((block) => block[side].end - block[side].start <= mostLines)).toBe(true);
        }
        expect(new Set(blocks.map(({ key }) => key)).size).toBe(blocks.length);
        expect(blocks.filter(({ isFirst }) => isFirst).length).toBe(hunks.length);
        // Compared again they are the same blocks.
        expect(blocksOf(hunks, { left: left.length, right: right.length }, blocks)).toEqual(blocks);
      }),
      { ...budget, numRuns: 100 },
    );
  });

  it("hold each line also between a key and the next comparison", () => {
    fc.assert(
      fc.property(lines, fc.nat(), fc.nat(), fc.nat({ max: 200 }), (before, from, removed, inserted) => {
        const right = linesOf(before.join(""));
        const blocks = blocksOf([], { left: right.length, right: right.length }, []);
        const start = from % right.length;
        const end = Math.min(right.length, start + (removed % 120));
        // A text has a line at least.
        const count = Math.max(inserted, end - start === right.length ? 1 : 0);
        const after = splicedBlocks(blocks, { start, end }, count);
        let at = 0;
        for (const block of after) {
          expect(block.right.start).toBe(at);
          at = block.right.end;
        }
        expect(at).toBe(right.length + count - (end - start));
        expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
      }),
      { ...budget, numRuns: 200 },
    );
  });
});
