import { expect, it } from "vitest";
import { type LineEdits, lineEdits } from "../../src/diff/line-edits.ts";

/** As `patchbay#window#edit()` does. */
function applied(before: readonly string[], { places, lines }: LineEdits): readonly string[] {
  const result = before.length === 0 ? [""] : before.slice();
  let at = lines.length;
  for (const [first, gone, come] of places.toReversed()) {
    result.splice(first - 1, gone, ...lines.slice(at - come, at));
    at -= come;
  }
  return result;
}

it("touches only the lines that change", async () => {
  const before = ["one", "two", "three", "four", "five"];
  const after = ["zero", "one", "TWO", "three", "five"];
  const edits = await lineEdits(before, after);
  expect(edits).toEqual({
    places: [
      [1, 0, 1],
      [2, 1, 1],
      [4, 1, 0],
    ],
    lines: ["zero", "TWO"],
  });
  expect(applied(before, edits)).toEqual(after);
});

it("makes any text into any other", async () => {
  // Linear congruential: the same texts in each run.
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const text = (): readonly string[] =>
    Array.from({ length: random(8) }, () => ["", "a", "b", "c", "a\nb"][random(5)] ?? "");
  for (let round = 0; round < 2_000; round += 1) {
    const [before, after] = [text(), text()];
    expect(applied(before, await lineEdits(before, after))).toEqual(after.length === 0 ? [""] : after);
  }
});

it("sends many places as one", async () => {
  const before = Array.from({ length: 5_000 }, (_, index) => `${index}`);
  const after = before.map((line, index) => (index % 2 === 1 ? `${line}!` : line));
  const edits = await lineEdits(before, after);
  expect(edits.places).toEqual([[2, 4_999, 4_999]]);
  expect(applied(before, edits)).toEqual(after);
});
