import { contextAgents } from "../agents/index.ts";
import { poll } from "../support/poll.ts";
import { startContents } from "./propose.ts";
import { must, type Scenario, type StartedAgent, type World } from "./scenario.ts";

/** What such an agent shows below its prompt once the editor has told it of a line. */
const label = (file: string, line: number): RegExp =>
  new RegExp(`(?<![@\\w])${file.replace(".", "\\.")}#${line}\\b`, "u");

/** Selects a line, and waits until the agent shows that it knows. */
async function selectSecondLine(world: World, { agent, focus }: StartedAgent, file: string): Promise<void> {
  await world.editor.openFile(file);
  await world.editor.selectLine(2);
  await focus();
  await agent.waitForScreen(label(file, 2), 60_000);
}

/** Asks, and gives what the model was asked. */
async function requestOf({ agent }: StartedAgent, prompt: string): Promise<string> {
  const before = agent.model.turnsAsked;
  await agent.ask(prompt);
  // Its first request comes after much else that it does for the first time.
  await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 60_000 });
  return agent.model.conversation.at(-1) ?? "";
}

/** An agent that wants no more than to know what is open: its name in the editor, the selection with its line, a mention. */
export const context: Scenario = {
  name: "context",
  agents: contextAgents,
  run: async (world, id) => {
    const { editor } = world;
    const text = `selected by hand for ${id}`;
    await world.writeFile("context.txt", startContents.replace("second line", text));
    const started = await world.startAgent(id);
    await editor.waitForAgent?.(started.agent.kind.displayName);
    await selectSecondLine(world, started, "context.txt");
    const request = await requestOf(started, "Say what I selected");
    must("the model is told the line that is selected", /selected #2 from [^`]*context\.txt/u.test(request));
    must("the model is told its text, and no other line", request.includes(text) && !request.includes("third line"));
    await editor.openFile("context.txt");
    await editor.selectLine(3);
    await editor.sendSelection();
    await started.focus();
    await started.agent.waitForScreen(/@context\.txt#3\b/u, 30_000);
    const mentioned = await requestOf(started, "Say what I mentioned");
    must("the mentioned line is attached", /3: third line/u.test(mentioned));
  },
};

/** The window is started anew, and the agent finds it by itself. */
export const contextReload: Scenario = {
  name: "context-reload",
  agents: contextAgents,
  isFor: (editor) => editor.reload !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("before.txt", startContents);
    await world.writeFile("after.txt", startContents);
    const started = await world.startAgent(id);
    await selectSecondLine(world, started, "before.txt");
    await editor.reload?.();
    await editor.waitForAgent?.(started.agent.kind.displayName);
    await selectSecondLine(world, started, "after.txt");
  },
};

/** In one terminal of the editor, one after the other: both connect, and both models are told what is selected. */
export const contextAfterClaude: Scenario = {
  name: "context-after-claude",
  agents: contextAgents,
  beside: ["claude"],
  run: async (world, id) => {
    await world.writeFile("after-claude.txt", startContents.replace("second line", "selected for both"));
    const claude = await world.startAgent("claude");
    await claude.agent.waitForConnection();
    await world.editor.openFile("after-claude.txt");
    await world.editor.selectLine(2);
    await claude.focus();
    must("Claude's model is told", (await requestOf(claude, "Say what I selected")).includes("selected for both"));
    await claude.agent.waitForScreen(/All done\./u);
    await claude.agent.ask("/exit");
    await claude.agent.waitForScreen(/[$#]\s*$/u);
    const started = await world.startAgent(id, {}, claude);
    await selectSecondLine(world, started, "after-claude.txt");
    must("the other's model is told", (await requestOf(started, "Say what I selected")).includes("selected for both"));
  },
};

/** In terminals with the same variables Claude Code connects, and such an agent does. */
export const contextBesideClaude: Scenario = {
  name: "context-beside-claude",
  agents: contextAgents,
  beside: ["claude"],
  run: async (world, id) => {
    await world.writeFile("beside.txt", startContents.replace("second line", "selected for both"));
    const claude = await world.startAgent("claude");
    await claude.agent.waitForConnection();
    const started = await world.startAgent(id);
    await selectSecondLine(world, started, "beside.txt");
    must("both models are told", (await requestOf(started, "Say what I selected")).includes("selected for both"));
    await claude.focus();
    must("both models are told", (await requestOf(claude, "Say what I selected")).includes("selected for both"));
  },
};
