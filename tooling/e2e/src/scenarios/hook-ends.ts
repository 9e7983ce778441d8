import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentId } from "@patchbay/core";
import { manageHook } from "../agents/agent.ts";
import { everyHooked, kindOf } from "../agents/index.ts";
import { recordsOf } from "../agents/records.ts";
import { listenModelServer } from "../models/model-server.ts";
import { createLab, type Lab } from "../support/lab.ts";
import { pause, poll } from "../support/poll.ts";
import { mustRun } from "../support/processes.ts";
import { hookFileOf, proposeByHook, waitForEnd, waitForReview, withHook, withHooks } from "./hooked.ts";
import { killAgent } from "./killed.ts";
import { diffTitle, startContents, usualChange, waitForContents, waitForNoDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** How long after its agent was killed an untouched review may still be shown, milliseconds. */
const goneWithin = 5_000;

interface End {
  readonly end: () => Promise<unknown>;
  /** Patchbay is started anew with it. */
  readonly isNewRun: boolean;
}

/** Ends what shows the review in the middle of it; the review comes back with what the user has typed, and the agent still waits. */
async function goesOnAfter(world: World, id: AgentId, file: string, { isNewRun, end }: End): Promise<void> {
  const { editor } = world;
  await world.writeFile(file, startContents);
  await withHook(world, id, async () => {
    const kind = kindOf(id);
    // In a terminal the proposed text is changed in another program.
    const canType = editor.id !== "serve";
    const wanted = canType ? changed.replace("FIRST line", "FIRST line typed before the end") : changed;
    const after = kind.takesUsersText || !canType ? [] : kind.writeTurns(join(world.lab.workspace, file), wanted);
    // With Theia's backend its terminals end.
    const isOutside = isNewRun && editor.id === "theia";
    const agent = await proposeByHook(world, id, usualChange(file), { after, isOutside });
    if (canType) await editor.typeInDiff(" typed before the end");
    // What is typed is on disk half a second later.
    await pause(1_500);
    const before = await runOf(world.lab, id);
    await end();
    const endedAt = Date.now();
    if (isNewRun)
      await poll("a new run", async () => ![before, ""].includes(await runOf(world.lab, id)), { timeout: 30_000 });
    await waitForReview(world, agent, file);
    world.note("the review is back after", Date.now() - endedAt - 1_000);
    // The view that the earlier run has left goes when the editor has time for it.
    await pause(3_000);
    await waitForReview(world, agent, file);
    await editor.showDiff(diffTitle(agent, file));
    mustEqual(file, await world.readFile(file), startContents);
    await editor.acceptDiff();
    await waitForContents(world, file, wanted);
    await waitForEnd(agent);
    await waitForNoDiff(world, agent, file);
  });
}

/** Which run of Patchbay serves the agent, as its record says; empty where there is none. */
async function runOf(lab: Lab, id: AgentId): Promise<string> {
  const [record] = await recordsOf(lab, id);
  const text = record === undefined ? "" : await readFile(record, "utf8").catch(() => "");
  return /"pid":\d+,"start":"[^"]*"/u.exec(text)?.[0] ?? "";
}

/** A reload of the window in the middle of a review. */
export const hookReload: Scenario = {
  ...withHooks,
  name: "hook-reload",
  agents: everyHooked,
  isFor: (editor) => editor.reload !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    // Theia's backend, where Patchbay runs, outlives its window.
    const isNewRun = editor.id !== "theia";
    await goesOnAfter(world, id, "hook-reload.txt", { isNewRun, end: async () => editor.reload?.() });
  },
};

/** The process in which Patchbay runs is killed in the middle of a review, and the editor starts another one. */
export const hookKilled: Scenario = {
  ...withHooks,
  name: "hook-killed",
  inServe: true,
  agents: everyHooked,
  isFor: (editor) => editor.killHost !== undefined,
  run: async (world, id) => {
    const end = async (): Promise<void> => world.editor.killHost?.();
    await goesOnAfter(world, id, "hook-killed.txt", { isNewRun: true, end });
  },
};

/** The agent is killed in the middle of a review: nobody waits for it any more. */
export const hookAgentKilled: Scenario = {
  ...withHooks,
  name: "hook-agent-killed",
  inServe: true,
  agents: everyHooked,
  run: async (world, id) => {
    const file = "hook-agent-killed.txt";
    await world.writeFile(file, startContents);
    await withHook(world, id, async () => {
      const agent = await proposeByHook(world, id, usualChange(file));
      const killedAt = await killAgent(world, id);
      await waitForNoDiff(world, agent, file);
      const took = Date.now() - killedAt;
      world.note("the review of a killed agent is gone after", took);
      must(`it is gone within ${goneWithin} ms (${took})`, took <= goneWithin);
      mustEqual(file, await world.readFile(file), startContents);
    });
  },
};

/** Without an editor the agent works as it does without the hook, and its settings are afterwards what they were. */
export const hookNone: Scenario = {
  ...withHooks,
  name: "hook-none",
  agents: everyHooked,
  isFor: ({ id }) => id === "vscode",
  run: async (world, id) => {
    const lab = await createLab();
    try {
      const kind = kindOf(id);
      await kind.configure(lab);
      const settings = hookFileOf(lab, id);
      const before = await readFile(settings, "utf8").catch(() => undefined);
      await manageHook(lab, id, "install");
      await manageHook(lab, id, "remove");
      must("install and remove leave every byte", (await readFile(settings, "utf8").catch(() => undefined)) === before);
      world.note("without a hook", await workAlone(lab, id, "none-1.txt"));
      await manageHook(lab, id, "install");
      must("it is there", (await readFile(settings, "utf8")).includes("patchbay"));
      world.note("with a hook", await workAlone(lab, id, "none-2.txt"));
      await manageHook(lab, id, "remove");
      const after = await readFile(settings, "utf8").catch(() => "");
      must("nothing of the hook is left in the agent's settings", !after.includes("patchbay"));
    } finally {
      await lab.dispose();
    }
  },
};

/** The agent changes a file without a person and without an editor; gives the time, milliseconds. */
async function workAlone(lab: Lab, id: AgentId, file: string): Promise<number> {
  const kind = kindOf(id);
  const path = join(lab.workspace, file);
  await writeFile(path, startContents);
  const model = await listenModelServer(kind.protocol);
  try {
    await kind.configureModel?.(lab, model.url);
    model.play(...kind.editTurns(path, "first line", "FIRST line"));
    const [mode] = kind.quietModes;
    const prompt = `Change ${file}`;
    const once = kind.headless?.(prompt) ?? ["-p", prompt];
    const [program = "", ...words] = [...kind.command(), ...once, ...(mode?.arguments ?? [])];
    const env = { ...lab.env, ...kind.environment(lab, model.url), ...mode?.environment };
    const began = performance.now();
    await mustRun(program, words, { cwd: lab.workspace, env, timeout: 60_000 });
    mustEqual(file, await readFile(path, "utf8"), changed);
    return performance.now() - began;
  } finally {
    model.close();
  }
}
