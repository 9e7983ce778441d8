import { panelAgents, panelReadersToo } from "../agents/index.ts";
import { poll } from "../support/poll.ts";
import {
  type Change,
  diffTitle,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoDiff,
} from "./propose.ts";
import { type Conversing, inPanel, must, mustEqual, type Scenario, type World } from "./scenario.ts";

const patience = 30_000;

/** Makes the agent propose a change, and returns when the panel asks and the editor shows the view. */
export async function proposeInPanel(world: World, { agent, panel }: Conversing, change: Change): Promise<void> {
  const before = await world.readFile(change.file);
  agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/${change.file}`, change.from, change.to));
  await panel.send(`Please change ${change.file} for me`);
  const asked = await panel.waitForQuestion();
  must(`the question names the file (${asked})`, asked.includes(change.file));
  await waitForDiff(world, agent, change.file);
  mustEqual(change.file, await world.readFile(change.file), before);
}

/** Waits for what follows a verdict: no question, no view, and the end of the turn. */
export async function waitUntilSettled(world: World, { agent, panel }: Conversing, file: string): Promise<void> {
  await panel.waitForNoQuestion();
  await waitForNoDiff(world, agent, file);
  await panel.waitUntilIdle();
}

/** A change is accepted in its diff, and another one in the panel. */
export const panelAccept: Scenario = {
  ...inPanel,
  name: "panel-accept",
  agents: panelReadersToo,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("panel-accept.txt", startContents);
    const talk = await world.converse(id);
    const change = usualChange("panel-accept.txt");
    await proposeInPanel(world, talk, change);
    await editor.showDiff(diffTitle(talk.agent, change.file));
    await editor.acceptDiff();
    const once = startContents.replace("first line", "FIRST line");
    await waitForContents(world, change.file, once);
    await waitUntilSettled(world, talk, change.file);
    await talk.panel.waitForText(/All done\./);

    await proposeInPanel(world, talk, { ...change, from: "second line", to: "SECOND line" });
    await talk.panel.answer("yes");
    await waitForContents(world, change.file, once.replace("second line", "SECOND line"));
    await waitUntilSettled(world, talk, change.file);
  },
};

/** What the user types into a proposal is what is written, wherever it is accepted, and the model is told. */
export const panelAcceptEdited: Scenario = {
  ...inPanel,
  name: "panel-accept-edited",
  agents: panelAgents,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("panel-edited.txt", startContents);
    const talk = await world.converse(id);
    const change = usualChange("panel-edited.txt");
    await proposeInPanel(world, talk, change);
    await editor.showDiff(diffTitle(talk.agent, change.file));
    await editor.typeInDiff(" and more by hand");
    await editor.acceptDiff();
    const once = startContents.replace("first line", "FIRST line and more by hand");
    await waitForContents(world, change.file, once);
    await waitUntilSettled(world, talk, change.file);
    await mustBeTold(talk, /and more by hand/);

    await proposeInPanel(world, talk, { ...change, from: "second line", to: "SECOND line" });
    await editor.showDiff(diffTitle(talk.agent, change.file));
    await editor.typeInDiff(", by me");
    await editor.leaveDiff?.();
    await talk.panel.answer("yes");
    const twice = once.replace("second line", "SECOND line").replace("by hand", "by hand, by me");
    await waitForContents(world, change.file, twice);
    await waitUntilSettled(world, talk, change.file);
    await talk.panel.waitForText(/with changes/);
    await mustBeTold(talk, /by hand, by me/);
  },
};

/** The model knows what the user wrote by the next prompt at the latest: some agents tell it only what it wrote itself. */
async function mustBeTold({ agent, panel }: Conversing, words: RegExp): Promise<void> {
  const before = agent.model.turnsAsked;
  await panel.send("And now say what stands there");
  await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: patience });
  must(`the model is told of ${words}`, words.test(agent.model.conversation.at(before) ?? ""));
  await panel.waitUntilIdle();
}

/** A change is rejected in its diff, and another one in the panel, with a reason: by the answer, or as the next message where that takes none. */
export const panelReject: Scenario = {
  ...inPanel,
  name: "panel-reject",
  agents: panelReadersToo,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("panel-reject.txt", startContents);
    const talk = await world.converse(id);
    const { agent, panel } = talk;
    const change = usualChange("panel-reject.txt");
    await proposeInPanel(world, talk, change);
    await editor.showDiff(diffTitle(agent, change.file));
    await editor.rejectDiff();
    await waitUntilSettled(world, talk, change.file);

    const before = agent.model.turnsAsked;
    await proposeInPanel(world, talk, change);
    await panel.answer("no", "Capitals are too loud");
    const isTold = (): boolean => /Capitals are too loud/.test(agent.model.conversation.slice(before).join("\n"));
    await poll("the model reads the reason", isTold, { timeout: patience });
    await waitUntilSettled(world, talk, change.file);
    mustEqual(change.file, await world.readFile(change.file), startContents);
    // The conversation goes on.
    agent.model.play({ kind: "text", text: "As you wish." });
    await panel.send("Leave it then");
    await panel.waitForText(/As you wish\./);
  },
};
