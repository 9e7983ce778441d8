import { expect, it } from "vitest";
import { readCursorReport } from "../../src/context/selection-memory.ts";

it("takes Normal mode as a place without a selection", () => {
  expect(readCursorReport([3, "n", 2, 5, 5, 2, 5, 0, 8, 1])).toEqual({
    buffer: 3,
    line: 2,
    column: 5,
    modified: true,
    visual: undefined,
  });
});

it("knows a block that was extended with $", () => {
  const report = readCursorReport([3, "\u0016", 4, 9, 2_147_483_647, 2, 5, 1, 4, 0]);
  expect(report?.visual).toEqual({
    shape: "block",
    cursor: { line: 4, column: 9 },
    anchor: { line: 2, column: 5 },
    exclusive: true,
    toLineEnd: true,
    tabStop: 4,
  });
});

it.each([[undefined], [[]], [[1, "n"]], ["n"]])("takes %j as no report", (value) => {
  expect(readCursorReport(value)).toBeUndefined();
});
