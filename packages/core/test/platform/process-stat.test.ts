import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseProcessStat } from "../../src/platform/node-process.ts";
import { anyText } from "../any-text.ts";

describe("a line of /proc/<pid>/stat", () => {
  it("is read whatever the command is called", () => {
    const name = anyText({ maxLength: 16 });
    fc.assert(
      fc.property(name, fc.nat(), fc.nat(), (command, parent, start) => {
        const others = Array.from({ length: 17 }, (_, index) => index).join(" ");
        const stat = parseProcessStat(`42 (${command}) S ${parent} ${others} ${start} 0 0\n`);
        expect(stat).toEqual({ state: "S", parent, startTicks: String(start) });
      }),
      { examples: [["a) R 9 (b", 1, 2]] },
    );
  });

  it("is undefined, never an exception, for any other text", () => {
    fc.assert(fc.property(anyText(), (text) => parseProcessStat(text) === undefined));
    expect(parseProcessStat("42 (sh) S x 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 99")).toBeUndefined();
  });
});
