import { commandLine, manageHook } from "../agents/agent.ts";
import { nodeBinary } from "../prerequisites/components.ts";
import { mustRun } from "../support/processes.ts";
import { withHook } from "./hooked.ts";
import { proposeInPanel, waitUntilSettled } from "./panel-review.ts";
import { diffTitle, startContents, usualChange, waitForContents, waitForDiff } from "./propose.ts";
import { inPanel, must, mustEqual, type Scenario, type World } from "./scenario.ts";
import { inOneAnswer } from "./two-edits.ts";

/** What the user's terminal knows of the turns in this folder. */
async function turnsOf(world: World): Promise<readonly unknown[]> {
  const words = [commandLine, "turns", "--json"];
  const { stdout } = await mustRun(nodeBinary(), words, { cwd: world.lab.workspace, env: { ...world.lab.env } });
  const told: unknown = JSON.parse(stdout);
  return Array.isArray(told) ? told : [told];
}

/** With its extension for terminals in place, everything is asked once all the same: in the conversation; and the turn is listed once. */
export const piPanelOnce: Scenario = {
  ...inPanel,
  name: "panel-once",
  agents: ["pi"],
  run: async (world, id) => {
    const file = "panel-once.txt";
    await world.writeFile(file, startContents);
    await manageHook(world.lab, id, "install");
    await withHook(world, id, async () => {
      const talk = await world.converse(id);
      const { agent, panel } = talk;
      await proposeInPanel(world, talk, usualChange(file));
      mustEqual("reviews", String((await world.editor.openDiffs()).length), "1");
      await panel.answer("yes");
      await waitForContents(world, file, startContents.replace("first line", "FIRST line"));
      await waitUntilSettled(world, talk, file);
      mustEqual("questions", String(await panel.entries("question").count()), "1");
      const turns = (await turnsOf(world)).filter((turn) => JSON.stringify(turn).includes(file));
      mustEqual("turns that changed it", String(turns.length), "1");
      must(
        "nothing of the editor went with the prompt unseen",
        !/open in the user's editor/.test(agent.model.conversation.join()),
      );
    });
  },
};

/** Two changes of one file in one answer: the second review shows the file as the first one leaves it, and both are written. */
export const piPanelTwoEdits: Scenario = {
  ...inPanel,
  name: "panel-two-edits",
  agents: ["pi"],
  run: async (world, id) => {
    const file = "panel-two.txt";
    const path = await world.writeFile(file, startContents);
    const { agent, panel } = await world.converse(id);
    const { kind } = agent;
    const edits = [kind.editTurns(path, "first line", "FIRST line"), kind.editTurns(path, "third line", "THIRD line")];
    agent.model.play(...inOneAnswer(edits));
    await panel.send(`Please change ${file} twice`);
    await panel.waitForQuestion();
    await waitForDiff(world, agent, file);
    await world.editor.showDiff(diffTitle(agent, file));
    await world.editor.typeInDiff(" by hand");
    await world.editor.acceptDiff();
    await panel.waitForQuestion();
    await waitForDiff(world, agent, file);
    mustEqual(file, await world.readFile(file), startContents);
    await world.editor.showDiff(diffTitle(agent, file));
    await world.editor.leaveDiff?.();
    await panel.answer("yes");
    const once = startContents.replace("first line", "FIRST line by hand");
    await waitForContents(world, file, once.replace("third line", "THIRD line"));
    await panel.waitForNoQuestion();
    await panel.waitUntilIdle();
  },
};
