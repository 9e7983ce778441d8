import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { lastOf } from "../../src/process/lines.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** MB after a collection. */
function heap(): number {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}

it("keeps the end of a large text, and nothing else of it", () => {
  expect(lastOf("short", 10)).toBe("short");
  expect(lastOf("one two \u{1F600}é", 4)).toBe(" \u{1F600}é");
  const before = heap();
  const kept = ["a", "b", "c"].map((letter) => lastOf(JSON.parse(JSON.stringify(letter.repeat(30_000_000))), 1_000));
  expect(kept.map(({ length }) => length)).toEqual([1_000, 1_000, 1_000]);
  expect(heap() - before).toBeLessThan(20);
});
