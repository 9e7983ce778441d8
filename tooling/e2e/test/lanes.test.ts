import { describe, expect, it } from "vitest";
import { countLanes, inLanes } from "../src/runner/lanes.ts";

const gib = 2 ** 30;

describe("how many lanes there are", () => {
  it("two, where there are processors and memory for them", () => {
    expect(countLanes(undefined, { processors: 2, memory: 8 * gib })).toBe(2);
    expect(countLanes("", { processors: 64, memory: 512 * gib })).toBe(2);
  });

  it("one on a machine with one processor, or with memory for one editor alone, or for less", () => {
    expect(countLanes(undefined, { processors: 1, memory: 8 * gib })).toBe(1);
    expect(countLanes(undefined, { processors: 8, memory: 5 * gib })).toBe(1);
    expect(countLanes(undefined, { processors: 8, memory: gib })).toBe(1);
  });

  it("as many as were asked for", () => {
    expect(countLanes("1", { processors: 8, memory: 64 * gib })).toBe(1);
    expect(countLanes("3", { processors: 2, memory: gib })).toBe(3);
  });

  it.each(["0", "two", "-1", "1.5", "999"])("refuses %s", (wish) => {
    expect(() => countLanes(wish, { processors: 2, memory: 8 * gib })).toThrow(wish);
  });
});

/** Pieces of work that end when the test says so. */
class Works {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();

  readonly act = async (piece: string, lane: number): Promise<void> => {
    this.begun.push(`${lane}: ${piece}`);
    await this.#of(piece).promise;
  };

  end(piece: string): void {
    this.#of(piece).resolve();
  }

  fail(piece: string, error: Error): void {
    this.#of(piece).reject(error);
  }

  #of(piece: string): PromiseWithResolvers<void> {
    const known = this.#ends.get(piece) ?? Promise.withResolvers<void>();
    this.#ends.set(piece, known);
    return known;
  }
}

describe("work in lanes", () => {
  it("a free lane takes what is next, and no lane takes two at once", async () => {
    const works = new Works();
    const over = inLanes(2, ["long", "short", "next", "last"], works.act);
    expect(works.begun).toEqual(["0: long", "1: short"]);
    works.end("short");
    await expect.poll(() => works.begun).toEqual(["0: long", "1: short", "1: next"]);
    works.end("long");
    await expect.poll(() => works.begun).toEqual(["0: long", "1: short", "1: next", "0: last"]);
    works.end("next");
    works.end("last");
    await over;
  });

  it("one lane does everything in order", async () => {
    const works = new Works();
    for (const piece of ["a", "b", "c"]) works.end(piece);
    await inLanes(1, ["a", "b", "c"], works.act);
    expect(works.begun).toEqual(["0: a", "0: b", "0: c"]);
  });

  it("begins nothing where there is nothing, whatever the lanes", async () => {
    const works = new Works();
    await inLanes(2, [], works.act);
    expect(works.begun).toEqual([]);
  });

  it("a failure ends its own lane alone, and is thrown when the others have come to the end", async () => {
    const works = new Works();
    let isOver = false;
    const over = inLanes(2, ["broken", "good", "next"], works.act).finally(() => (isOver = true));
    works.fail("broken", new Error("no editor"));
    works.end("good");
    await expect.poll(() => works.begun).toEqual(["0: broken", "1: good", "1: next"]);
    expect(isOver).toBe(false);
    works.end("next");
    await expect(over).rejects.toThrow("no editor");
  });
});
