import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentId } from "@patchbay/core";
import { everyHooked, kindOf } from "../agents/index.ts";
import { pause, poll } from "../support/poll.ts";
import { unasking, waitForEnd, withHook, withHooks } from "./hooked.ts";
import { must, type Scenario, type World } from "./scenario.ts";

/** The question about one command. */
const question = /May .+ run/u;

/** Where the user wants to be asked about commands, one is allowed and runs, one is not and the model reads that. */
export const hookCommand: Scenario = {
  ...withHooks,
  name: "hook-command",
  agents: everyHooked,
  inServe: true,
  isFor: ({ answerNotification }) => answerNotification !== undefined,
  mayTell: question,
  run: async (world, id) => {
    await world.writeFile(".patchbay.json", JSON.stringify({ reviews: { commands: { "*": "ask" } } }));
    try {
      await withHook(world, id, async () => {
        await allowed(world, id);
        await refused(world, id);
      });
    } finally {
      await rm(join(world.lab.workspace, ".patchbay.json"));
    }
  },
};

async function allowed(world: World, id: AgentId): Promise<void> {
  const agent = await run(world, id, "allowed.txt");
  // Nothing runs before the answer.
  await pause(1_000);
  must("the command waits", (await world.readFile("allowed.txt").catch(() => undefined)) === undefined);
  const asked = await world.editor.answerNotification?.("Allow");
  must("the question names the command", asked?.includes("allowed.txt") === true);
  await poll("what the command writes", async () => (await world.readFile("allowed.txt").catch(() => "")) === "ran\n", {
    timeout: 30_000,
    describe: () => agent.terminal.screen(),
  });
  await waitForEnd(agent);
}

async function refused(world: World, id: AgentId): Promise<void> {
  const { editor } = world;
  const reason = "not in this folder";
  const agent = await run(world, id, "refused.txt");
  if (editor.rejectCommand === undefined) await editor.answerNotification?.("Reject");
  else await editor.rejectCommand(reason);
  const told = await waitForEnd(agent);
  must("the model is told that the user said no", told.includes("in their editor and rejected it. It was not run"));
  must("the model is told why", editor.rejectCommand === undefined || told.includes(reason));
  must("nothing ran", (await world.readFile("refused.txt").catch(() => undefined)) === undefined);
}

/** Has the agent run a command that writes a file, in a mode in which it asks nobody. */
async function run(world: World, id: AgentId, file: string) {
  const kind = kindOf(id);
  const turns = kind.commandTurns(`echo ran > ${file}`);
  const { agent } = await world.startAgent(id, {
    // It asks about commands as well, and has its plugin answer for the user.
    ...(id === "kilo" ? { isHooked: true } : unasking(id)),
    headless: { prompt: `Please run something for ${file}`, turns },
  });
  return agent;
}
