import type { AgentId } from "@patchbay/core";
import { everyAgent } from "../agents/index.ts";
import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { pause, poll } from "../support/poll.ts";
import { diffTitle, propose, waitForContents, waitForDiff, waitForNoApproval, waitForNoDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type StartedAgent, type World } from "./scenario.ts";

const patience = 30_000;

const lines = ["line 1", "line 2", "line 3", "line 4", "line 5", "line 6", "line 7", "line 8", "line 9"];
const before = `${lines.join("\n")}\n`;

/** The file with some of its lines proposed anew: 2, 5 and 8 are. */
function withLines(...changed: readonly number[]): string {
  return `${lines.map((line, at) => (changed.includes(at + 1) ? line.toUpperCase() : line)).join("\n")}\n`;
}

interface HunkReview {
  readonly editor: VsCodeDriver;
  readonly started: StartedAgent;
}

/** A proposal of three hunks, in front. */
async function proposeHunks(world: World, id: AgentId, file: string): Promise<HunkReview> {
  if (!(world.editor instanceof VsCodeDriver)) throw new Error("this scenario is about VS Code");
  await world.writeFile(file, before);
  const started = await world.startAgent(id);
  await started.agent.waitForConnection();
  const part = (all: string): string => all.split("\n").slice(1, 8).join("\n");
  await propose(world, started, { file, from: part(before), to: part(withLines(2, 5, 8)) });
  await world.editor.showDiff(diffTitle(started.agent, file));
  return { editor: world.editor, started };
}

/** The left side takes an accepted hunk over. */
async function waitForLeft(editor: VsCodeDriver, line: string): Promise<void> {
  const left = editor.workbench.page.locator(".editor-group-container.active .editor.original .view-line");
  await poll(
    `"${line}" on the left side`,
    async () => (await left.allInnerTexts()).join("\n").replaceAll("\u00a0", " ").includes(line),
    { timeout: patience },
  );
}

async function waitForRight(editor: VsCodeDriver, line: string): Promise<void> {
  await poll(`"${line}" on the right side`, async () => (await editor.diffText()).includes(line), {
    timeout: patience,
  });
}

/** One hunk is accepted, one rejected, something is typed, and the rest is accepted: the agent writes just that. */
export const hunks: Scenario = {
  name: "hunks",
  agents: everyAgent,
  isFor: (editor) => editor instanceof VsCodeDriver,
  run: async (world, id) => {
    const { editor, started } = await proposeHunks(world, id, "hunks.txt");
    await editor.decideHunk("accept", 2);
    await waitForLeft(editor, "LINE 2");
    await editor.decideHunk("reject", 5);
    await waitForRight(editor, "line 5");
    await editor.typeInDiff(" by hand");
    await editor.acceptDiff();
    await waitForContents(world, "hunks.txt", withLines(2, 8).replace("line 1", "line 1 by hand"));
    await started.agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, started.agent, "hunks.txt");
    const told = /by hand|user modified your proposed changes/.test(started.agent.model.conversation.at(-1) ?? "");
    must("the model is told that the user changed the proposal", told);
  },
};

/** Every hunk rejected is a rejected proposal. */
export const hunksRejected: Scenario = {
  name: "hunks-rejected",
  agents: everyAgent,
  isFor: (editor) => editor instanceof VsCodeDriver,
  run: async (world, id) => {
    const { editor, started } = await proposeHunks(world, id, "rejected.txt");
    for (const line of [8, 2]) {
      await editor.decideHunk("reject", line);
      await waitForRight(editor, `line ${line}`);
    }
    await editor.decideHunk("reject", 5);
    await waitForNoApproval(started.agent);
    await waitForNoDiff(world, started.agent, "rejected.txt");
    mustEqual("rejected.txt", await world.readFile("rejected.txt"), before);
  },
};

/** The window goes between two verdicts: what was accepted and rejected is so in the next one, and the last verdict decides. */
export const hunksReload: Scenario = {
  name: "hunks-reload",
  // Claude Code's question ends with its connection: its terminal answers after a reload (`reload-review`).
  agents: ["gemini", "qwen"],
  isFor: (editor) => editor instanceof VsCodeDriver,
  run: async (world, id) => {
    const { editor, started } = await proposeHunks(world, id, "reload.txt");
    const { agent } = started;
    await editor.decideHunk("accept", 2);
    await waitForLeft(editor, "LINE 2");
    await editor.decideHunk("reject", 5);
    await waitForRight(editor, "line 5");
    // What was decided is promised to be kept half a second later.
    await pause(700);
    await editor.reload();
    await waitForDiff(world, agent, "reload.txt");
    await editor.showDiff(diffTitle(agent, "reload.txt"));
    await waitForLeft(editor, "LINE 2");
    await waitForRight(editor, "line 5");
    await poll(
      "the agent again",
      async () => (await editor.titleActions()).some((one) => one.includes("Accept Hunk")),
      {
        timeout: patience,
        describe: async () => (await editor.titleActions()).join(" | "),
      },
    );
    await editor.decideHunk("accept", 8);
    await waitForContents(world, "reload.txt", withLines(2, 8));
    await waitForNoDiff(world, agent, "reload.txt");
  },
};
