import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replaceInText } from "../../src/support/replace-in-text.ts";

describe("a replacement", () => {
  it("is what the runtime makes of it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "$&") }),
        fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 2 }),
        fc.string({ maxLength: 3 }),
        fc.boolean(),
        (text, from, to, isForAll) => {
          const made = isForAll ? text.split(from).join(to) : text.replace(from, () => to);
          expect(replaceInText(text, { from, to, isForAll })).toBe(made);
        },
      ),
    );
  });

  it("is not made where the text would be longer than any that is shown", () => {
    const text = "a".repeat(200_000);
    expect(replaceInText(text, { from: "a", to: "b".repeat(1_000), isForAll: true })).toBeUndefined();
    expect(replaceInText(text, { from: "a", to: "b".repeat(1_000), isForAll: false })).toHaveLength(200_999);
    expect(replaceInText(text, { from: "a", to: "b".repeat(330), isForAll: true })).toHaveLength(66_000_000);
  });
});
