import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { patched } from "../../src/agents/codex/unified-diff.ts";

describe("a diff of Codex CLI's service", () => {
  // As the real one told them (0.171.0).
  it.each([
    ["one\ntwo\nthree\n", "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n", "one\nTWO\nthree\n"],
    ["x\ny", "@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+z\n", "x\nz\n"],
    [
      "one\r\ntwo\r\nthree",
      "@@ -1,3 +1,3 @@\n one\r\n-two\r\n-three\n\\ No newline at end of file\n+TWO\r\n+three\r\n",
      "one\r\nTWO\r\nthree\r\n",
    ],
    ["x\ny\n", "@@ -1,2 +1,2 @@\n x\n-y\n+z\n\n\nMoved to: /shop/d.txt", "x\nz\n"],
  ])("makes of %j what it says", (before, diff, after) => {
    expect(patched(before, diff)).toBe(after);
  });

  it.each([
    ["another text", "@@ -1,2 +1,2 @@\n x\n-y\n+z\n"],
    ["x\ny\n", "not a diff"],
    ["x\ny\n", ""],
    ["x\ny\n", "@@ -1,2 +1,2 @@\n x\n-y\n+z\nwhat is this\n@@ -9 +9 @@\n-q\n"],
    ["x\ny", "@@ -1,2 +1,2 @@\n x\n-y\n+z\n"],
  ])("is about no other text: %j", (before, diff) => {
    expect(patched(before, diff)).toBeUndefined();
  });

  it.skipIf(isMissing("the program diff"))(
    "is read as the program diff writes it, with or without an end of the last line",
    () => {
      const root = mkdtempSync(join(tmpdir(), "patchbay-diff-"));
      onTestFinished(() => rmSync(root, { recursive: true }));
      const [one, other] = [join(root, "one"), join(root, "other")];
      const line = fc.constantFrom("", "a", "b", "- c", "+ d", "@@ e", "\\ f", "a\r");
      const text = fc
        .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
        .map(([lines, hasEnd]) => lines.join("\n") + (hasEnd && lines.length > 0 ? "\n" : ""));
      fc.assert(
        fc.property(text, text, (before, after) => {
          fc.pre(before !== after);
          writeFileSync(one, before);
          writeFileSync(other, after);
          const { stdout } = spawnSync("diff", ["-U3", one, other], { encoding: "utf8" });
          const hunks = stdout.split("\n").slice(2).join("\n");
          expect(patched(readFileSync(one, "utf8"), hunks)).toBe(after);
        }),
        { numRuns: 150 },
      );
    },
  );
});
