import { existsSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Agent, AgentStart } from "../agents/agent.ts";
import type { Turn } from "../models/model-server.ts";
import { pause, poll } from "../support/poll.ts";
import { findProcesses, killTree } from "../support/processes.ts";
import { diffTitle, startContents, waitForContents, waitForDiff, waitForNoDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const reason = "Leave old.txt where it is";
const asking = /Would you like to make the following edits/u;

/** Those that Codex asks by itself: its service is joined, and no hook is there. */
export const served: Pick<Scenario, "agents"> = { agents: ["codex"] };

/** Starts Codex with its service, in an editor that has been there for a while. */
export async function startServed(world: World, start: AgentStart = {}): Promise<Agent> {
  const { agent } = await world.startAgent("codex", { isServed: true, ...start });
  const link = join(world.lab.home, ".codex", "app-server-control", "app-server-control.sock");
  await poll("Codex's service", () => realpath(link).catch(() => undefined), { timeout: 60_000 });
  return agent;
}

/** The service outlives its terminals. */
export async function endService({ lab }: World): Promise<void> {
  for (const pid of await findProcesses(lab.root, /codex/u)) await killTree(pid);
}

/** The model patches three files: one comes, one changes, one moves; then, where it is told so, the first two alone. */
async function patchThree(world: World, agent: Agent, isAgain = false): Promise<void> {
  await world.writeFile("changed.txt", startContents);
  await world.writeFile("old.txt", startContents);
  // What a case before this one has left would not come any more, and there is no review of a file that stays as it is.
  for (const name of ["new.txt", "moved.txt"]) await rm(join(world.lab.workspace, name), { force: true });
  const at = (name: string): string => join(world.lab.workspace, name);
  const two = [
    `*** Add File: ${at("new.txt")}`,
    "+new line",
    `*** Update File: ${at("changed.txt")}`,
    "@@",
    "-first line",
    "+FIRST line",
    " second line",
  ];
  const move = [
    `*** Update File: ${at("old.txt")}`,
    `*** Move to: ${at("moved.txt")}`,
    "@@",
    "-third line",
    "+THIRD line",
  ];
  const turnOf = (lines: readonly string[]): Turn => {
    const input = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    return { kind: "tool", name: "apply_patch", input: { input } };
  };
  agent.model.play(turnOf([...two, ...move]), ...(isAgain ? [turnOf(two)] : []));
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
export function withService(run: (world: World) => Promise<void>): Scenario["run"] {
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

/** Rejects the file that moves, with a reason where the editor takes one; the others stay. */
async function rejectMoved(world: World, agent: Agent): Promise<void> {
  const { editor } = world;
  await editor.showDiff(diffTitle(agent, "moved.txt"));
  if (editor.rejectWithReason === undefined) await editor.rejectDiff();
  else await editor.rejectWithReason(reason);
  for (const file of ["moved.txt", "old.txt"]) await waitForNoDiff(world, agent, file);
  await mustNotBeWritten(world);
}

function mustHaveHeardWhy({ editor }: World, agent: Agent): void {
  const told = agent.model.conversation.join("\n");
  must("the model is told that it was rejected", told.includes("rejected by user"));
  must("the model is told why", editor.rejectWithReason === undefined || told.includes(reason));
}

/** The same, of which each file is rejected, one with a reason: nothing is written, and the model reads why in the same turn. */
export const serviceReject: Scenario = {
  ...served,
  name: "service-reject",
  mayTell: /applies its patch as a whole/u,
  run: withService(async (world) => {
    const { editor } = world;
    const agent = await startServed(world);
    await patchThree(world, agent);
    await waitForAll(world, agent);
    await rejectMoved(world, agent);
    for (const file of ["new.txt", "changed.txt"]) {
      await editor.showDiff(diffTitle(agent, file));
      await editor.rejectDiff();
    }
    await waitForNone(world, agent);
    await agent.waitForScreen(/All done\./u);
    await mustNotBeWritten(world);
    mustHaveHeardWhy(world, agent);
  }),
};

/** The same, of which two files are accepted and one is not: its model is told so, and its patch of these two is written without another review. */
export const servicePartial: Scenario = {
  ...served,
  name: "service-partial",
  mayTell: /applies its patch as a whole/u,
  run: withService(async (world) => {
    const { editor } = world;
    const agent = await startServed(world);
    await patchThree(world, agent, true);
    await waitForAll(world, agent);
    await rejectMoved(world, agent);
    await editor.showDiff(diffTitle(agent, "changed.txt"));
    await editor.acceptDiff();
    await waitForContents(world, "changed.txt", startContents.replace("first", "FIRST"));
    const isNew = (): boolean => existsSync(join(world.lab.workspace, "new.txt"));
    await poll("new.txt", isNew, { timeout: 10_000 });
    mustEqual("new.txt", await world.readFile("new.txt"), "new line\n");
    await waitForNone(world, agent);
    await agent.waitForScreen(/All done\./u);
    mustEqual("old.txt", await world.readFile("old.txt"), startContents);
    must("old.txt has not moved", !existsSync(join(world.lab.workspace, "moved.txt")));
    mustHaveHeardWhy(world, agent);
    must("the model is told which", agent.model.conversation.join("\n").includes("Accepted: changed.txt, new.txt."));
  }),
};

/** Where one review is shown after the other: the first is rejected, and with the next one the others are accepted; then the same patch is accepted as a whole. */
export const serviceInTurn: Scenario = {
  ...served,
  name: "service-in-turn",
  inServe: true,
  isFor: ({ id }) => id === "serve",
  run: withService(async (world) => {
    const { editor } = world;
    const shown = async (): Promise<string | undefined> => (await editor.openDiffs())[0];
    const agent = await startServed(world);
    await patchThree(world, agent);
    const first = await poll("a review", shown, { timeout: 30_000 });
    await editor.rejectWithReason?.(reason);
    await poll("another review", async () => ![undefined, first].includes(await shown()), { timeout: 30_000 });
    await editor.acceptDiff();
    await agent.waitForScreen(/All done\./u);
    await mustNotBeWritten(world);
    mustHaveHeardWhy(world, agent);
    must("the model is told which", agent.model.conversation.join("\n").includes("Accepted: "));
    await patchThree(world, agent);
    await poll("a review", shown, { timeout: 30_000 });
    await editor.acceptDiff();
    await mustBeWritten(world);
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

/** The editor is loaded anew while the user is asked: the reviews are there again. */
export const serviceReload: Scenario = {
  ...served,
  name: "service-reload",
  isFor: ({ reload }) => reload !== undefined,
  run: withService(async (world) => {
    const agent = await startServed(world, { isOutside: true });
    await patchThree(world, agent);
    await waitForAll(world, agent);
    await world.editor.reload?.();
    await waitForAll(world, agent);
    await mustNotBeWritten(world);
    await world.editor.showDiff(diffTitle(agent, "changed.txt"));
    await world.editor.acceptDiff();
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
