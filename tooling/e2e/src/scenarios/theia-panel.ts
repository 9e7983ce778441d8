import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { panelAgents } from "../agents/index.ts";
import type { EditorDriver } from "../editors/editor-driver.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { SpokenAnswer } from "../models/model-server.ts";
import { pause } from "../support/poll.ts";
import { proposeInPanel, waitUntilSettled } from "./panel-review.ts";
import { diffTitle, startContents, usualChange, waitForContents, waitForDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

/** Within this a draft is kept, ms. */
const draftMs = 600;

function isTheia(editor: EditorDriver): boolean {
  return editor instanceof TheiaDriver;
}

function theiaOf(world: World): TheiaDriver {
  if (world.editor instanceof TheiaDriver) return world.editor;
  throw new Error("this scenario is about Theia");
}

/** Where conversations go on without the window. */
const keptConversations: Pick<Scenario, "group" | "isFor" | "inPage"> = {
  group: "panel",
  inPage: true,
  isFor: (editor) => editor.keepsConversations === true && editor.restartHost !== undefined,
};

/** The window is loaded anew in the middle of an answer and of a question: neither is interrupted, and the draft is there. */
export const panelOverReload: Scenario = {
  name: "panel-over-reload",
  ...keptConversations,
  agents: panelAgents,
  run: async (world, id) => {
    await world.writeFile("panel-over.txt", startContents);
    const talk = await world.converse(id);
    const { agent, panel } = talk;
    const answer = new SpokenAnswer();
    agent.model.play(answer.turn);
    await panel.send("Tell a long story");
    answer.say("Once upon a time there was ");
    await panel.waitForText(/Once upon a time there was/);
    await panel.write("A draft that nobody sent");
    await pause(draftMs);
    await world.editor.reload?.();
    await panel.waitUntilReady();
    await panel.waitForText(/Once upon a time there was/);
    must("the turn goes on", await panel.isBusy());
    mustEqual("the draft", await panel.composer.inputValue(), "A draft that nobody sent");
    answer.say("a window that was loaded anew.");
    answer.end();
    await panel.waitForText(/a window that was loaded anew/);
    await panel.waitUntilIdle();
    mustEqual("requests", String(agent.model.turnsAsked), "1");
    await panel.composer.fill("");

    const change = usualChange("panel-over.txt");
    await proposeInPanel(world, talk, change);
    await world.editor.showDiff(diffTitle(agent, change.file));
    await world.editor.typeInDiff(" over a reload");
    await world.editor.reload?.();
    // A page shows the review again, with what was typed.
    await world.editor.leaveDiff?.();
    await panel.waitUntilReady();
    must("it still asks", (await panel.waitForQuestion()).includes(change.file));
    await waitForDiff(world, agent, change.file);
    mustEqual(change.file, await world.readFile(change.file), startContents);
    await world.editor.showDiff(diffTitle(agent, change.file));
    await world.editor.acceptDiff();
    await waitForContents(world, change.file, startContents.replace("first line", "FIRST line over a reload"));
    await waitUntilSettled(world, talk, change.file);
    await panel.waitForText(/All done\./);
  },
};

/** Two windows show one conversation; an answer in one settles the question in both. A window on another folder shows nothing of it. */
export const panelTwoWindows: Scenario = {
  name: "panel-two-windows",
  group: "panel",
  agents: panelAgents,
  isFor: isTheia,
  run: async (world, id) => {
    const theia = theiaOf(world);
    const { agent, panel } = await world.converse(id);
    const answer = new SpokenAnswer();
    agent.model.play(answer.turn);
    await panel.send("Say something to both");
    answer.say("To both ");
    await panel.waitForText(/To both/);
    const elsewhere = join(world.lab.root, "another-folder");
    await mkdir(elsewhere, { recursive: true });
    const other = await theia.openWindow(world.lab.workspace);
    const apart = await theia.openWindow(elsewhere);
    try {
      const second = await theia.openPanelIn(other);
      await second.open(/Say something to both/);
      await second.waitForText(/To both/);
      answer.say("windows.");
      answer.end();
      await Promise.all([panel.waitForText(/To both windows/), second.waitForText(/To both windows/)]);
      await panel.waitUntilIdle();

      await world.writeFile("panel-windows.txt", "");
      const command = `echo "once" >> panel-windows.txt`;
      agent.model.play(...agent.kind.commandTurns(command), { kind: "text", text: "It has run." });
      await second.send("Run it");
      await panel.waitForQuestion();
      await second.answer("yes");
      await panel.waitForNoQuestion();
      await panel.waitForText(/It has run\./);
      mustEqual("the file", await world.readFile("panel-windows.txt"), "once\n");

      const stranger = await theia.openPanelIn(apart);
      must("another folder has no conversation", !(await stranger.text()).includes("Say something to both"));
      mustEqual("its list", String(await stranger.frame.locator(".row").count()), "0");
    } finally {
      await other.page.close();
      await apart.page.close();
    }
  },
};

/** The backend ends in the middle of an answer and comes back: what was said and the draft are there, and the agent remembers. */
export const panelOverRestart: Scenario = {
  name: "panel-over-restart",
  ...keptConversations,
  agents: panelAgents,
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    agent.model.play({ kind: "text", text: "I will remember the word sesame." });
    await panel.send("Remember the word sesame");
    await panel.waitForText(/I will remember/);
    await panel.waitUntilIdle();
    const answer = new SpokenAnswer();
    agent.model.play(answer.turn);
    await panel.send("Tell a long story");
    answer.say("Once upon a time there was ");
    await panel.waitForText(/Once upon a time there was/);
    await panel.write("A draft that nobody sent");
    await pause(draftMs);
    await world.editor.restartHost?.(world.lab);
    await panel.waitUntilReady();
    await panel.waitForText(/Once upon a time there was/);
    await panel.waitForText(/I will remember the word sesame/);
    answer.end();
    await panel.waitUntilIdle();
    mustEqual("the draft", await panel.composer.inputValue(), "A draft that nobody sent");
    mustEqual("prompts", String(await panel.entries("prompt").count()), "2");

    const before = agent.model.turnsAsked;
    agent.model.play({ kind: "text", text: "The word was sesame." });
    await panel.composer.press("Enter");
    await panel.waitForText(/The word was sesame/);
    const request = agent.model.conversation.at(before) ?? "";
    // One agent loses a session that is loaded in the minute of its beginning: then it starts over, and the panel says so.
    if (request.includes("Remember the word sesame")) return;
    mustEqual("who forgets", id, "gemini");
    await panel.waitForText(/does not remember what/);
  },
};
