import type { Locator } from "playwright-core";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { poll } from "../support/poll.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForDiff,
  waitForContents,
  waitForNoApproval,
  waitForNoDiff,
} from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

function theiaOf(world: World): TheiaDriver {
  if (world.editor instanceof TheiaDriver) return world.editor;
  throw new Error("this scenario is about Theia");
}

/** Shows the view by its command; the keys go there afterwards. */
async function openView({ workbench }: TheiaDriver): Promise<void> {
  await workbench.runCommand("Patchbay: Show Reviews and Connections");
  await poll("focus in the view", () => workbench.isFocusIn(".patchbay-inbox"), { timeout: 10_000 });
}

/** The row of the view with these words. */
function row({ workbench }: TheiaDriver, words: RegExp): Locator {
  return workbench.page.locator(".patchbay-inbox .theia-TreeNode").filter({ hasText: words });
}

/** The view of all that waits, by keys only: accept, reject, hold and open again, and from the terminal to the review and back. */
export const reviewView: Scenario = {
  name: "review-view",
  agents: ["gemini", "claude"],
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world, id) => {
    const theia = theiaOf(world);
    const { page } = theia.workbench;
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await world.writeFile("view.txt", startContents);
    await started.focus();
    await propose(world, started, usualChange("view.txt"));

    // One key from the terminal to the review, and the same one back.
    await started.focus();
    await page.keyboard.press("Control+Alt+J");
    await poll("focus in the review", () => theia.workbench.isFocusIn(".editor.modified"), { timeout: 10_000 });
    await page.keyboard.press("Control+Alt+J");
    await poll("focus in the terminal", () => theia.isTerminalFocused(), { timeout: 10_000 });

    await openView(theia);
    await row(theia, /view\.txt.*waits for you/u).waitFor({ timeout: 10_000 });
    await page.keyboard.press("j");
    await page.keyboard.press("r");
    await waitForNoApproval(agent);
    await waitForNoDiff(world, agent, "view.txt");
    mustEqual("view.txt", await world.readFile("view.txt"), startContents);
    await row(theia, /view\.txt/u).waitFor({ state: "detached", timeout: 10_000 });

    await started.focus();
    await propose(world, started, usualChange("view.txt"));
    await openView(theia);
    await row(theia, /view\.txt.*waits for you/u).waitFor({ timeout: 10_000 });
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await theia.workbench.currentTab.filter({ hasText: diffTitle(agent, "view.txt") }).waitFor({ timeout: 10_000 });
    await poll("focus in the review", () => theia.workbench.isFocusIn(".editor.modified"), { timeout: 10_000 });

    // Typed, held, and found again with what was typed.
    await theia.typeInDiff(" by hand");
    await openView(theia);
    await row(theia, /view\.txt.*edited/u).waitFor({ timeout: 10_000 });
    await page.keyboard.press("h");
    await waitForNoDiff(world, agent, "view.txt");
    await row(theia, /view\.txt.*held/u).waitFor({ timeout: 10_000 });
    await agent.waitForApproval();

    // The view stands where it stood after the window is loaded anew, and what is held stays held.
    await theia.reload();
    await row(theia, /view\.txt.*held/u).waitFor({ timeout: 20_000 });
    must("nothing was opened", (await world.editor.openDiffs()).length === 0);
    await openView(theia);
    await page.keyboard.press("Enter");
    await waitForDiff(world, agent, "view.txt");
    await poll("focus in the review", () => theia.workbench.isFocusIn(".editor.modified"), { timeout: 10_000 });
    mustEqual("the first line", await theia.readDiff(), "FIRST line by hand");
    await openView(theia);
    await page.keyboard.press("a");
    await waitForContents(world, "view.txt", changed.replace("FIRST line", "FIRST line by hand"));
    await waitForNoDiff(world, agent, "view.txt");
  },
};

const lines = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`);

/** The lines with these in the place of the second, the sixth and the tenth. */
function withLines(second: string, sixth: string, tenth: string): string {
  const changes = new Map([
    [1, second],
    [5, sixth],
    [9, tenth],
  ]);
  return lines.map((line, at) => changes.get(at) ?? line).join("\n");
}

/** Of three hunks one is accepted, one is rejected, taken back and rejected again, and one is accepted by its line's number. */
export const reviewHunks: Scenario = {
  name: "review-hunks",
  agents: ["gemini", "claude"],
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world, id) => {
    const theia = theiaOf(world);
    const { page } = theia.workbench;
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await world.writeFile("hunks.txt", `${lines.join("\n")}\n`);
    await started.focus();
    await propose(world, started, { file: "hunks.txt", from: lines.join("\n"), to: withLines("TWO", "SIX", "TEN") });
    await theia.showDiff(diffTitle(agent, "hunks.txt"));
    const left = theia.workbench.editor.locator(".editor.original .view-line");
    const leftHas = async (line: string): Promise<boolean> => (await left.allInnerTexts()).includes(line);
    const rightHas = async (line: string): Promise<boolean> => (await theia.diffText()).split("\n").includes(line);
    await theia.pressInDiff("Control+Home");
    await page.keyboard.press("Shift+Alt+Enter");
    await poll("the accepted hunk on the left side", () => leftHas("TWO"), { timeout: 10_000 });
    // The cursor has gone to the next one.
    await page.keyboard.press("Shift+Alt+Backspace");
    await poll("the file's line on the right side", async () => !(await rightHas("SIX")), { timeout: 10_000 });
    await page.keyboard.press("Shift+Alt+Delete");
    await poll("the hunk again", () => rightHas("SIX"), { timeout: 10_000 });
    await theia.workbench.goToLine(6);
    await page.keyboard.press("Shift+Alt+Backspace");
    await poll("the file's line once more", async () => !(await rightHas("SIX")), { timeout: 10_000 });
    mustEqual("hunks.txt", await world.readFile("hunks.txt"), `${lines.join("\n")}\n`);
    const numbers = theia.workbench.editor.locator(".editor.modified .line-numbers");
    await numbers.filter({ hasText: /^10$/u }).click({ button: "right" });
    await page.locator(".lm-Menu-item", { hasText: "Accept Hunk" }).click({ timeout: 10_000 });
    await waitForContents(world, "hunks.txt", `${withLines("TWO", "line 6", "TEN")}\n`);
    await waitForNoDiff(world, agent, "hunks.txt");
  },
};
