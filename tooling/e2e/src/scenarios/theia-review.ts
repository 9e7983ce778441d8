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
    must("the agent goes on asking", agent.kind.approval.test(await agent.terminal.screen()));

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
