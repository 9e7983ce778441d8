import { spawn } from "node:child_process";
import { createMemoryPlatform, type MemoryPlatform } from "@patchbay/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Advice, argumentsOf } from "../../src/serve/advice.ts";

let platform: MemoryPlatform;
let said: string[];
let advice: Advice;
let started: Readonly<Record<number, readonly string[]>>;

beforeEach(() => {
  platform = createMemoryPlatform();
  said = [];
  started = {};
  advice = new Advice({
    platform,
    folder: "/project",
    companion: { processOf: async (id) => Number(id.slice(1)) },
    print: (text) => void said.push(text),
    argumentsOf: async (pid) => started[pid] ?? [],
  });
});
afterEach(() => advice.dispose());

const wait = async (): Promise<void> => await platform.clock.advanceAsync(1_000);
const told = async (): Promise<readonly string[]> => {
  await wait();
  await expect.poll(() => said.length).toBeGreaterThan(0);
  return said.map((text) => /^If you see no changes: (.*?)'s /u.exec(text)?.[1] ?? text);
};

it("is given once for an agent that never asks", async () => {
  advice.connected({ id: "s1", dialect: "claude" });
  expect(await told()).toEqual(["Claude Code"]);
  expect(said[0]).toContain('permissions.defaultMode is "auto" by default');
  advice.connected({ id: "s2", dialect: "claude" });
  advice.connected({ id: "s2", dialect: "qwen" });
  await wait();
  await expect.poll(() => said.length).toBe(2);
  expect(await told()).toEqual(["Claude Code", "Qwen Code"]);
});

it.each([
  ["claude", ["node", "/bin/claude", "--permission-mode", "manual"], "qwen", "Qwen Code"],
  ["qwen", ["node", "/bin/qwen", "--approval-mode=default"], "claude", "Claude Code"],
])("is not given where %s was started with %j", async (dialect, args, other, name) => {
  started = { 1: args };
  advice.connected({ id: "s1", dialect });
  advice.connected({ id: "s2", dialect: other });
  expect(await told()).toEqual([name]);
  // Another one may have been started otherwise.
  advice.connected({ id: "s2", dialect });
  await wait();
  await expect.poll(() => said.length).toBe(2);
});

it("is given where an agent was started in a mode that asks nobody", async () => {
  started = { 1: ["qwen", "--approval-mode", "yolo"] };
  advice.connected({ id: "s1", dialect: "qwen" });
  expect(await told()).toEqual(["Qwen Code"]);
});

it("is kept back when nobody is there any more", () => {
  advice.connected({ id: "s1", dialect: "qwen" });
  advice.dispose();
  expect(platform.clock.pending).toBe(0);
});

it.skipIf(process.platform === "win32")("knows how a process was started", async () => {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()", "--", "--permission-mode", "manual"]);
  await new Promise((resolve) => child.once("spawn", resolve));
  try {
    await expect.poll(async () => await argumentsOf(child.pid ?? 0)).toContain("--permission-mode");
    expect(await argumentsOf(2 ** 30)).toEqual([]);
  } finally {
    child.kill();
  }
});
