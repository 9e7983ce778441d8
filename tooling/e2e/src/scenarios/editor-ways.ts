import { poll } from "../support/poll.ts";
import { waitUntilHeard } from "./heard.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoApproval,
  waitForNoDiff,
} from "./propose.ts";
import { everyAgent } from "../agents/index.ts";
import { mustEqual, type Scenario } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** Saving the proposal accepts it, with what was typed into it. */
export const save: Scenario = {
  name: "save",
  agents: everyAgent,
  isFor: (editor) => editor.saveDiff !== undefined,
  run: async (world, id) => {
    await world.writeFile("save.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("save.txt"));
    await world.editor.showDiff(diffTitle(started.agent, "save.txt"));
    await world.editor.typeInDiff(" then saved");
    await world.editor.saveDiff?.();
    await waitForContents(world, "save.txt", changed.replace("FIRST line", "FIRST line then saved"));
    await started.agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, started.agent, "save.txt");
  },
};

/** Closing the proposal is a no, never a yes, and ends the agent's question. */
export const close: Scenario = {
  name: "close",
  agents: everyAgent,
  isFor: (editor) => editor.closeDiff !== undefined,
  run: async (world, id) => {
    await world.writeFile("close.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("close.txt"));
    await world.editor.showDiff(diffTitle(started.agent, "close.txt"));
    await world.editor.typeInDiff(" then given up");
    await world.editor.closeDiff?.();
    await waitForNoApproval(started.agent);
    await waitForNoDiff(world, started.agent, "close.txt");
    mustEqual("close.txt", await world.readFile("close.txt"), startContents);
  },
};

/** A byte order mark and Windows line ends outlive an accept in the editor. */
export const bytes: Scenario = {
  name: "bytes",
  agents: everyAgent,
  run: async (world, id) => {
    const contents = `\uFEFF${startContents.replaceAll("\n", "\r\n")}`;
    await world.writeFile("bytes.txt", contents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("bytes.txt"));
    await world.editor.showDiff(diffTitle(started.agent, "bytes.txt"));
    await world.editor.acceptDiff();
    await waitForContents(world, "bytes.txt", contents.replace("first line", "FIRST line"));
    await started.agent.waitForScreen(/All done\./);
  },
};

/** A new file comes to be exactly as it was proposed. */
export const newFile: Scenario = {
  name: "new-file",
  agents: everyAgent,
  run: async (world, id) => {
    const name = `new-${id}.txt`;
    const contents = "one\ntwo\n";
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    agent.model.play(...agent.kind.writeTurns(`${world.lab.workspace}/${name}`, contents));
    await agent.ask("Please make a file");
    await agent.waitForApproval();
    await poll("the proposal's view", async () => (await world.editor.openDiffs()).length === 1, { timeout: 30_000 });
    await world.editor.showDiff(diffTitle(agent, name));
    await world.editor.acceptDiff();
    await poll(`${name} on the disk`, () => world.readFile(name).catch(() => undefined), { timeout: 30_000 });
    await waitForContents(world, name, contents);
    await agent.waitForScreen(/All done\./);
  },
};

/** A file that is written as a whole comes to be exactly as it was proposed, with the line end at its end. */
export const rewrite: Scenario = {
  name: "rewrite",
  // Claude Code drops the last line end of a file that it writes as a whole (docs/protocols/claude.md).
  agents: ["gemini", "qwen"],
  run: async (world, id) => {
    const contents = "one\ntwo\n";
    const path = await world.writeFile("rewrite.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    // An agent that has not read the file may not write it.
    const reading = agent.kind.editTurns(path, "first", "FIRST").slice(0, -1);
    agent.model.play(...reading, ...agent.kind.writeTurns(path, contents));
    await agent.ask("Please write rewrite.txt anew");
    await agent.waitForApproval();
    await waitForDiff(world, agent, "rewrite.txt");
    await world.editor.showDiff(diffTitle(agent, "rewrite.txt"));
    await world.editor.acceptDiff();
    await waitForContents(world, "rewrite.txt", contents);
    await agent.waitForScreen(/All done\./);
  },
};

/** After the window was loaded anew the agent goes on being told what the user does, without anybody reconnecting it. */
export const reload: Scenario = {
  name: "reload",
  agents: everyAgent,
  isFor: (editor) => editor.reload !== undefined,
  run: async (world, id) => {
    const text = `selected after the reload for ${id}`;
    await world.writeFile("reload.txt", startContents.replace("second line", text));
    const { agent, focus } = await world.startAgent(id);
    await agent.waitForConnection();
    const since = (await world.editor.reload?.()) ?? 0;
    // Agents come back some seconds after the window; whoever asks earlier asks without the editor.
    await world.editor.waitForAgent?.(agent.kind.displayName);
    if (world.editor.keepsConnections !== true) await waitUntilHeard(world, id, { since, timeout: 30_000 });
    await world.editor.openFile("reload.txt");
    await world.editor.selectLine(2);
    await focus();
    await agent.waitForScreen(agent.kind.ready);
    const before = agent.model.turnsAsked;
    await agent.ask("Say what I selected");
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 30_000 });
    if (!(agent.model.conversation.at(-1) ?? "").includes(text))
      throw new Error("the model was not told the selection");
  },
};
