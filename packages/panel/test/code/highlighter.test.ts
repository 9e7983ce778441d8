import { describe, expect, it } from "vitest";
import { highlight } from "../../src/code/highlighter.ts";

describe("the highlighter", () => {
  it.each([
    ["ts", "export function total(items: readonly Item[]): number {\n  return `a${b} <x>`; // c\n}\n"],
    ["html", "<a href='x'>y</a><script>let a = 1;</script><style>b{}</style>"],
    ["python", "class A(B):\n    def f(self): return f'{x}'"],
    ["diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y"],
  ])("gives all of the code back, in pieces: %s", (language, code) => {
    const pieces = highlight(code, language);
    expect(pieces?.map(({ text }) => text).join("")).toBe(code);
    expect(pieces?.some(({ scope }) => scope !== undefined)).toBe(true);
  });

  it("knows what is what", () => {
    expect(highlight("let a = 1;", "js")).toEqual(
      expect.arrayContaining([
        { text: "let", scope: "keyword" },
        { text: "1", scope: "number" },
      ]),
    );
  });

  it("leaves a language that it does not know", () => {
    expect(highlight("x", "klingon")).toBeUndefined();
  });
});
