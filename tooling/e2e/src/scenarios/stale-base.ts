import { poll } from "../support/poll.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents, waitForDiff } from "./propose.ts";
import { everyAgent, type Scenario } from "./scenario.ts";

const byOther = startContents.replace("third line", "third line by another program");

/** Another program changes another line of the file while the proposal waits: an accept keeps both. */
export const staleBase: Scenario = {
  name: "stale-base",
  agents: everyAgent,
  run: async (world, id) => {
    const { editor } = world;
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await world.writeFile("stale.txt", startContents);
    await started.focus();
    await propose(world, started, usualChange("stale.txt"));
    await world.writeFile("stale.txt", byOther);
    await poll(
      "the change in the review",
      async () => {
        await editor.showDiff(diffTitle(started.agent, "stale.txt"));
        return (await editor.diffText?.())?.includes("third line by another program") ?? true;
      },
      { timeout: 10_000 },
    );
    await editor.acceptDiff();
    await waitForContents(world, "stale.txt", byOther.replace("first line", "FIRST line"));
  },
};

/** Three agents change three lines of one file, and all are accepted: all three lines are there. */
export const threeAccepts: Scenario = {
  name: "three-accepts",
  agents: "all",
  run: async (world) => {
    const file = "three.txt";
    await world.writeFile(file, startContents);
    const agents = [
      { started: await world.startAgent("gemini"), line: "first line" },
      { started: await world.startAgent("claude"), line: "second line" },
      { started: await world.startAgent("qwen"), line: "third line" },
    ];
    for (const { started } of agents) {
      await started.focus();
      await started.agent.waitForConnection();
    }
    for (const { started, line } of agents) {
      await started.focus();
      await propose(world, started, { file, from: line, to: `${line} by ${started.agent.kind.id}` });
    }
    let wanted = startContents;
    for (const { started, line } of agents) {
      await waitForDiff(world, started.agent, file);
      await world.editor.showDiff(diffTitle(started.agent, file));
      await world.editor.acceptDiff();
      wanted = wanted.replace(line, `${line} by ${started.agent.kind.id}`);
      await waitForContents(world, file, wanted);
    }
  },
};
