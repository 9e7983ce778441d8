import { poll } from "../support/poll.ts";
import { must, mustEqual, type Scenario } from "./scenario.ts";
import { diffTitle, propose, waitForContents, waitForDiff } from "./propose.ts";

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

/** The same where a path has what URIs encode, and the file is not open when the agent asks about it first. */
export const diagnosticsOfOddPath: Scenario = {
  name: "diagnostics-odd-path",
  agents: ["claude"],
  isFor: (editor) => editor.countErrors !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    const file = "a b [id] C# 100% größe 文.json";
    const end = "文.json";
    await world.writeFile(file, '{\n  "one": 1,\n  "two": 2\n}\n');
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await editor.openFile(file);
    await started.focus();
    agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/${file}`, '"one": 1,', '"one": 1'));
    await agent.ask("Please change the file with the odd name for me");
    await agent.waitForApproval();
    await waitForDiff(world, agent, end);
    await editor.showDiff(diffTitle(agent, end));
    await editor.acceptDiff();
    await waitForContents(world, file, '{\n  "one": 1\n  "two": 2\n}\n');
    await agent.waitForScreen(/All done\./);
    await editor.openFile(file);
    await poll("the editor's error", async () => ((await editor.countErrors?.()) ?? 0) > 0, { timeout: 30_000 });
    await started.focus();
    const before = agent.model.turnsAsked;
    await agent.ask("Say whether it is fine now");
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 30_000 });
    must("the model is told of the error", /[Ee]xpected comma/.test(agent.model.conversation.join("\n")));
  },
};

/** Names that URIs would encode, each in another way, and one that looks encoded already. */
const oddNames = [
  "plain.json",
  "a b.json",
  "[id].json",
  "c#.json",
  "100%.json",
  "a%20b.json",
  "größe.json",
  "文字.json",
];

/**
 * The same for files that the editor does not have open when they are edited, one after the other: the editor knows no problems of theirs,
 * and says so in time. A late answer would leave its file out, and after three Claude Code would ask no more.
 */
export const diagnosticsOfUnopened: Scenario = {
  name: "diagnostics-unopened",
  agents: ["claude"],
  isFor: (editor) => editor.countErrors !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    const before = '{\n  "one": 1,\n  "two": 2\n}\n';
    const change = { from: '"one": 1,', to: '"one": 1' };
    for (const file of oddNames) await world.writeFile(file, before);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    // In one round: with the next one Claude Code forgets what it knew of files that it edited before (seen, 2.1.328).
    const edits = oddNames.flatMap((file) =>
      agent.kind.editTurns(`${world.lab.workspace}/${file}`, change.from, change.to),
    );
    agent.model.play(...edits);
    await started.focus();
    await agent.ask("Please change all of them for me");
    for (const file of oddNames) {
      await waitForDiff(world, agent, file);
      await editor.showDiff(diffTitle(agent, file));
      await editor.acceptDiff();
      await waitForContents(world, file, before.replace(change.from, change.to));
    }
    await agent.waitForScreen(/All done\./);
    for (const file of oddNames) await editor.openFile(file);
    const count = async (): Promise<number> => (await editor.countErrors?.()) ?? 0;
    await poll("the editor's errors", async () => (await count()) >= oddNames.length, { timeout: 30_000 });
    await started.focus();
    const asked = agent.model.turnsAsked;
    await agent.ask("Say whether they are fine now");
    await poll("the model's request", () => agent.model.turnsAsked > asked, { timeout: 30_000 });
    const told = agent.model.conversation.at(-1)?.split("new-diagnostics").at(-2) ?? "";
    const named = oddNames.filter((file) => told.includes(`${file}:`));
    mustEqual("the files that the model is told of", named.join(" "), oddNames.join(" "));
    mustEqual("errors", String(told.split(/[Ee]xpected comma/).length - 1), String(named.length));
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
