import { existsSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Agent } from "../agents/agent.ts";
import type { Turn } from "../models/model-server.ts";
import { pause, poll } from "../support/poll.ts";
import { findProcesses, killTree } from "../support/processes.ts";
import { diffTitle, startContents, waitForContents, waitForDiff, waitForNoDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const asking = /Would you like to make the following edits/u;

/** Those that Codex asks by itself: its service is joined, and no hook is there. */
const served = { agents: ["codex"] } satisfies Partial<Scenario>;

/** Starts Codex with its service, in an editor that has been there for a while. */
async function startServed(world: World, isOutside = false): Promise<Agent> {
  const { agent } = await world.startAgent("codex", { isServed: true, isOutside });
  const link = join(world.lab.home, ".codex", "app-server-control", "app-server-control.sock");
  await poll("Codex's service", () => realpath(link).catch(() => undefined), { timeout: 60_000 });
  return agent;
}

/** The service outlives its terminals. */
async function endService({ lab }: World): Promise<void> {
  for (const pid of await findProcesses(lab.root, /codex/u)) await killTree(pid);
}

/** The model patches three files: one comes, one changes, one moves. */
async function patchThree(world: World, agent: Agent): Promise<void> {
  await world.writeFile("changed.txt", startContents);
  await world.writeFile("old.txt", startContents);
  // What a case before this one has left would not come any more, and there is no review of a file that stays as it is.
  for (const name of ["new.txt", "moved.txt"]) await rm(join(world.lab.workspace, name), { force: true });
  const at = (name: string): string => join(world.lab.workspace, name);
  const lines = [
    "*** Begin Patch",
    `*** Add File: ${at("new.txt")}`,
    "+new line",
    `*** Update File: ${at("changed.txt")}`,
    "@@",
    "-first line",
    "+FIRST line",
    " second line",
    `*** Update File: ${at("old.txt")}`,
    `*** Move to: ${at("moved.txt")}`,
    "@@",
    "-third line",
    "+THIRD line",
    "*** End Patch",
  ];
  const turn: Turn = { kind: "tool", name: "apply_patch", input: { input: lines.join("\n") } };
  agent.model.play(turn);
  await agent.ask("Please change three files for me");
}

async function waitForAll(world: World, agent: Agent): Promise<void> {
  for (const file of ["new.txt", "changed.txt", "moved.txt", "old.txt"]) await waitForDiff(world, agent, file);
}

async function waitForNone(world: World, agent: Agent): Promise<void> {
  for (const file of ["new.txt", "changed.txt", "moved.txt", "old.txt"]) await waitForNoDiff(world, agent, file);
}

async function mustBeWritten(world: World): Promise<void> {
  await waitForContents(world, "changed.txt", startContents.replace("first", "FIRST"));
  const has = (name: string): boolean => existsSync(join(world.lab.workspace, name));
  await poll("the files that come", () => has("moved.txt") && has("new.txt"), { timeout: 10_000 });
  mustEqual("moved.txt", await world.readFile("moved.txt"), startContents.replace("third", "THIRD"));
  mustEqual("new.txt", await world.readFile("new.txt"), "new line\n");
  await poll("old.txt to have moved", () => !has("old.txt"), { timeout: 10_000 });
}

async function mustNotBeWritten(world: World): Promise<void> {
  mustEqual("changed.txt", await world.readFile("changed.txt"), startContents);
  must("new.txt was not made", !existsSync(join(world.lab.workspace, "new.txt")));
}

/** Whatever becomes of it, the service ends. */
function withService(run: (world: World) => Promise<void>): Scenario["run"] {
  return async (world) => {
    try {
      await run(world);
    } finally {
      await endService(world);
    }
  };
}

/** A patch of three files, of which one is accepted in the editor: so all are written, and the terminal asks no more. */
export const serviceAccept: Scenario = {
  ...served,
  name: "service-accept",
  run: withService(async (world) => {
    const agent = await startServed(world);
    await patchThree(world, agent);
    await waitForAll(world, agent);
    await agent.waitForScreen(asking);
    await pause(1_000);
    await mustNotBeWritten(world);
    await world.editor.showDiff(diffTitle(agent, "changed.txt"));
    await world.editor.acceptDiff();
    await mustBeWritten(world);
    await waitForNone(world, agent);
    await agent.waitForScreen(/All done\./u);
  }),
};

/** The same, declined with a reason: nothing is written, and the model reads why in the same turn. */
export const serviceReject: Scenario = {
  ...served,
  name: "service-reject",
  run: withService(async (world) => {
    const { editor } = world;
    const agent = await startServed(world);
    await patchThree(world, agent);
    await waitForAll(world, agent);
    await editor.showDiff(diffTitle(agent, "moved.txt"));
    const reason = "Leave old.txt where it is";
    if (editor.rejectWithReason === undefined) await editor.rejectDiff();
    else await editor.rejectWithReason(reason);
    await waitForNone(world, agent);
    await agent.waitForScreen(/All done\./u);
    await mustNotBeWritten(world);
    const told = agent.model.conversation.at(-1) ?? "";
    must("the model is told that it was rejected", told.includes("rejected by user"));
    must("the model is told why", editor.rejectWithReason === undefined || told.includes(reason));
  }),
};

/** The same, decided in the terminal: the reviews go. */
export const serviceTerminal: Scenario = {
  ...served,
  name: "service-terminal",
  run: withService(async (world) => {
    const agent = await startServed(world);
    await patchThree(world, agent);
    await waitForAll(world, agent);
    await agent.waitForScreen(asking);
    // Keys that come at once are not taken for an answer.
    await pause(2_000);
    await agent.terminal.press("Enter");
    await mustBeWritten(world);
    await waitForNone(world, agent);
  }),
};

/** The service is killed while the user is asked: the reviews go. The next one is joined as the first was. */
export const serviceKilled: Scenario = {
  ...served,
  name: "service-killed",
  run: withService(async (world) => {
    const first = await startServed(world);
    await patchThree(world, first);
    await waitForAll(world, first);
    await endService(world);
    await waitForNone(world, first);
    await mustNotBeWritten(world);
    const second = await startServed(world);
    await patchThree(world, second);
    await waitForAll(world, second);
    await world.editor.showDiff(diffTitle(second, "changed.txt"));
    await world.editor.acceptDiff();
    await mustBeWritten(world);
    await waitForNone(world, second);
  }),
};
