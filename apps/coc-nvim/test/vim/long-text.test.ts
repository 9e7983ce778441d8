import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partsOf, sendLines } from "../../src/vim/long-text.ts";

/** As autoload/patchbay/parts.vim puts them together. */
function join(parts: ReturnType<typeof partsOf>): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const [first = "", ...others] = part.lines;
    if (part.continued) lines.push(`${lines.pop() ?? ""}${first}`, ...others);
    else lines.push(first, ...others);
  }
  return lines;
}

describe("a long text", () => {
  it("comes in parts that are small and make the same text", () => {
    const line = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 90 }),
      fc.constant(""),
      fc.constant("x".repeat(200)),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.integer({ min: 30, max: 120 }), (lines, limit) => {
        const parts = partsOf(lines, limit);
        expect(join(parts)).toEqual(lines);
        for (const part of parts) {
          const text = part.lines.join('","');
          expect(Buffer.byteLength(text, "utf8")).toBeLessThanOrEqual(limit + 3);
          expect(Buffer.from(text).toString()).toBe(text);
        }
      }),
    );
  });

  it("goes along with its message where it is short, and else before it", async () => {
    const calls: (readonly [string, readonly unknown[]])[] = [];
    const vim = {
      call: async (name: string, args: readonly unknown[] = []) => {
        calls.push([name, args]);
        return 1;
      },
    };
    expect(await sendLines(vim, "p1", ["one", "two"])).toEqual({ lines: ["one", "two"] });
    expect(calls).toEqual([]);
    expect(await sendLines(vim, "p1", ["a".repeat(30_000), "b".repeat(30_000)])).toEqual({ parts: "p1" });
    expect(calls.map(([name]) => name)).toEqual(["patchbay#parts#clear", "patchbay#parts#add", "patchbay#parts#add"]);
  });
});
