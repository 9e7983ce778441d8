import { everyAgent, panelAgents } from "../agents/index.ts";
import { SpokenAnswer } from "../models/model-server.ts";
import { waitForScreen } from "../terminals/wait-for-screen.ts";
import { pause, poll } from "../support/poll.ts";
import { proposeInPanel, waitUntilSettled } from "./panel-review.ts";
import { diffTitle, startContents, usualChange, waitForContents } from "./propose.ts";
import { inPanel, inPanelOfEditor, inPanelOfWindow, must, mustEqual, type Scenario } from "./scenario.ts";

const patience = 60_000;

/** A reload in the middle of an answer keeps what had come, and what was being written; the conversation goes on. */
export const panelReloadAnswer: Scenario = {
  ...inPanelOfWindow,
  name: "panel-reload-answer",
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
    await world.editor.reload?.();
    await panel.waitUntilReady();
    await panel.waitForText(/Once upon a time there was/);
    await panel.waitForText(/I will remember the word sesame/);
    await poll("the draft", async () => (await panel.composer.inputValue()) === "A draft that nobody sent", {
      timeout: patience,
      describe: () => panel.composer.inputValue(),
    });
    answer.end();
    must("nothing goes on", !(await panel.isBusy()));
    mustEqual("prompts", String(await panel.entries("prompt").count()), "2");

    const before = agent.model.turnsAsked;
    agent.model.play({ kind: "text", text: "The word was sesame." });
    await panel.composer.press("Enter");
    await panel.waitForText(/The word was sesame/);
    const request = agent.model.conversation.at(before) ?? "";
    const remembers = request.includes("Remember the word sesame");
    // One agent loses a session that is loaded in the minute of its beginning: then it starts over, and the panel says so.
    if (!remembers) {
      mustEqual("who forgets", id, "gemini");
      await panel.waitForText(/does not remember what/);
    }
  },
};

/** A reload in the middle of a question: it is over, nothing was written, and the same can be asked again. */
export const panelReloadQuestion: Scenario = {
  ...inPanelOfWindow,
  name: "panel-reload-question",
  agents: panelAgents,
  run: async (world, id) => {
    await world.writeFile("panel-reload.txt", startContents);
    const talk = await world.converse(id);
    const { agent, panel } = talk;
    const change = usualChange("panel-reload.txt");
    await proposeInPanel(world, talk, change);
    await world.editor.reload?.();
    await panel.waitUntilReady();
    await panel.waitForText(/Please change panel-reload\.txt for me/);
    await panel.waitForNoQuestion();
    mustEqual(change.file, await world.readFile(change.file), startContents);
    await poll("no view of what nobody asks any more", async () => (await world.editor.openDiffs()).length === 0, {
      timeout: patience,
      describe: async () => (await world.editor.openDiffs()).join(" | "),
    });

    await proposeInPanel(world, talk, change);
    await world.editor.showDiff(diffTitle(agent, change.file));
    await world.editor.acceptDiff();
    await waitForContents(world, change.file, startContents.replace("first line", "FIRST line"));
    await waitUntilSettled(world, talk, change.file);
  },
};

/** A conversation that was left is found in the list, and goes on where it was; a deleted one is gone. */
export const panelResume: Scenario = {
  ...inPanel,
  name: "panel-resume",
  agents: panelAgents,
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    const name = agent.kind.displayName;
    agent.model.play({ kind: "text", text: "Noted: walnut." });
    await panel.send("Keep the word walnut");
    await panel.waitForText(/Noted: walnut/);
    await panel.waitUntilIdle();
    await panel.begin(name);
    agent.model.play({ kind: "text", text: "Another conversation." });
    await panel.send("This is another one");
    await panel.waitForText(/Another conversation\./);
    await panel.open(/Keep the word walnut/);
    await panel.waitForText(/Noted: walnut/);
    const before = agent.model.turnsAsked;
    agent.model.play({ kind: "text", text: "It was walnut." });
    await panel.send("Which word was it");
    await panel.waitForText(/It was walnut/);
    must(
      "the model reads what was said before",
      (agent.model.conversation.at(before) ?? "").includes("Keep the word walnut"),
    );
    must("and nothing of the other one", !(agent.model.conversation.at(before) ?? "").includes("This is another one"));
  },
};

/** The same conversation goes on in a terminal, where the agent remembers what was said in the panel. */
export const panelTerminal: Scenario = {
  ...inPanelOfEditor,
  name: "panel-terminal",
  agents: panelAgents,
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    agent.model.play({ kind: "text", text: "Noted: chestnut." });
    await panel.send("Keep the word chestnut");
    await panel.waitForText(/Noted: chestnut/);
    await panel.waitUntilIdle();
    await panel.act("Continue in a terminal");
    const terminal = await world.editor.takeTerminal?.();
    if (terminal === undefined) throw new Error("there is no terminal");
    await waitForScreen(terminal, agent.kind.ready, patience);
    await waitForScreen(terminal, /chestnut/, patience);
    // While it still draws what was said, an agent may drop what is typed.
    let seen = "";
    const standsStill = async (): Promise<boolean> => seen === (seen = await terminal.screen());
    await poll("a terminal that stands still", standsStill, { timeout: patience, interval: 1_000 });
    await terminal.focus();
    const before = agent.model.turnsAsked;
    agent.model.play({ kind: "text", text: "It was chestnut, was it not" });
    await terminal.type("Which word was it");
    await waitForScreen(terminal, /Which word was it/, patience);
    // Agents take an Enter that follows other keys within some 40 ms for a pasted line break.
    await pause(200);
    await terminal.press("Enter");
    await waitForScreen(terminal, /It was chestnut, was it not/, patience);
    must("the model reads what was said before", (agent.model.conversation.at(before) ?? "").includes("Keep the word"));
  },
};

/** A fork remembers what was before it, and leaves the conversation that it comes from as it is. */
export const panelFork: Scenario = {
  ...inPanel,
  name: "panel-fork",
  agents: ["claude"],
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    for (const word of ["almond", "pecan"]) {
      agent.model.play({ kind: "text", text: `Noted: ${word}.` });
      await panel.send(`Keep the word ${word}`);
      await panel.waitForText(new RegExp(`Noted: ${word}`));
      await panel.waitUntilIdle();
    }
    await panel.actOnPrompt(1, "Fork from here");
    await poll("the prompt to be written in other words", async () => /pecan/.test(await panel.composer.inputValue()), {
      timeout: patience,
    });
    await panel.composer.fill("");
    await poll("a conversation without what came after", async () => (await panel.entries("prompt").count()) === 1, {
      timeout: patience,
      describe: () => panel.text(),
    });
    const before = agent.model.turnsAsked;
    agent.model.play({ kind: "text", text: "Forked." });
    await panel.send("Which words do you know");
    await panel.waitForText(/Forked\./);
    const request = agent.model.conversation.at(before) ?? "";
    must("the model reads what was before", request.includes("Keep the word almond"));
    must("and nothing of what came after", !request.includes("Keep the word pecan"));
    const rows = await panel.list();
    must(`both are listed (${rows.join(" | ")})`, rows.filter((row) => row.includes("almond")).length >= 2);
  },
};

/** The files go back to how they were before a prompt. */
export const panelRewind: Scenario = {
  ...inPanel,
  name: "panel-rewind",
  agents: ["claude"],
  run: async (world, id) => {
    await world.writeFile("panel-rewind.txt", startContents);
    const talk = await world.converse(id);
    const { panel } = talk;
    await panel.send("Hello first");
    await panel.waitForText(/All done\./);
    await proposeInPanel(world, talk, usualChange("panel-rewind.txt"));
    await panel.answer("yes");
    await waitForContents(world, "panel-rewind.txt", startContents.replace("first line", "FIRST line"));
    await waitUntilSettled(world, talk, "panel-rewind.txt");
    await panel.actOnPrompt(1, "Restore files to this point");
    await panel.waitForText(/Restore these files to how they were before this message/);
    await panel.waitForText(/panel-rewind\.txt/);
    await panel.button("Restore").click();
    await waitForContents(world, "panel-rewind.txt", startContents);
  },
};

/** Three agents propose changes to one file in conversations of their own; no verdict touches another's proposal. */
export const panelTogether: Scenario = {
  ...inPanel,
  name: "panel-together",
  agents: "all",
  // Of conversations that nobody looks at.
  mayTell: /has finished: |is waiting for your answer: /,
  run: async (world) => {
    const { editor } = world;
    const file = "panel-shared.txt";
    await world.writeFile(file, startContents);
    // The panel looks once for what is installed.
    for (const id of everyAgent) await world.preparePanel(id);
    const lines = new Map([
      ["gemini", "first line"],
      ["qwen", "second line"],
      ["claude", "third line"],
    ] as const);
    const talks = new Map<string, Awaited<ReturnType<typeof world.converse>>>();
    for (const [id, line] of lines) {
      const talk = await world.converse(id);
      talks.set(id, talk);
      await proposeInPanel(world, talk, { file, from: line, to: `${line} by ${id}` });
    }
    const [gemini, qwen, claude] = ["gemini", "qwen", "claude"].map((id) => talks.get(id));
    if (gemini === undefined || qwen === undefined || claude === undefined) throw new Error("an agent is missing");
    const { panel } = claude;
    mustEqual("proposals", String((await editor.openDiffs()).length), "3");
    const waiting = (await panel.list()).filter((row) => row.includes("Waiting"));
    mustEqual("conversations that wait", String(waiting.length), "3");

    const afterQwen = startContents.replace("second line", "second line by qwen");
    await editor.showDiff(diffTitle(qwen.agent, file));
    await editor.acceptDiff();
    await waitForContents(world, file, afterQwen);
    await poll("two proposals", async () => (await editor.openDiffs()).length === 2, { timeout: patience });
    await panel.waitForQuestion();

    await editor.showDiff(diffTitle(gemini.agent, file));
    await editor.rejectDiff();
    await poll("one proposal", async () => (await editor.openDiffs()).length === 1, { timeout: patience });
    await panel.answer("yes");
    await waitForContents(world, file, afterQwen.replace("third line", "third line by claude"));
    await poll("no proposal", async () => (await editor.openDiffs()).length === 0, { timeout: patience });
  },
};
