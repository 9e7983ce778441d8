import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentId } from "@patchbay/core";
import { type Agent, prepareAgent } from "../agents/agent.ts";
import type { EditorDriver, EditorTerminal } from "../editors/editor-driver.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import type { TheiaWorkbench } from "../editors/theia/workbench.ts";
import { pause, poll } from "../support/poll.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoDiff,
} from "./propose.ts";
import { everyAgent, kindOf } from "../agents/index.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** Longer than Theia's own autosave takes, milliseconds. */
const autosaved = 2_500;

function isTheia(editor: EditorDriver): boolean {
  return editor instanceof TheiaDriver;
}

function theiaOf(world: World): TheiaDriver {
  if (world.editor instanceof TheiaDriver) return world.editor;
  throw new Error("this scenario is about Theia");
}

/** In the middle of a review the window is loaded anew: the proposal and what was typed into it come back. */
export const reviewOverReload: Scenario = {
  name: "review-reload",
  agents: everyAgent,
  isFor: isTheia,
  run: async (world, id) => {
    await world.writeFile("kept.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, usualChange("kept.txt"));
    await world.editor.showDiff(diffTitle(agent, "kept.txt"));
    await world.editor.typeInDiff(" typed before the reload");
    // Theia's default autosave would have saved by now: to a proposal it does nothing.
    await pause(autosaved);
    mustEqual("kept.txt", await world.readFile("kept.txt"), startContents);
    await world.editor.reload?.();
    await waitForDiff(world, agent, "kept.txt");
    // Drawn a moment later where a terminal was just moved or loaded again.
    await agent.waitForScreen(agent.kind.approval);
    await world.editor.showDiff(diffTitle(agent, "kept.txt"));
    await world.editor.acceptDiff();
    await waitForContents(world, "kept.txt", changed.replace("FIRST line", "FIRST line typed before the reload"));
    await agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, agent, "kept.txt");
  },
};

/** The window goes away for good in the middle of a review; a new one has the proposal, and the agent has waited. */
export const reviewOverClose: Scenario = {
  name: "review-new-window",
  agents: everyAgent,
  isFor: isTheia,
  run: async (world, id) => {
    const theia = theiaOf(world);
    await world.writeFile("waits.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("waits.txt"));
    await world.editor.showDiff(diffTitle(started.agent, "waits.txt"));
    await world.editor.typeInDiff(" typed and left");
    await pause(1_000);
    await theia.replaceWindow(world.lab.workspace);
    await waitForDiff(world, started.agent, "waits.txt");
    await world.editor.showDiff(diffTitle(started.agent, "waits.txt"));
    await world.editor.acceptDiff();
    await waitForContents(world, "waits.txt", changed.replace("FIRST line", "FIRST line typed and left"));
  },
};

/** Two windows of one backend on two workspaces, an agent in each: neither learns of the other's, nor decides there. */
export const twoWindows: Scenario = {
  name: "windows",
  agents: everyAgent,
  isFor: isTheia,
  run: async (world, id) => {
    const theia = theiaOf(world);
    await world.writeFile("one.txt", startContents.replace("second line", "selected in the first window"));
    const first = await world.startAgent(id);
    await first.agent.waitForConnection();
    const folder = join(world.lab.root, `second-${id}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, "two.txt");
    await writeFile(file, startContents.replace("second line", "selected in the second window"));
    const window = await theia.openWindow(folder);
    let second: Agent | undefined;
    try {
      const terminal = await theia.openTerminalIn(window);
      second = await startIn(terminal, world, id, folder);
      await window.openFile("two.txt");
      await window.selectLine(2);
      await terminal.focus();
      await mustBeTold(second, "selected in the second window", "selected in the first window");
      await world.editor.openFile("one.txt");
      await world.editor.selectLine(2);
      await first.focus();
      await mustBeTold(first.agent, "selected in the first window", "selected in the second window");

      await proposeIn(window, second, file);
      mustEqual("the first window's proposals", (await world.editor.openDiffs()).join(), "");
      await window
        .mainTabs()
        .filter({ hasText: diffTitle(second, "two.txt") })
        .click();
      await window.toolbarItem("Accept").click();
      await poll("the second workspace's file", async () => (await readFile(file, "utf8")).startsWith("FIRST line"), {
        timeout: 15_000,
      });
      await second.waitForScreen(/All done\./);
    } finally {
      second?.dispose();
      await window.page.close();
    }
  },
};

async function startIn(terminal: EditorTerminal, world: World, id: AgentId, folder: string): Promise<Agent> {
  const root = join(world.lab.root, `agent-${id}`);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const agent = await prepareAgent(kindOf(id), { ...world.lab, root, workspace: folder });
  await terminal.type(agent.launcher);
  await terminal.press("Enter");
  await agent.waitUntilReady(terminal);
  await agent.waitForConnection();
  return agent;
}

async function mustBeTold(agent: Agent, text: string, never: string): Promise<void> {
  const before = agent.model.turnsAsked;
  await agent.ask("Say what I selected");
  await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 20_000 });
  const request = agent.model.conversation.at(-1) ?? "";
  must(`the model is told: ${text}`, request.includes(text));
  must(`the model is not told: ${never}`, !request.includes(never));
}

async function proposeIn(window: TheiaWorkbench, agent: Agent, file: string): Promise<void> {
  agent.model.play(...agent.kind.editTurns(file, "first line", "FIRST line"));
  await agent.ask("Please change two.txt for me");
  await agent.waitForApproval();
  await window
    .mainTabs()
    .filter({ hasText: diffTitle(agent, "two.txt") })
    .waitFor({ timeout: 15_000 });
  await pause(1_000);
}
