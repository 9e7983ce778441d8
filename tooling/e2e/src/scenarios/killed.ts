import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentId } from "@patchbay/core";
import { pause } from "../support/poll.ts";
import { killTree } from "../support/processes.ts";
import { waitUntilHeard } from "./heard.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoDiff,
} from "./propose.ts";
import { everyAgent } from "../agents/index.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** How long after its agent was killed an untouched proposal may still be shown, milliseconds; the look itself takes some. */
const goneWithin = 2_500;

/** Ends an agent as the system does when memory runs out. */
export async function killAgent({ lab }: World, id: AgentId): Promise<number> {
  await killTree(Number(await readFile(join(lab.root, `pid-${id}`), "utf8")));
  return Date.now();
}

/** An agent that was killed waits for nothing: its proposal goes, and what the user typed into one can be saved. */
export const agentKilled: Scenario = {
  name: "agent-killed",
  agents: everyAgent,
  isFor: (editor) => editor.saveKept !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("untouched.txt", startContents);
    await world.writeFile("edited.txt", startContents);
    const first = await world.startAgent(id);
    await first.agent.waitForConnection();
    await propose(world, first, usualChange("untouched.txt"));
    const killedAt = await killAgent(world, id);
    await waitForNoDiff(world, first.agent, "untouched.txt");
    const took = Date.now() - killedAt;
    world.note("the proposal of a killed agent is gone after", took);
    must(`it is gone within ${goneWithin} ms (${took})`, took <= goneWithin);

    const second = await world.startAgent(id);
    await second.agent.waitForConnection();
    await propose(world, second, usualChange("edited.txt"));
    await editor.showDiff(diffTitle(second.agent, "edited.txt"));
    await editor.typeInDiff(" typed before the end");
    await pause(700);
    await killAgent(world, id);
    await editor.saveKept?.();
    await waitForContents(world, "edited.txt", changed.replace("FIRST line", "FIRST line typed before the end"));
    await waitForNoDiff(world, second.agent, "edited.txt");
    mustEqual("untouched.txt", await world.readFile("untouched.txt"), startContents);
  },
};

/** The process in which Patchbay runs is killed in the middle of a review: the agent waits for the next one, and goes on with it. */
export const hostKilled: Scenario = {
  name: "host-killed",
  agents: ["gemini", "qwen"],
  isFor: (editor) => editor.killHost !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("survives.txt", startContents);
    // With Theia's backend its terminals end.
    const started = await world.startAgent(id, { isOutside: editor.id === "theia" });
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, usualChange("survives.txt"));
    await editor.showDiff(diffTitle(agent, "survives.txt"));
    await editor.typeInDiff(" typed before the end");
    // From a second after the proposal on something stands by.
    await pause(1_500);
    const killedAt = Date.now();
    await editor.killHost?.();
    const heardAt = await waitUntilHeard(world, id, { since: killedAt, timeout: 20_000 });
    world.note("the agent hears again after", heardAt - killedAt);
    await waitForDiff(world, agent, "survives.txt");
    await editor.showDiff(diffTitle(agent, "survives.txt"));
    // Drawn a moment later where a terminal was just moved or loaded again.
    await agent.waitForScreen(agent.kind.approval);
    await editor.acceptDiff();
    await waitForContents(world, "survives.txt", changed.replace("FIRST line", "FIRST line typed before the end"));
    await agent.waitForScreen(/All done\./);
  },
};
