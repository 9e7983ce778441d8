import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentId, agents } from "@patchbay/core";
import { agentsWithHooks, applyPlan, planInstall } from "@patchbay/core/hook-settings";
import { createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { writeEvent } from "../src/attack/write-event.ts";
import type { Sandbox } from "../src/sandbox.ts";
import { makeSandbox, startEditor } from "./editor.ts";

/** Those that ask before they write. */
const hooked = agents.filter(({ loadHook }) => loadHook !== undefined);

/** The command that stands in agents' settings. */
const program = fileURLToPath(new URL("../../../packages/cli/src/hook/main.ts", import.meta.url));

const piProcess = fileURLToPath(new URL("../src/attack/pi-process.ts", import.meta.url));

/** Runs the hook of an agent as the agent does: what it has printed when it ends. */
function runHook(agent: AgentId, sandbox: Sandbox, event: string): Promise<string> {
  const child = spawn(process.execPath, ["--conditions=@patchbay/source", program, agent], {
    cwd: sandbox.workspace,
    env: { PATH: "/usr/bin:/bin", HOME: sandbox.home, TMPDIR: sandbox.tmp, NODE_NO_WARNINGS: "1" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stdin?.end(event);
  return new Promise((resolve) => child.once("close", () => resolve(text)));
}

/** Pi with our extension, which writes a file. */
function runPi(sandbox: Sandbox, path: string) {
  const child = spawn(process.execPath, ["--conditions=@patchbay/source", piProcess, sandbox.workspace, path], {
    cwd: sandbox.workspace,
    env: { PATH: "/usr/bin:/bin", HOME: sandbox.home, TMPDIR: sandbox.tmp, NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, output }));
  });
  return { ended, kill: () => void child.kill("SIGKILL") };
}

const commandLine = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));

/** Runs our command in a folder: what it says until it ends, or until enough is said. */
function say(words: readonly string[], place: Place, isEnough: (said: string) => boolean): Promise<string> {
  const child = spawn(process.execPath, ["--conditions=@patchbay/source", "--no-warnings", commandLine, ...words], {
    cwd: place.workspace,
    env: { PATH: "/usr/bin:/bin", HOME: place.home, TMPDIR: place.tmp },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (isEnough(said)) child.kill("SIGTERM");
    });
  }
  return new Promise((resolve) => child.once("close", () => resolve(said)));
}

type Place = Pick<Sandbox, "workspace" | "home" | "tmp">;

const denied = /"(?:permissionDecision|decision|kind)":"deny"/u;

describe("hooks", () => {
  it("H01 an editor that is killed with a review on screen, and does not come back, is a no for every agent", async () => {
    const killedUnder = async ({ id }: (typeof agents)[number]): Promise<void> => {
      const sandbox = makeSandbox();
      const editor = await startEditor({ sandbox });
      await sandbox.announced(id);
      const path = sandbox.file("a.txt");
      // Copilot CLI's tool makes new files only.
      const isNew = id === "copilot";
      if (!isNew) writeFileSync(path, "old\n");
      const printed = runHook(id, sandbox, writeEvent(id, { cwd: sandbox.workspace, path, text: "new\n" }));
      // All of them start at once.
      await editor.view(undefined, 20_000);
      await editor.kill();
      expect(await printed).toMatch(denied);
      expect(await printed).toContain("The editor went away before the user decided");
      if (isNew) expect(existsSync(path)).toBe(false);
      else expect(readFileSync(path, "utf8")).toBe("old\n");
    };
    await Promise.all(hooked.map(killedUnder));
  });

  it.each(hooked.map(({ id }) => id))("H02 an event that nobody can read is a no for %s", async (agent) => {
    const sandbox = makeSandbox();
    await startEditor({ sandbox });
    await sandbox.announced(agent);
    const write = { cwd: sandbox.workspace, path: join(sandbox.workspace, "a.txt"), text: "new\n" };
    const deep = "[".repeat(5_000) + "]".repeat(5_000);
    const event = writeEvent(agent, write, { more: "DEEP" }).replace('"DEEP"', deep);
    expect(await runHook(agent, sandbox, event)).toMatch(denied);
  });

  it("H03 an extension in an agent's process says no where the editor is killed, prints nothing, and keeps nothing alive", async () => {
    const sandbox = makeSandbox();
    const editor = await startEditor({ sandbox });
    await sandbox.announced("pi");
    const path = sandbox.file("a.txt");
    const pi = runPi(sandbox, path);
    await editor.view();
    await editor.kill();
    const { code, output } = await pi.ended;
    expect(JSON.parse(output)).toEqual({ block: true, reason: expect.stringContaining("The editor went away before") });
    expect([code, existsSync(path)]).toEqual([0, false]);
  });

  it("H03 a review is over at once where the process with the extension is killed", async () => {
    const sandbox = makeSandbox();
    const editor = await startEditor({ sandbox });
    await sandbox.announced("pi");
    const pi = runPi(sandbox, sandbox.file("a.txt"));
    await editor.view();
    pi.kill();
    const killedAt = performance.now();
    await editor.until("the end of the review", async () =>
      (await editor.openViews()).length === 0 ? true : undefined,
    );
    expect(performance.now() - killedAt).toBeLessThan(2_000);
  });

  it("H04 what a folder's own settings take away from reviews is said by who serves the folder, and by the state of hooks", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    const put = (path: string, text: string): void => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    const hook = join(platform.home, ".patchbay", "patchbay-hook.cjs");
    put(hook, "");
    for (const { id, request } of await agentsWithHooks(platform)) {
      const plan = await planInstall({ ...request, command: `'${process.execPath}' '${hook}' ${id}` });
      if (plan.kind === "change") await applyPlan(platform, plan);
    }
    const offs: readonly (readonly [AgentId, string, string])[] = [
      ["claude", ".claude/settings.json", '{ "disableAllHooks": true }'],
      ["qwen", ".qwen/settings.json", '{ "disableAllHooks": true }'],
      ["copilot", ".github/copilot/settings.json", '{ "disableAllHooks": true }'],
      ["gemini", ".gemini/settings.json", '{ "hooksConfig": { "enabled": false } }'],
    ];
    const files = offs.map(([, path]) => join(platform.workspace, path));
    for (const [, path, text] of offs) put(join(platform.workspace, path), text);
    const isAll = (said: string): boolean => files.every((file) => said.includes(file));
    const served = await say(["serve", "--json"], platform, (said) => isAll(said) && said.endsWith("\n"));
    for (const [index, [id]] of offs.entries()) {
      const { agentName = id } = agents.find((agent) => agent.id === id) ?? {};
      const file = files[index];
      expect(served).toContain(`${agentName} runs no hooks in this folder, because ${file} says so`);
      const state = await say(["hook", "status", id], platform, () => false);
      expect(state, id).toContain(file);
    }
  });
});
