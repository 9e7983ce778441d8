import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DepthGate, maximumDepth, maximumStructureBytes } from "../../src/support/json-gate.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** What a gate says to a text that comes in pieces of a length. */
function accepts(text: string, chunkLength: number): boolean {
  const bytes = Buffer.from(text);
  const gate = new DepthGate();
  for (let start = 0; start < bytes.length; start += chunkLength) {
    if (gate.refusal(bytes.subarray(start, start + chunkLength)) !== undefined) return false;
  }
  return true;
}

describe("depth gate", () => {
  it("takes JSON that is as deep as allowed and refuses one level more, wherever the chunks are cut", () => {
    // A long one is looked through by other means than a short one, and not from its start.
    const sign = fc.constantFrom('"', "\\", "[", "{", "]", "}", "a", "é", "\n");
    const unit = fc.oneof({ weight: 9, arbitrary: sign }, fc.constantFrom("\\".repeat(150), "a word ".repeat(40)));
    const text = fc.oneof(fc.string({ unit }), fc.string({ unit, minLength: 20, maxLength: 60 }));
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(text, tie("node"), { maxKeys: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, fc.constantFrom(1, 2, 7, 333, 100_000), (inner, chunkLength) => {
        const around = maximumDepth - depthOf(inner);
        const wrap = (levels: number): string => `${"[".repeat(levels)}${JSON.stringify(inner)}${"]".repeat(levels)}`;
        expect(accepts(wrap(around), chunkLength)).toBe(true);
        expect(accepts(wrap(around + 1), chunkLength)).toBe(depthOf(inner) + around + 1 <= maximumDepth);
      }),
    );
  });

  it("knows an escape that begins in one chunk and ends in the next, before many more of them", () => {
    const bytes = Buffer.from(JSON.stringify(["\\".repeat(200) + '"' + "[".repeat(2 * maximumDepth)]));
    const gate = new DepthGate();
    const cut = 3;
    expect(gate.refusal(bytes.subarray(0, cut))).toBeUndefined();
    expect(gate.refusal(bytes.subarray(cut))).toBeUndefined();
  });

  it("counts what stands outside of strings, wherever the chunks are cut", () => {
    const text = JSON.stringify({ one: "x".repeat(4 * maximumStructureBytes), two: ['"\\'.repeat(50_000)] });
    const most = " ".repeat(maximumStructureBytes - 40);
    for (const chunkLength of [7, 4_096, 10_000_000]) {
      expect(accepts(most + text, chunkLength)).toBe(true);
      expect(accepts(`${most}${" ".repeat(40)}${text}`, chunkLength)).toBe(false);
    }
    expect(new DepthGate().refusal(Buffer.from(`[${"1,".repeat(maximumStructureBytes / 2)}1]`))).toBe(
      "too-many-members",
    );
  });
});
