import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WorkspaceStorage } from "../../src/node/workspace-storage.ts";

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "patchbay-storage-"));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

it("gives each workspace a directory of its own, and the same one every time", async () => {
  const storage = new WorkspaceStorage(base, () => true);
  const one = await storage.claim("/a");
  expect(await storage.claim("/a")).toBe(one);
  expect(await storage.claim("/b")).not.toBe(one);
  expect(statSync(join(base, "patchbay")).mode & 0o777).toBe(0o700);
});

it("leaves the directory of another backend that lives, and takes that of one that has gone", async () => {
  const directory = await new WorkspaceStorage(base, () => false).claim("/a");
  writeFileSync(`${directory}.owner`, "999999\n");
  expect(await new WorkspaceStorage(base, () => true).claim("/a")).toBe(`${directory}-2`);
  expect(await new WorkspaceStorage(base, () => false).claim("/a")).toBe(directory);
});

it("gives the claim back at the end, so that the next backend finds port and token", async () => {
  const first = new WorkspaceStorage(base, () => true);
  const directory = await first.claim("/a");
  first.releaseSync();
  expect(await new WorkspaceStorage(base, () => true).claim("/a")).toBe(directory);
});
