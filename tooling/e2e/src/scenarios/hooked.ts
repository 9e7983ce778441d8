import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentId } from "@patchbay/core";
import { type Agent, type AgentStart, manageHook } from "../agents/agent.ts";
import { kindOf } from "../agents/index.ts";
import type { Lab } from "../support/lab.ts";
import { pause, poll } from "../support/poll.ts";
import { type Change, diffTitle, waitForDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

/** What all scenarios of hooks have in common. */
export const withHooks: Pick<Scenario, "group"> = { group: "hook" };

/** Where the hooks stand that have a file of their own, below the user's home. */
const hookFiles: Readonly<Partial<Record<AgentId, string>>> = {
  copilot: ".copilot/hooks/patchbay.json",
  codex: ".codex/hooks.json",
  pi: ".pi/agent/extensions/patchbay.js",
  opencode: ".config/opencode/plugin/patchbay.js",
  kilo: ".config/kilo/plugin/patchbay.js",
};

/** Where an agent's hook stands: in its settings, or by itself. */
export function hookFileOf({ home }: Lab, id: AgentId): string {
  return join(home, hookFiles[id] ?? `.${id}/settings.json`);
}

/** Does something with the agent's hook installed, and takes it out again, without a trace in the settings. */
export async function withHook(world: World, id: AgentId, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await manageHook(world.lab, id, "remove");
  }
  const settings = await readFile(hookFileOf(world.lab, id), "utf8").catch(() => "");
  must("nothing of the hook is left in the agent's settings", !settings.includes("patchbay"));
}

/**
 * Starts an agent with its hook in a mode that never asks, and makes it propose a change; `headless`: as its only prompt. Returns when
 * the editor has shown the review for a second, with the file as it was and no question in the terminal.
 */
export async function proposeByHook(
  world: World,
  id: AgentId,
  change: Change,
  { headless = false, mode = kindOf(id).quietModes[0], after = [], isOutside = false }: HookedStart = {},
): Promise<Agent> {
  const kind = kindOf(id);
  const before = await world.readFile(change.file);
  const turns = [...kind.editTurns(join(world.lab.workspace, change.file), change.from, change.to), ...after];
  const start: AgentStart = { isHooked: true, isOutside, ...(mode === undefined ? {} : { mode }) };
  const prompt = `Please change ${change.file} for me`;
  const { agent } = await world.startAgent(id, headless ? { ...start, headless: { prompt, turns } } : start);
  if (!headless) {
    agent.model.play(...turns);
    await agent.ask(prompt);
    // With its first prompt it does much for the first time.
    await agent.waitUntilAsking(agent.terminal);
  }
  await waitForReview(world, agent, change.file);
  mustEqual(change.file, await world.readFile(change.file), before);
  must("the terminal asks nothing", !kind.approval.test(await agent.terminal.screen()));
  await world.editor.showDiff(diffTitle(agent, change.file));
  return agent;
}

export interface HookedStart {
  readonly headless?: boolean;
  readonly isOutside?: boolean;
  readonly mode?: NonNullable<AgentStart["mode"]>;
  /** What the model says after the change. */
  readonly after?: NonNullable<AgentStart["headless"]>["turns"];
}

/** How an agent is started with its hook so that it asks for nothing, or has its plugin answer what it asks. */
export function unasking(id: AgentId): AgentStart {
  const mode = kindOf(id).unasking;
  return { isHooked: true, ...(mode === undefined ? {} : { mode }) };
}

/** Waits for a view that does not close by itself. */
export async function waitForReview(world: World, agent: Agent, file: string): Promise<void> {
  await waitForDiff(world, agent, file);
  await pause(1_000);
  await waitForDiff(world, agent, file);
}

/** Waits until the turn has ended, and gives what the model was told last. */
export async function waitForEnd(agent: Agent): Promise<string> {
  await poll("the end of the turn", async () => /All done\./.test(await agent.terminal.screen()), {
    timeout: 30_000,
    describe: () => agent.terminal.screen(),
  });
  const failure = agent.kind.hookFailure?.exec(await agent.terminal.screen());
  must("the agent understands its hook", failure === undefined || failure === null);
  return agent.model.conversation.at(-1) ?? "";
}
