import { existsSync } from "node:fs";
import { join } from "node:path";
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
    // The editor was there before the agent's first start, of which it hears within seconds.
    const socket = join(world.lab.temporary, "codex-ipc", `ipc-${process.getuid?.()}.sock`);
    await poll("somebody who answers", () => existsSync(socket), { timeout: 15_000 });
    await editor.openFile("ide.txt");
    await editor.selectLine(2);
    await focus();
    await agent.ask("/ide");
    const said = await agent.waitForScreen(/IDE context/);
    must("it finds the editor", !said.includes("could not be enabled"));
    const before = agent.model.turnsAsked;
    await agent.ask("Say what I selected");
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 30_000 });
    const request = agent.model.conversation.at(-1) ?? "";
    must("the model is told the file and the text", request.includes("ide.txt") && request.includes(text));
    must("and no other line", !request.includes("third line"));
  },
};
