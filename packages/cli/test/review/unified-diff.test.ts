import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readOriginal } from "../../src/review/present-review.ts";
import { renderDiff } from "../../src/review/unified-diff.ts";
import { createPaint } from "../../src/terminal/paint.ts";

const plain = { paint: createPaint(false), maximumLines: 100 };

describe("a unified diff", () => {
  it("shows what goes and what comes, with three lines around it", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const diff = renderDiff(before, before.replace("5\n", "five\n"), plain);
    expect(diff.lines).toEqual(["@@ -2,7 +2,7 @@", " 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"]);
    expect([diff.added, diff.removed, diff.omitted]).toEqual([1, 1, 0]);
  });

  it("does not turn CRLF into a whole-file change, and says so", () => {
    const diff = renderDiff("one\r\ntwo\r\n", "one\nTWO\n", plain);
    expect(diff.lines[0]).toBe("(lines end with CRLF in the file and with LF in the proposal)");
    expect([diff.added, diff.removed]).toEqual([1, 1]);
  });

  it("tells a missing final newline", () => {
    expect(renderDiff("one\n", "one", plain).lines).toContain("\\ No newline at end of file");
  });

  it("shows control characters as text", () => {
    expect(renderDiff("", "\u001b]52;c;aGk=\u0007\n", plain).lines.join("\n")).not.toContain("\u001b");
  });

  it("is cut at the wanted length, and counts everything", () => {
    const diff = renderDiff("", "x\n".repeat(50), { ...plain, maximumLines: 10 });
    expect(diff.lines).toHaveLength(10);
    expect([diff.added, diff.omitted]).toEqual([50, 41]);
  });

  it("says that nothing differs", () => {
    expect(renderDiff("a\n", "a\n", plain).lines).toEqual(["(no line differs)"]);
  });

  it("colours lines", () => {
    const { lines } = renderDiff("a\n", "b\n", { ...plain, paint: createPaint(true) });
    expect(lines).toContain("\u001b[31m-a\u001b[0m");
    expect(lines).toContain("\u001b[32m+b\u001b[0m");
  });
});

describe("the text on disk", () => {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-original-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is read without its byte order mark", async () => {
    writeFileSync(join(folder, "bom.txt"), "\uFEFFone\n");
    expect(await readOriginal(join(folder, "bom.txt"))).toEqual({ kind: "text", text: "one\n" });
  });

  it("may be missing, a folder, or no text", async () => {
    writeFileSync(join(folder, "binary"), Buffer.from([0xff, 0xfe, 0xfd]));
    expect(await readOriginal(join(folder, "none"))).toEqual({ kind: "missing" });
    expect(await readOriginal(join(folder, "binary"))).toEqual({ kind: "unreadable", why: "is not UTF-8 text" });
    expect(await readOriginal(folder)).toEqual({ kind: "unreadable", why: "cannot be read (EISDIR)" });
  });
});
