import { pause, poll } from "../support/poll.ts";
import {
  diffTitle,
  propose,
  qwenRefused,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoDiff,
  waitUntilTold,
} from "./propose.ts";
import { everyAgent, readersToo } from "../agents/index.ts";
import { must, mustEqual, type Scenario, type StartedAgent } from "./scenario.ts";

const byOther = startContents.replace("third line", "third line by another program");

/** What Qwen Code says instead of writing a file that has changed since it read it; the second where it was replaced by another one. */
const refusal = /has been modified since you last read it|has not been read in this session/u;

/**
 * Another program changes another line of the file while the proposal waits: an accept keeps both. Qwen Code refuses to write
 * then, and its model is told to read the file again: the user is told that nothing was written.
 */
export const staleBase: Scenario = {
  name: "stale-base",
  agents: everyAgent,
  mayTell: qwenRefused,
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
    await waitForRefusal(started);
    mustEqual("stale.txt", await world.readFile("stale.txt"), byOther);
    await waitUntilTold(world, qwenRefused, started.agent);
  },
};

const overwrites = /Not accepted yet: .* has changed since .* made this proposal/u;

/**
 * The same with an agent that writes its own proposal, whatever has become of the file: its user is told, and a second accept lets it.
 */
export const staleBaseForReading: Scenario = {
  name: "stale-base",
  agents: readersToo.filter((id) => !everyAgent.includes(id)),
  mayTell: overwrites,
  run: async (world, id) => {
    const { editor } = world;
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await world.writeFile("stale.txt", startContents);
    await started.focus();
    await propose(world, started, usualChange("stale.txt"));
    await world.writeFile("stale.txt", byOther);
    await editor.showDiff(diffTitle(agent, "stale.txt"));
    await editor.acceptDiff();
    await waitUntilTold(world, overwrites, agent);
    await pause(1_000);
    await waitForDiff(world, agent, "stale.txt");
    mustEqual("stale.txt", await world.readFile("stale.txt"), byOther);
    await editor.showDiff(diffTitle(agent, "stale.txt"));
    await editor.acceptDiff();
    await waitForContents(world, "stale.txt", startContents.replace("first line", "FIRST line"));
    await waitForNoDiff(world, agent, "stale.txt");
  },
};

/**
 * Three agents change three lines of one file, and all are accepted: no line of an agent that wrote is lost. Claude Code comes
 * first, and Qwen Code, which refuses to write what others have changed since it read it, last.
 */
export const threeAccepts: Scenario = {
  name: "three-accepts",
  agents: "all",
  mayTell: qwenRefused,
  run: async (world) => {
    const file = "three.txt";
    await world.writeFile(file, startContents);
    const claude = { started: await world.startAgent("claude"), line: "first line" };
    const gemini = { started: await world.startAgent("gemini"), line: "second line" };
    const qwen = { started: await world.startAgent("qwen"), line: "third line" };
    for (const { started } of [claude, gemini, qwen]) {
      await started.focus();
      await started.agent.waitForConnection();
    }
    for (const { started, line } of [claude, gemini, qwen]) {
      await started.focus();
      await propose(world, started, { file, from: line, to: `${line} by ${started.agent.kind.id}` });
    }
    let wanted = startContents;
    for (const { started, line } of [claude, gemini, qwen]) {
      await waitForDiff(world, started.agent, file);
      await world.editor.showDiff(diffTitle(started.agent, file));
      await world.editor.acceptDiff();
      if (started === qwen.started) break;
      wanted = wanted.replace(line, `${line} by ${started.agent.kind.id}`);
      await waitForContents(world, file, wanted);
    }
    await waitForRefusal(qwen.started);
    mustEqual(file, await world.readFile(file), wanted);
    await waitUntilTold(world, qwenRefused, qwen.started.agent);
  },
};

/**
 * The same by one command: each is rebased on what the one before it made of the file. Qwen Code, which comes last, refuses: that is
 * said, what was accepted stays in the list, and the editor writes it when the user says so.
 */
export const acceptAll: Scenario = {
  name: "accept-all",
  agents: "all",
  mayTell: qwenRefused,
  isFor: (editor) => editor.acceptAll !== undefined && editor.saveUnwritten !== undefined,
  run: async (world) => {
    const { editor } = world;
    const file = "all.txt";
    await world.writeFile(file, startContents);
    const claude = { started: await world.startAgent("claude"), line: "first line" };
    const gemini = { started: await world.startAgent("gemini"), line: "second line" };
    const qwen = { started: await world.startAgent("qwen"), line: "third line" };
    for (const { started } of [claude, gemini, qwen]) {
      await started.focus();
      await started.agent.waitForConnection();
    }
    let wanted = startContents;
    for (const { started, line } of [claude, gemini, qwen]) {
      await started.focus();
      const to = `${line} by ${started.agent.kind.id}`;
      await propose(world, started, { file, from: line, to });
      if (started !== qwen.started) wanted = wanted.replace(line, to);
    }
    await editor.acceptAll?.();
    await waitForContents(world, file, wanted);
    for (const { started } of [claude, gemini, qwen]) await waitForNoDiff(world, started.agent, file);
    await waitForRefusal(qwen.started);
    const said = await editor.saveUnwritten?.(file);
    must("the user is told of Qwen Code's refusal", qwenRefused.test((said ?? "").replace(/\s+/gu, " ")));
    await waitForContents(world, file, wanted.replace(qwen.line, `${qwen.line} by qwen`));
  },
};

async function waitForRefusal({ agent, focus }: StartedAgent): Promise<void> {
  await focus();
  const isRefused = async (): Promise<boolean> => refusal.test((await agent.terminal.screen()).replace(/\s+/gu, " "));
  await poll("Qwen Code's refusal", isRefused, { timeout: 30_000, describe: () => agent.terminal.screen() });
}
