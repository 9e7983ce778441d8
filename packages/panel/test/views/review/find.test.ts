import { describe, expect, it } from "vitest";
import { blocksOf } from "../../../src/views/review/blocks.ts";
import { linesWith } from "../../../src/views/review/find.tsx";
import { linesOf } from "../../../src/views/review/lines.ts";

describe("what is found in a review", () => {
  const left = linesOf("one\r\nOld Two\r\nthree\r\n");
  const right = linesOf("one\r\nnew two\r\nthree TWO two\r\n");
  const hunks = [{ left: { start: 1, end: 3 }, right: { start: 1, end: 3 } }];
  const blocks = blocksOf(hunks, { left: left.length, right: right.length }, []);
  const find = (text: string): unknown =>
    linesWith(text, blocks, { left, right }).map(({ side, line, column }) => [side, line, column]);

  it("are lines of the right side, and changed ones of the left side, whatever the case, each once", () => {
    expect(find("two")).toEqual([
      ["left", 1, 4],
      ["right", 1, 4],
      ["right", 2, 6],
    ]);
    // The same on both sides: it is named once.
    expect(find("ONE")).toEqual([["right", 0, 0]]);
  });

  it("is nothing for an empty text, and line ends are none of it", () => {
    expect(find("")).toEqual([]);
    expect(find("\n")).toEqual([]);
    expect(find("four")).toEqual([]);
  });

  it("is at most so much that it can be counted", () => {
    const many = linesOf("x\n".repeat(20_000));
    const all = blocksOf([], { left: many.length, right: many.length }, []);
    expect(linesWith("x", all, { left: many, right: many })).toHaveLength(5_000);
  });
});
