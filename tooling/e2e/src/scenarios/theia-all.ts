import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { kindOf } from "../agents/index.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import type { Turn } from "../models/model-server.ts";
import { pause, poll } from "../support/poll.ts";
import { waitForReview, withHook, withHooks } from "./hooked.ts";
import { diffTitle, startContents, usualChange, waitForContents, waitForNoApproval, waitForNoDiff } from "./propose.ts";
import { mustEqual, type Scenario, type StartedAgent, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");
const patience = 30_000;

function theiaOf(world: World): TheiaDriver {
  if (world.editor instanceof TheiaDriver) return world.editor;
  throw new Error("this scenario is about Theia");
}

/** The view of all that waits. */
export class ReviewView {
  readonly #theia: TheiaDriver;

  constructor(theia: TheiaDriver) {
    this.#theia = theia;
  }

  async open(): Promise<void> {
    const { workbench } = this.#theia;
    await workbench.runCommand("Patchbay: Show Reviews and Connections");
    await poll("focus in the view", () => workbench.isFocusIn(".patchbay-inbox"), { timeout: 10_000 });
  }

  /** The row whose name is this, with these words beside it. */
  row(name: string, words: RegExp): Locator {
    const { page } = this.#theia.workbench;
    const label = page.locator(".patchbay-inbox-label", { hasText: new RegExp(`^${name}$`, "u") });
    return page.locator(".patchbay-inbox .theia-TreeNode").filter({ has: label }).filter({ hasText: words });
  }

  /** Presses a button of a row: they are there under the pointer. */
  async press(name: string, words: RegExp, icon: string): Promise<void> {
    const row = this.row(name, words);
    await row.hover({ timeout: patience });
    await row.locator(`.codicon-${icon}`).click({ timeout: patience });
  }
}

/** What the dialog that asks first lists. */
async function listed({ workbench }: TheiaDriver): Promise<readonly string[]> {
  await workbench.dialog.waitFor({ timeout: patience });
  return await workbench.dialog.locator("li").allInnerTexts();
}

/** Which review is in front, and which of how many it is. */
async function inFront({ workbench }: TheiaDriver, title: RegExp, position: string): Promise<void> {
  await workbench.currentTab.filter({ hasText: title }).waitFor({ timeout: patience });
  await workbench.page
    .locator(".lm-TabBar-toolbar:visible")
    .filter({ hasText: position })
    .waitFor({ timeout: patience });
}

/** Two agents, one of them twice: all is decided of a folder and of an agent, and all of one is gone through by keys. */
export const reviewAll: Scenario = {
  name: "review-all",
  agents: "all",
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world) => {
    const theia = theiaOf(world);
    const { workbench } = theia;
    const { page } = workbench;
    const view = new ReviewView(theia);
    await mkdir(join(world.lab.workspace, "src", "deep"), { recursive: true });
    const gemini = { started: await world.startAgent("gemini"), file: "src/one.txt" };
    const first = { started: await world.startAgent("claude"), file: "src/deep/two.txt" };
    const second = { started: await world.startAgent("claude"), file: "three.txt" };
    const all = [gemini, first, second];
    for (const { started, file } of all) {
      await world.writeFile(file, startContents);
      await started.focus();
      await started.agent.waitForConnection();
    }
    const ask = async (some: typeof all): Promise<void> => {
      for (const { started, file } of some) {
        await started.focus();
        await proposeShort(world, started, file);
      }
    };
    const ended = async (some: typeof all, contents: string): Promise<void> => {
      for (const { started, file } of some) {
        await started.focus();
        await waitForNoApproval(started.agent);
        await waitForContents(world, file, contents);
      }
    };

    await ask(all);
    await view.open();
    await workbench.runCommand("Patchbay: Group Reviews by Folder");
    await view.row("deep", /1 to review/u).waitFor({ timeout: patience });
    await view.press("src", /2 to review/u, "close-all");
    mustEqual(
      "what is asked about",
      (await listed(theia)).map((line) => line.split("/").slice(-2).join("/")).join(),
      "src/one.txt (Gemini CLI),deep/two.txt (Claude Code)",
    );
    await workbench.answerDialog("Reject 2");
    await ended([gemini, first], startContents);
    await view.row("three.txt", /waits for you/u).waitFor({ timeout: patience });
    await workbench.runCommand("Patchbay: Group Reviews by Folder");

    // One after the other: with a verdict on one comes the other.
    await ask([first]);
    await view.open();
    await view.press("Claude Code", /2 to review/u, "diff-multiple");
    await inFront(theia, diffTitle(second.started.agent, "three.txt"), "1 of 2");
    await page.keyboard.press("Control+Alt+PageDown");
    await inFront(theia, diffTitle(first.started.agent, "two.txt"), "2 of 2");
    await poll("focus in the review", () => workbench.isFocusIn(".editor.modified"), { timeout: 10_000 });
    await page.keyboard.press("Control+Alt+Enter");
    await waitForContents(world, first.file, changed);
    await workbench.currentTab
      .filter({ hasText: diffTitle(second.started.agent, "three.txt") })
      .waitFor({ timeout: patience });
    await poll("focus in the next review", () => workbench.isFocusIn(".editor.modified"), { timeout: 10_000 });

    await world.writeFile(first.file, startContents);
    await ask([first]);
    await view.open();
    await view.press("Claude Code", /2 to review/u, "check-all");
    await workbench.answerDialog("Accept 2");
    await ended([first, second], changed);
    for (const { started, file } of [first, second])
      await waitForNoDiff(world, started.agent, file.split("/").at(-1) ?? "");
  },
};

/** The tab of a review has the name of its file, not its path. */
async function proposeShort(world: World, started: StartedAgent, file: string): Promise<void> {
  const name = file.split("/").at(-1) ?? file;
  const { agent } = started;
  const { from, to } = usualChange(file);
  agent.model.play(...agent.kind.editTurns(join(world.lab.workspace, file), from, to));
  await agent.ask(`Please change ${name} for me`);
  await agent.waitForApproval();
  await waitForReview(world, agent, name);
}

/** One session asks for two files at a time, as its helpers work side by side; both are decided at its row. */
export const reviewSession: Scenario = {
  ...withHooks,
  name: "review-session",
  agents: ["claude"],
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world, id) => {
    const theia = theiaOf(world);
    const { workbench } = theia;
    const view = new ReviewView(theia);
    const kind = kindOf(id);
    const files = ["side-a.txt", "side-b.txt"];
    for (const file of files) await world.writeFile(file, startContents);
    await withHook(world, id, async () => {
      const mode = kind.quietModes[0];
      const { agent, focus } = await world.startAgent(id, { isHooked: true, ...(mode === undefined ? {} : { mode }) });
      for (const [verdict, button, contents] of [
        ["close-all", "Reject 2", startContents],
        ["check-all", "Accept 2", changed],
      ] as const) {
        agent.model.play(
          helpers(files),
          ...files.flatMap((file) =>
            kind.editTurns(join(world.lab.workspace, file), "first line", "FIRST line").slice(0, 1),
          ),
          ...files.flatMap((file) =>
            kind.editTurns(join(world.lab.workspace, file), "first line", "FIRST line").slice(1),
          ),
        );
        await focus();
        await agent.ask("Please have both files changed");
        for (const file of files) await waitForReview(world, agent, file);
        await view.open();
        await view.press("Please have both files changed", /waits for you/u, verdict);
        mustEqual("what is asked about", String((await listed(theia)).length), "2");
        await workbench.answerDialog(button);
        for (const file of files) await waitForNoDiff(world, agent, file);
        await poll("the end of the turn", async () => /All done\./.test(await agent.terminal.screen()), {
          timeout: patience,
          describe: () => agent.terminal.screen(),
        });
        for (const file of files) await waitForContents(world, file, contents);
        await pause(1_000);
      }
    });
  },
};

function helpers(files: readonly string[]): Turn {
  return {
    kind: "tools",
    calls: files.map((file) => ({
      name: "Task",
      input: { description: `Change ${file}`, prompt: `Change ${file}`, subagent_type: "general-purpose" },
    })),
  };
}
