import { agentNamePattern, areAllAnnounced } from "../../agents/records.ts";
import type { Browser, BrowserContext } from "playwright-core";
import type { Component } from "../../prerequisites/cache.ts";
import { buildTheia, theiaApplication } from "../../prerequisites/theia.ts";
import type { Lab } from "../../support/lab.ts";
import { poll } from "../../support/poll.ts";
import { isAlive } from "../../support/processes.ts";
import { launchBrowser } from "../browser.ts";
import { ConversationPanel } from "../vscode/conversation-panel.ts";
import type { EditorDriver, EditorTerminal } from "../editor-driver.ts";
import { changeTheiaSettings, startTheia, type TheiaServer } from "./server.ts";
import { TheiaTerminal } from "./theia-terminal.ts";
import { TheiaWorkbench } from "./workbench.ts";

/** Pixels: the agents' questions need some thirty rows. */
const panelHeight = 480;

/** How the tab of a proposal is recognised: the extension puts the agent's name in it. */

/** A Theia application for the browser with the packed extension installed. */
export class TheiaDriver implements EditorDriver {
  readonly id = "theia" as const;
  readonly displayName = "Theia";
  readonly keepsConnections = true;
  readonly keepsConversations = true;
  /** The packed extension. */
  readonly tarball: string;
  readonly #application: Component;
  #lab: Lab | undefined;
  #server: TheiaServer | undefined;
  #browser: Browser | undefined;
  #context: BrowserContext | undefined;
  #workbench: TheiaWorkbench | undefined;
  #isPanelSized = false;
  /** It is on otherwise: Theia's default. */
  #isAutoSaveOff = false;
  /** Those of the driver's own window. */
  #terminals: TheiaTerminal[] = [];

  constructor(tarball: string, application: Component = theiaApplication) {
    this.tarball = tarball;
    this.#application = application;
  }

  /** The window, for what only this editor's own scenarios do. */
  get workbench(): TheiaWorkbench {
    if (this.#workbench === undefined) throw new Error("Theia is not started");
    return this.#workbench;
  }

  get server(): TheiaServer {
    if (this.#server === undefined) throw new Error("Theia is not started");
    return this.#server;
  }

  async start(lab: Lab): Promise<void> {
    this.#lab = lab;
    this.#server = await startTheia(lab, await buildTheia(this.tarball, this.#application));
    this.#browser = await launchBrowser();
    // One context for one backend: the cookie of a connection counts for all ports of this address.
    this.#context = await this.#browser.newContext({ viewport: { width: 1680, height: 1000 } });
    this.#workbench = await this.openWindow(lab.workspace);
    await poll("Patchbay's discovery record", () => areAllAnnounced(lab), {
      timeout: 60_000,
      describe: () => this.logs(),
    });
  }

  /** Opens a window on a folder. The driver's own window stays the one it acts in. */
  async openWindow(folder: string): Promise<TheiaWorkbench> {
    if (this.#context === undefined) throw new Error("Theia is not started");
    const page = await this.#context.newPage();
    await page.goto(`${this.server.url}/#${encodeURI(folder)}`);
    const workbench = new TheiaWorkbench(page);
    await workbench.waitUntilReady();
    return workbench;
  }

  /** The window goes away and another one on the same folder takes its place. */
  async replaceWindow(folder: string): Promise<void> {
    await this.workbench.page.close();
    this.#workbench = await this.openWindow(folder);
  }

  /** The backend ends as a workspace's container does, and comes back under the same address; the page is then reloaded. */
  async restartHost(lab: Lab): Promise<void> {
    const port = Number(new URL(this.server.url).port);
    await this.server.stop();
    this.#server = await startTheia(lab, await buildTheia(this.tarball, this.#application), port);
    await this.workbench.page.reload();
    await this.workbench.waitUntilReady();
    this.#terminals = [];
  }

  /** The backend is killed, and started again under the same address. Its terminals end with it. */
  async killHost(): Promise<void> {
    if (this.#lab === undefined) throw new Error("Theia is not started");
    const { pid } = this.server;
    process.kill(pid, "SIGKILL");
    await poll("the backend's end", () => !isAlive(pid), { timeout: 5_000 });
    await this.restartHost(this.#lab);
  }

  async stop(): Promise<void> {
    await this.#context?.close();
    await this.#browser?.close();
    await this.#server?.stop();
    this.#context = undefined;
    this.#browser = undefined;
    this.#server = undefined;
    this.#workbench = undefined;
    this.#isPanelSized = false;
    this.#isAutoSaveOff = false;
    this.#terminals = [];
  }

  async openTerminal(): Promise<EditorTerminal> {
    const terminal = await this.openTerminalIn(this.workbench);
    this.#terminals.push(terminal);
    return terminal;
  }

  /** The terminal that Patchbay has just opened itself. */
  async takeTerminal(): Promise<EditorTerminal> {
    const known = new Set(this.#terminals.map(({ id }) => id));
    const id = await poll(
      "a terminal that Patchbay opens",
      async () => (await terminalIds(this.workbench)).find((candidate) => !known.has(candidate)),
      { timeout: 20_000 },
    );
    const terminal = new TheiaTerminal(this.workbench, id);
    this.#terminals.push(terminal);
    if (!this.#isPanelSized) {
      this.#isPanelSized = true;
      await this.workbench.resizePanel(panelHeight);
    }
    return terminal;
  }

  async openPanel(): Promise<ConversationPanel> {
    return await this.openPanelIn(this.workbench);
  }

  /** The view in a window; opened where it is not yet. */
  async openPanelIn(workbench: TheiaWorkbench): Promise<ConversationPanel> {
    const { page } = workbench;
    const frame = page.locator("#patchbay-conversations > iframe");
    const panel = new ConversationPanel(page, frame.contentFrame());
    // The same command leads from the panel back to the editor.
    if (!(await frame.isVisible())) await workbench.runCommand("Patchbay: Open Conversation Panel");
    await panel.waitUntilReady();
    return panel;
  }

  async openTerminalIn(workbench: TheiaWorkbench): Promise<TheiaTerminal> {
    const known = new Set(await terminalIds(workbench));
    await workbench.runCommand("Terminal: Create New Terminal");
    const id = await poll(
      "a new terminal",
      async () => (await terminalIds(workbench)).find((candidate) => !known.has(candidate)),
      { timeout: 20_000 },
    );
    const terminal = new TheiaTerminal(workbench, id);
    if (!this.#isPanelSized || workbench !== this.workbench) {
      this.#isPanelSized = true;
      await workbench.resizePanel(panelHeight);
    }
    await terminal.focus();
    await poll("a shell's prompt", async () => /[$#]\s*$/.test(await terminal.screen()), {
      timeout: 20_000,
      describe: () => terminal.screen(),
    });
    return terminal;
  }

  async openFile(name: string): Promise<void> {
    await this.workbench.openFile(name);
  }

  async selectLine(line: number): Promise<void> {
    await this.workbench.selectLine(line);
  }

  async typeInFile(text: string): Promise<void> {
    await this.workbench.page.keyboard.type(text);
  }

  async setAutoSave(on: boolean): Promise<void> {
    this.#isAutoSaveOff = !on;
    await this.workbench.setPreference("files.autoSave", on ? "afterDelay" : "off");
  }

  async sendSelection(): Promise<void> {
    await this.workbench.runCommand("Patchbay: Send Selection to Agent");
  }

  async openDiffs(): Promise<readonly string[]> {
    const labels = await this.workbench.mainTabs().evaluateAll((tabs) => tabs.map((tab) => tab.textContent ?? ""));
    return labels.filter((label) => agentNamePattern.test(label));
  }

  async tabsNamed(title: RegExp): Promise<number> {
    return await this.workbench.mainTabs().filter({ hasText: title }).count();
  }

  async showDiff(title: RegExp): Promise<void> {
    const tab = this.workbench.mainTabs().filter({ hasText: title });
    await tab.waitFor({ timeout: 10_000 });
    await tab.click();
  }

  async acceptDiff(): Promise<void> {
    await this.workbench.toolbarItem("Accept").click({ timeout: 10_000 });
  }

  async rejectDiff(): Promise<void> {
    await this.workbench.toolbarItem("Reject").click({ timeout: 10_000 });
  }

  async setReviews(reviews: Readonly<Record<string, unknown>>): Promise<void> {
    await this.setSettings({ "patchbay.reviews": reviews });
  }

  /** These, and none of those before. */
  async setSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#lab === undefined) throw new Error("Theia is not started");
    await changeTheiaSettings(this.#lab, settings);
  }

  async saveKept(): Promise<void> {
    await this.workbench.toolbarItem("Save to File").click({ timeout: 10_000 });
  }

  async acceptAll(): Promise<void> {
    await this.workbench.runCommand("Patchbay: Accept All Proposals");
    await this.workbench.dialog.waitFor({ timeout: 10_000 });
    await this.workbench.dialog.getByRole("button", { name: /^Accept \d+$/ }).click({ timeout: 10_000 });
  }

  async saveUnwritten(): Promise<string> {
    return await this.workbench.readAndAnswer("Save to File");
  }

  /** Replaces the whole proposal in the foreground, as one pastes. */
  async replaceInDiff(text: string): Promise<void> {
    await this.pressInDiff("Control+A");
    await this.workbench.page.keyboard.insertText(text);
  }

  async typeInDiff(text: string): Promise<void> {
    const { page } = this.workbench;
    await this.#focusDiff();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("End");
    await page.keyboard.type(text);
  }

  /** Presses keys in the proposal in the foreground. */
  async pressInDiff(keys: string): Promise<void> {
    await this.#focusDiff();
    await this.workbench.page.keyboard.press(keys);
  }

  async #focusDiff(): Promise<void> {
    await this.workbench.editor.locator(".editor.modified .view-line").first().click();
    await poll("focus in the proposal", () => this.workbench.isFocusIn(".editor.modified"), { timeout: 10_000 });
  }

  async readDiff(): Promise<string> {
    const line = this.workbench.editor.locator(".editor.modified .view-line").first();
    // Blanks are drawn as other characters, so that they keep their width.
    return (await line.isVisible()) ? (await line.innerText()).replaceAll("\u00a0", " ") : "";
  }

  async diffText(): Promise<string> {
    const lines = this.workbench.editor.locator(".editor.modified .view-line");
    return (await lines.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
  }

  async saveDiff(): Promise<void> {
    await this.pressInDiff("Control+S");
  }

  async closeDiff(): Promise<void> {
    const tab = this.workbench
      .mainTabs()
      .and(this.workbench.page.locator(".lm-mod-current", { hasText: agentNamePattern }));
    await tab.locator(".lm-TabBar-tabCloseIcon").click({ timeout: 10_000 });
    const reject = this.workbench.dialog.getByRole("button", { name: "Reject", exact: true });
    const gone = (): Promise<boolean> => tab.isHidden();
    const asked = (): Promise<boolean> => reject.isVisible();
    await poll("the end of the tab or a question", async () => (await gone()) || (await asked()), { timeout: 5_000 });
    if (await asked()) await reject.click();
  }

  async tryReview(): Promise<void> {
    await this.workbench.runCommand("Patchbay: Try a Review");
  }

  async answerTrial(answer: "again" | "leave"): Promise<string> {
    if (answer === "again") return await this.workbench.readAndAnswer("Try Again");
    const notification = this.workbench.page
      .locator(".theia-notification-list-item")
      .filter({ has: this.workbench.page.getByText("Try Again", { exact: true }) })
      .first();
    await notification.waitFor({ timeout: 20_000 });
    const text = await notification.locator(".theia-notification-message").innerText();
    await notification.locator(".codicon-close").click();
    return text;
  }

  async reload(): Promise<number> {
    const before = await terminalIds(this.workbench);
    const left = Date.now();
    await this.workbench.page.reload();
    await this.workbench.waitUntilReady();
    const isBack = async (): Promise<boolean> => (await terminalIds(this.workbench)).length === before.length;
    await poll("the window's terminals", isBack, { timeout: 20_000 });
    // They come back in the same order, under new names.
    const after = await terminalIds(this.workbench);
    for (const terminal of this.#terminals) terminal.relocate(after[before.indexOf(terminal.id)] ?? terminal.id);
    return left;
  }

  async isTerminalFocused(): Promise<boolean> {
    return await this.workbench.isFocusIn(".terminal-container");
  }

  async clear(): Promise<void> {
    if (this.#isAutoSaveOff) await this.setAutoSave(true);
    const tabs = this.workbench.mainTabs();
    // The command is not offered where there is nothing to close.
    if ((await tabs.count()) > 0) await this.workbench.runCommand("View: Close All Tabs in Main Area");
    await poll("an empty editor area", async () => (await tabs.count()) === 0, { timeout: 10_000 });
    const terminals = await terminalIds(this.workbench);
    const panel = this.workbench.page.locator("#theia-bottom-content-panel");
    if (terminals.length > 0 && !(await panel.isVisible())) {
      await this.workbench.runCommand("View: Toggle Bottom Panel");
    }
    for (const id of terminals) await this.#closeTerminal(id);
    this.#terminals = [];
  }

  async #closeTerminal(id: string): Promise<void> {
    const tab = this.workbench.page.locator(`[id="shell-tab-${id}"]`);
    const yes = this.workbench.dialog.getByRole("button", { name: "OK", exact: true });
    const isGone = async (): Promise<boolean> => (await tab.count()) === 0;
    await tab.locator(".lm-TabBar-tabLabel").click();
    await tab.locator(".lm-TabBar-tabCloseIcon").click();
    await poll("the end of a terminal or a question", async () => (await isGone()) || (await yes.isVisible()), {
      timeout: 5_000,
    });
    if (await yes.isVisible()) await yes.click();
    await poll("the end of a terminal", isGone, { timeout: 5_000 });
  }

  async screenshot(file: string): Promise<void> {
    await this.workbench.page.screenshot({ path: file });
  }

  async logs(): Promise<string> {
    return (await this.#server?.logs()) ?? "";
  }
}

/** In the order of their tabs. */
async function terminalIds(workbench: TheiaWorkbench): Promise<readonly string[]> {
  const prefix = "shell-tab-terminal-";
  const tabs = workbench.page.locator(`#theia-bottom-content-panel [id^="${prefix}"]`);
  return await tabs.evaluateAll((elements) => elements.map((element) => element.id.replace("shell-tab-", "")));
}
