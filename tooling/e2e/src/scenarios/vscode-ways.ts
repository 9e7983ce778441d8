import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { pause, poll } from "../support/poll.ts";
import { killAgent } from "./killed.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents, waitForNoDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const patience = 30_000;

/** The driver, for what only this editor does. */
export function vsCodeOf(world: World): VsCodeDriver {
  if (!(world.editor instanceof VsCodeDriver)) throw new Error("this scenario is about VS Code");
  return world.editor;
}

/** A file whose name VS Code's notifications would make a link that runs a command is shown by its name, and clicking it does nothing. */
export const hostileName: Scenario = {
  name: "hostile-name",
  agents: ["claude"],
  isFor: (editor) => editor instanceof VsCodeDriver,
  // What is typed into a proposal that is answered in the terminal is told of in a notification.
  mayTell: /were not used|to compare|kept in the list/,
  run: async (world, id) => {
    const { workbench } = vsCodeOf(world);
    const { page } = workbench;
    const name = "[details](command:workbench.action.toggleSidebarVisibility)";
    await world.writeFile(name, startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange(name));
    await world.editor.showDiff(/details.*Claude Code/);
    await world.editor.typeInDiff(" and mine");
    await started.focus();
    await started.agent.acceptInTerminal();
    const message = page.locator(".notification-toast .notification-list-item-message").first();
    await message.waitFor({ timeout: patience });
    const told = (await message.innerText()).replaceAll("\u2060", "");
    must(`the notification names the file (${told})`, told.includes(name));
    mustEqual("links in it", String(await message.locator("a").count()), "0");
    const sidebar = page.locator(".part.sidebar");
    must("the side bar is there", await sidebar.isVisible());
    const box = await message.boundingBox();
    // Everywhere on the text: a link would be somewhere in it.
    for (let x = 5; box !== null && x < box.width; x += 40) {
      for (let y = 5; y < box.height; y += 10) await message.click({ position: { x, y }, force: true });
    }
    must("the side bar is there after the clicks", await sidebar.isVisible());
    await workbench.closeToasts();
  },
};

/** Closing a review that was edited asks one question, in which keys on their way elsewhere decide nothing. */
export const closing: Scenario = {
  name: "closing",
  agents: ["gemini"],
  isFor: (editor) => editor instanceof VsCodeDriver,
  run: async (world, id) => {
    const { workbench } = vsCodeOf(world);
    const { page } = workbench;
    await world.writeFile("closing.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("closing.txt"));
    const title = diffTitle(started.agent, "closing.txt");
    await world.editor.showDiff(title);
    await world.editor.typeInDiff(" and mine");
    const unsaved = workbench.tabs().filter({ hasText: title }).and(page.locator(".dirty"));
    await poll("a review without unsaved changes", async () => (await unsaved.count()) === 0, { timeout: patience });
    await workbench.runCommand("View: Close Editor");
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.waitFor({ timeout: patience });
    for (const button of ["Accept", "Reject", "Keep Reviewing"])
      must(`the question has ${button}`, await workbench.hasDialogButton(button));
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden", timeout: patience });
    await poll("the review again", async () => (await world.editor.openDiffs()).some((one) => title.test(one)), {
      timeout: patience,
    });
    mustEqual("closing.txt", await world.readFile("closing.txt"), startContents);
    await world.editor.acceptDiff();
    await waitForContents(world, "closing.txt", startContents.replace("first line", "FIRST line and mine"));
    await waitForNoDiff(world, started.agent, "closing.txt");
  },
};

/**
 * What was typed into a proposal whose agent is killed stays: in its review, in the list when that is closed, and in the list of
 * the next window, from which it is saved.
 */
export const keptOverReload: Scenario = {
  name: "kept-over-reload",
  agents: ["gemini"],
  isFor: (editor) => editor instanceof VsCodeDriver,
  run: async (world, id) => {
    const editor = vsCodeOf(world);
    const { page } = editor.workbench;
    const kept = page
      .locator(".part.sidebar .monaco-list-row")
      .filter({ hasText: "kept.txt" })
      .filter({ hasText: "your kept text" });
    await world.writeFile("kept.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("kept.txt"));
    const title = diffTitle(started.agent, "kept.txt");
    await editor.showDiff(title);
    await editor.typeInDiff(" and mine");
    // What was typed is promised to be kept half a second later.
    await pause(700);
    await killAgent(world, id);
    const offers = async (): Promise<string> => (await editor.titleActions()).join(" | ");
    await poll("an offer to save", async () => (await offers()).includes("Save to File"), { timeout: patience });
    must(`no verdict is offered (${await offers()})`, !/\b(Accept|Reject)\b/.test(await offers()));
    await editor.showConnections(["kept.txt"]);
    await kept.waitFor({ timeout: patience });
    await editor.reload();
    await editor.showConnections(["kept.txt"]);
    await kept.waitFor({ timeout: patience });
    mustEqual("kept.txt", await world.readFile("kept.txt"), startContents);
    await kept.click();
    await poll("the text again", async () => (await editor.readDiff()).includes("and mine"), { timeout: patience });
    await editor.saveKept();
    await waitForContents(world, "kept.txt", startContents.replace("first line", "FIRST line and mine"));
    await waitForNoDiff(world, started.agent, "kept.txt");
    await kept.waitFor({ state: "detached", timeout: patience });
  },
};
