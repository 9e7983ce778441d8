import { everyAgent, readersToo } from "../agents/index.ts";
import { poll } from "../support/poll.ts";
import { mustEqual, must, type Scenario } from "./scenario.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForNoApproval,
  waitForNoDiff,
} from "./propose.ts";

const changed = startContents.replace("first line", "FIRST line");

/** Accepting in the editor makes the agent write the file. */
export const accept: Scenario = {
  name: "accept",
  agents: readersToo,
  run: async (world, id) => {
    await world.writeFile("accept.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("accept.txt"));
    await world.editor.showDiff(diffTitle(started.agent, "accept.txt"));
    await world.editor.acceptDiff();
    await waitForContents(world, "accept.txt", changed);
    await started.agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, started.agent, "accept.txt");
  },
};

/** An accepted text of some megabytes reaches the agent whole: Claude Code gets it in several frames of its WebSocket. */
export const acceptLong: Scenario = {
  name: "accept-long",
  agents: ["claude"],
  isFor: ({ id }) => id === "vscode",
  run: async (world, id) => {
    await world.writeFile("long.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    const to = `FIRST line${"\né, a line of a text that goes on and on".repeat(70_000)}`;
    await propose(world, started, { file: "long.txt", from: "first line", to });
    await world.editor.showDiff(diffTitle(started.agent, "long.txt"));
    await world.editor.acceptDiff();
    const expected = startContents.replace("first line", to);
    await poll("the long text in the file", async () => (await world.readFile("long.txt")) === expected, {
      timeout: 60_000,
      describe: () => started.agent.terminal.screen(),
    });
    await waitForNoDiff(world, started.agent, "long.txt");
  },
};

/** What the user types into the proposal is what the agent writes, and the model is told. */
export const acceptEdited: Scenario = {
  name: "accept-edited",
  agents: everyAgent,
  run: async (world, id) => {
    await world.writeFile("edited.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("edited.txt"));
    await world.editor.showDiff(diffTitle(started.agent, "edited.txt"));
    await world.editor.typeInDiff(" and more by hand");
    await world.editor.acceptDiff();
    await waitForContents(world, "edited.txt", changed.replace("FIRST line", "FIRST line and more by hand"));
    await started.agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, started.agent, "edited.txt");
    // Gemini CLI and Qwen Code tell the model the text, Claude Code only that there was a change.
    const told = /by hand|user modified your proposed changes/.test(started.agent.model.conversation.at(-1) ?? "");
    must("the model is told that the user changed the proposal", told);
  },
};

/** Rejecting in the editor leaves the file alone and ends the agent's question. */
export const reject: Scenario = {
  name: "reject",
  agents: readersToo,
  run: async (world, id) => {
    await world.writeFile("reject.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("reject.txt"));
    await world.editor.showDiff(diffTitle(started.agent, "reject.txt"));
    await world.editor.rejectDiff();
    await waitForNoApproval(started.agent);
    await waitForNoDiff(world, started.agent, "reject.txt");
    mustEqual("reject.txt", await world.readFile("reject.txt"), startContents);
  },
};

/** Deciding in the terminal closes the view, whichever way it goes. */
export const terminal: Scenario = {
  name: "terminal",
  agents: readersToo,
  run: async (world, id) => {
    await world.writeFile("terminal.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, usualChange("terminal.txt"));
    await started.focus();
    await agent.acceptInTerminal();
    await waitForContents(world, "terminal.txt", changed);
    await waitForNoDiff(world, agent, "terminal.txt");
    await agent.waitForScreen(/All done\./);
    await started.focus();
    await propose(world, started, { file: "terminal.txt", from: "third line", to: "THIRD line" });
    await started.focus();
    await agent.rejectInTerminal();
    await waitForNoApproval(agent);
    await waitForNoDiff(world, agent, "terminal.txt");
    mustEqual("terminal.txt", await world.readFile("terminal.txt"), changed);
  },
};

/** The view opens without taking the keys away from the terminal. */
export const focus: Scenario = {
  name: "focus",
  agents: everyAgent,
  run: async (world, id) => {
    await world.writeFile("focus.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    must("the terminal has the focus before", await world.editor.isTerminalFocused());
    await propose(world, started, usualChange("focus.txt"));
    must("the terminal still has the focus", await world.editor.isTerminalFocused());
    // The agent's question is a list: what is typed now must move its marker.
    await agent.terminal.press("Down");
    await agent.waitForScreen(/[●›❯]\s*2\./);
    await agent.terminal.press("Up");
    await agent.waitForScreen(/[●›❯]\s*1\./);
    await agent.acceptInTerminal();
    await waitForContents(world, "focus.txt", changed);
    await waitForNoDiff(world, agent, "focus.txt");
  },
};
