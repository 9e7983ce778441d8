import { poll } from "../support/poll.ts";
import { startContents } from "./propose.ts";
import { must, type Scenario } from "./scenario.ts";

/** Codex asks once for each prompt what is open, after its user has typed `/ide`, and its model reads what is selected. No hook is there. */
export const codexIde: Scenario = {
  name: "ide-question",
  agents: ["codex"],
  isFor: ({ id }) => id !== "serve",
  run: async (world, id) => {
    const { editor } = world;
    const text = `selected by hand for ${id}`;
    await world.writeFile("ide.txt", startContents.replace("second line", text));
    const { agent, focus } = await world.startAgent(id);
    // The editor was there before the agent's first start, and looks for it when its user comes to a file.
    await editor.openFile("ide.txt");
    await editor.selectLine(2);
    await focus();
    await agent.ask("/ide");
    await agent.waitForScreen(/IDE context/);
    const before = agent.model.turnsAsked;
    await agent.ask("Say what I selected");
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 30_000 });
    const request = agent.model.conversation.at(-1) ?? "";
    must("the model is told the file and the text", request.includes("ide.txt") && request.includes(text));
    must("and no other line", !request.includes("third line"));
  },
};
