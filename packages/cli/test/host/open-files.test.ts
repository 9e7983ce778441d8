import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { HeadlessHost } from "../../src/host/headless-host.ts";
import { countLines, lineLength, OpenFiles, readFileRange } from "../../src/host/open-files.ts";

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

it.skipIf(process.platform === "win32").each([
  ["a pipe", (path: string) => void execFileSync("mkfifo", [path])],
  ["a directory", (path: string) => mkdirSync(path)],
  ["a device that has no end", (path: string) => symlinkSync("/dev/zero", path)],
])("an open file in whose place there is %s is open no longer, and nothing waits for it", async (_what, replace) => {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.ts");
  writeFileSync(path, "one\ntwo\n");
  const host = new HeadlessHost({ folder, storageDirectory: undefined, ask: async () => undefined });
  const [start, end] = [
    { line: 1, character: 0 },
    { line: 1, character: 3 },
  ];
  host.editors.open({ path, cursor: end, selection: { start, end } });
  const active = host.editors.active();
  expect(active?.readSelection(100)).toBe("two");
  rmSync(path);
  replace(path);
  expect(active?.readSelection(100)).toBe("");
  expect([readFileRange(path, { start, end }, 100), lineLength(path, 1), countLines(path, 2)]).toEqual(["", 0, 0]);
  expect(host.editors.active()).toBeUndefined();
  expect(host.editors.openFiles()).toEqual([]);
  expect(await host.documents.readText(path, 100)).toBeUndefined();
});
