import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLogger } from "@patchbay/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LeftWorkspaces } from "../../src/node/workspace-storage.ts";

const left = { roots: ["/a"], storageKey: "/a", application: "Theia", trusted: true };
let base: string;
let now: number;

const create = (): LeftWorkspaces => new LeftWorkspaces(base, () => now, nullLogger);
const notes = (): readonly string[] => readdirSync(join(base, "patchbay"));

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "patchbay-left-"));
  now = 1_000_000;
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

it("gives the next backend what this one left, once", async () => {
  await create().leave([left]);
  expect(notes().map((name) => statSync(join(base, "patchbay", name)).mode & 0o777)).toEqual([0o600]);
  expect(await create().take()).toEqual([left]);
  expect(await create().take()).toEqual([]);
  expect(notes()).toEqual([]);
});

it("leaves nothing where no agent waits", async () => {
  await create().leave([]);
  expect(await create().take()).toEqual([]);
});

it("gives two backends that start at once one of them each what was left", async () => {
  await create().leave([left]);
  const taken = await Promise.all([create().take(), create().take()]);
  expect(taken.flat()).toEqual([left]);
});

it("passes over what is too old, and what was not written by a backend", async () => {
  await create().leave([left]);
  now += 60_000;
  expect(await create().take()).toEqual([]);
  writeFileSync(join(base, "patchbay", "left-1.json"), "{");
  expect(await create().take()).toEqual([]);
  expect(notes()).toEqual([]);
});
