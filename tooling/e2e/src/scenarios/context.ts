import { poll } from "../support/poll.ts";
import { readersToo } from "../agents/index.ts";
import type { Scenario } from "./scenario.ts";
import { startContents } from "./propose.ts";

/** The agent finds the editor and says so itself. */
export const connected: Scenario = {
  name: "connected",
  agents: readersToo,
  run: async (world, id) => {
    const { agent } = await world.startAgent(id);
    const screen = await agent.waitForConnection();
    if (!screen.includes(world.editor.displayName)) throw new Error(`the status does not name the editor:\n${screen}`);
  },
};

/** What the user selects reaches the model. */
export const selection: Scenario = {
  name: "selection",
  agents: readersToo,
  run: async (world, id) => {
    const text = `selected by hand for ${id}`;
    await world.writeFile("selection.txt", startContents.replace("second line", text));
    const { agent, focus } = await world.startAgent(id);
    await agent.waitForConnection();
    await world.editor.openFile("selection.txt");
    await world.editor.selectLine(2);
    await focus();
    const before = agent.model.turnsAsked;
    await agent.ask("Say what I selected");
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 30_000 });
    const request = agent.model.conversation.at(-1) ?? "";
    if (!request.includes(text)) throw new Error(`the model was not told the selection: …${request.slice(0, 3_000)}`);
  },
};
