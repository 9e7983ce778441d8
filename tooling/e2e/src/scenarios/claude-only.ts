import { poll } from "../support/poll.ts";
import type { Scenario } from "./scenario.ts";
import { diffTitle, propose, waitForContents } from "./propose.ts";

/** After an edit the agent learns of the problems it caused. */
export const diagnostics: Scenario = {
  name: "diagnostics",
  agents: ["claude"],
  isFor: (editor) => editor.countErrors !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("data.json", '{\n  "one": 1,\n  "two": 2\n}\n');
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await editor.openFile("data.json");
    await started.focus();
    await propose(world, started, { file: "data.json", from: '"one": 1,', to: '"one": 1' });
    await editor.showDiff(diffTitle(agent, "data.json"));
    await editor.acceptDiff();
    await waitForContents(world, "data.json", '{\n  "one": 1\n  "two": 2\n}\n');
    await agent.waitForScreen(/All done\./);
    await editor.openFile("data.json");
    await poll("the editor's error", async () => ((await editor.countErrors?.()) ?? 0) > 0, { timeout: 30_000 });
    await started.focus();
    const before = agent.model.turnsAsked;
    await agent.ask("Say whether it is fine now");
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 30_000 });
    const requests = agent.model.conversation.join("\n");
    if (!/[Ee]xpected comma/.test(requests)) throw new Error("the model was not told of the error");
  },
};

/** A command puts the selected lines into the agent's prompt. */
export const mention: Scenario = {
  name: "mention",
  agents: ["claude"],
  run: async (world, id) => {
    await world.writeFile("mention.txt", "first line\nsecond line\nthird line\n");
    const { agent } = await world.startAgent(id);
    await agent.waitForConnection();
    await world.editor.openFile("mention.txt");
    await world.editor.selectLine(2);
    await world.editor.sendSelection();
    await agent.waitForScreen(/@mention\.txt#L2/);
  },
};
