import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createNodePlatform } from "@patchbay/core";
import { WorkspaceStorage } from "../../src/node/workspace-storage.ts";

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "patchbay-storage-"));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

/** As a backend with this process id sees the machine; `running`: who else runs, and since when. */
function backend(pid: number, running: Readonly<Record<number, string>> = {}): WorkspaceStorage {
  const node = createNodePlatform();
  const started: Readonly<Record<number, string>> = { ...running, [pid]: running[pid] ?? `start of ${pid}` };
  const facts = {
    pid,
    isAlive: (one: number) => started[one] !== undefined,
    startMark: async (one: number) => started[one],
  };
  return new WorkspaceStorage(base, { ...node, process: { ...node.process, ...facts } });
}

it("gives each workspace a directory of its own, and the same one every time", async () => {
  const storage = backend(1);
  const one = await storage.claim("/a");
  expect(await storage.claim("/a")).toBe(one);
  expect(await storage.claim("/b")).not.toBe(one);
  expect(statSync(join(base, "patchbay")).mode & 0o777).toBe(0o700);
});

it("leaves the directory of another backend that lives, and takes that of one that has gone", async () => {
  const directory = await backend(1).claim("/a");
  expect(await backend(2, { 1: "start of 1" }).claim("/a")).toBe(`${directory}-2`);
  expect(await backend(3, { 2: "start of 2" }).claim("/a")).toBe(directory);
});

it("takes the directory of a backend that has gone where another process has its number by now", async () => {
  const directory = await backend(1).claim("/a");
  expect(await backend(2, { 1: "start of another one" }).claim("/a")).toBe(directory);
  // As in a container, where each backend may have the same number.
  expect(await backend(2, { 2: "start of the next one" }).claim("/a")).toBe(directory);
});

it("gives the claim back at the end, so that the next backend finds port and token", async () => {
  const first = backend(1);
  const directory = await first.claim("/a");
  first.releaseSync();
  expect(await backend(2, { 1: "start of 1" }).claim("/a")).toBe(directory);
});
