import { poll } from "../support/poll.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents, waitForDiff } from "./propose.ts";
import { everyAgent, mustEqual, type Scenario } from "./scenario.ts";

const byOther = startContents.replace("third line", "third line by another program");

/** What Qwen Code says instead of writing a file that has changed since it read it. */
const refusal = /has been modified since you last read it/u;

/**
 * Another program changes another line of the file while the proposal waits: an accept keeps both. Qwen Code refuses to write
 * then, and its model is told to read the file again: the user is told that nothing was written.
 */
export const staleBase: Scenario = {
  name: "stale-base",
  agents: everyAgent,
  mayTell: /^Qwen Code has not written the change you accepted/u,
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
    if (id !== "qwen") {
      await waitForContents(world, "stale.txt", byOther.replace("first line", "FIRST line"));
      return;
    }
    await started.focus();
    await poll(
      "Qwen Code's refusal",
      async () => refusal.test((await started.agent.terminal.screen()).replace(/\s+/gu, " ")),
      {
        timeout: 30_000,
        describe: () => started.agent.terminal.screen(),
      },
    );
    mustEqual("stale.txt", await world.readFile("stale.txt"), byOther);
  },
};

/** Three agents change three lines of one file, and all are accepted: all three lines are there. */
export const threeAccepts: Scenario = {
  name: "three-accepts",
  agents: "all",
  run: async (world) => {
    const file = "three.txt";
    // Claude Code makes an edit only where three lines before and after it are as it knew them.
    const contents = Array.from({ length: 11 }, (_, index) => `line ${index + 1}.\n`).join("");
    await world.writeFile(file, contents);
    // Qwen Code comes first: it writes only what nobody has changed since it read it.
    const agents = [
      { started: await world.startAgent("qwen"), line: "line 11." },
      { started: await world.startAgent("gemini"), line: "line 1." },
      { started: await world.startAgent("claude"), line: "line 6." },
    ];
    for (const { started } of agents) {
      await started.focus();
      await started.agent.waitForConnection();
    }
    for (const { started, line } of agents) {
      await started.focus();
      await propose(world, started, { file, from: line, to: `${line} by ${started.agent.kind.id}` });
    }
    let wanted = contents;
    for (const { started, line } of agents) {
      await waitForDiff(world, started.agent, file);
      await world.editor.showDiff(diffTitle(started.agent, file));
      await world.editor.acceptDiff();
      wanted = wanted.replace(line, `${line} by ${started.agent.kind.id}`);
      await waitForContents(world, file, wanted);
    }
  },
};
