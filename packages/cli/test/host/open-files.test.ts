import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { OpenFiles } from "../../src/host/open-files.ts";

it("a file that was removed is open no longer, until it is there again", () => {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.ts");
  const files = new OpenFiles();
  writeFileSync(path, "one\n");
  files.open({ path, cursor: { line: 0, character: 0 } });
  expect(files.openFiles()).toEqual([path]);
  rmSync(path);
  expect(files.openFiles()).toEqual([]);
  expect(files.active()).toBeUndefined();
  writeFileSync(path, "two\n");
  expect(files.active()?.path).toBe(path);
});
