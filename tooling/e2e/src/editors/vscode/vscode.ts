import { agentNamePattern, areAllAnnounced } from "../../agents/records.ts";
import type { Browser, BrowserContext } from "playwright-core";
import type { Lab } from "../../support/lab.ts";
import { poll } from "../../support/poll.ts";
import { findProcesses } from "../../support/processes.ts";
import { launchBrowser } from "../browser.ts";
import type { EditorDriver, EditorTerminal } from "../editor-driver.ts";
import { ConversationPanel } from "./conversation-panel.ts";
import { IntegratedTerminal } from "./integrated-terminal.ts";
import { type CodeServer, startCodeServer, writeMachineSettings } from "./server.ts";
import { ToastRecord } from "./toast-record.ts";
import { patience, Workbench } from "./workbench.ts";

/** Pixels: the agents' questions need some thirty rows. */
const panelHeight = 480;

/** VS Code, as served by code-server to a browser. */
export class VsCodeDriver implements EditorDriver {
  readonly id = "vscode" as const;
  // The product's own name for itself, as it is for users of VS Code's forks.
  readonly displayName = "code-server";
  readonly #vsix: string;
  #lab: Lab | undefined;
  #server: CodeServer | undefined;
  #browser: Browser | undefined;
  #context: BrowserContext | undefined;
  #workbench: Workbench | undefined;
  #toasts = new ToastRecord();
  #terminals = 0;
  #isPanelSized = false;
  #isAutoSaveOn = false;

  constructor(vsix: string) {
    this.#vsix = vsix;
  }

  /** The window, for what only this editor's own scenarios do. */
  get workbench(): Workbench {
    if (this.#workbench === undefined) throw new Error("VS Code is not started");
    return this.#workbench;
  }

  async start(lab: Lab): Promise<void> {
    this.#lab = lab;
    this.#server = await startCodeServer(lab, this.#vsix);
    this.#browser = await launchBrowser();
    this.#context = await this.#browser.newContext({ viewport: { width: 1680, height: 1000 } });
    const page = await this.#context.newPage();
    this.#toasts = new ToastRecord();
    await this.#toasts.follow(page);
    await page.goto(`${this.#server.url}/?folder=${encodeURIComponent(lab.workspace)}`);
    this.#workbench = new Workbench(page);
    await this.#workbench.waitUntilReady();
    await this.#waitForPatchbay(lab);
  }

  async stop(): Promise<void> {
    await this.#context?.close();
    await this.#browser?.close();
    await this.#server?.stop();
    this.#context = undefined;
    this.#browser = undefined;
    this.#server = undefined;
    this.#workbench = undefined;
    this.#terminals = 0;
    this.#isPanelSized = false;
    this.#isAutoSaveOn = false;
  }

  async openTerminal(): Promise<EditorTerminal> {
    await this.workbench.runCommand("Terminal: Create New Terminal");
    const terminal = await this.takeTerminal();
    await poll("a shell's prompt", async () => /[$#]\s*$/.test(await terminal.screen()), { timeout: patience });
    await poll("focus in the terminal", () => this.isTerminalFocused(), { timeout: patience });
    return terminal;
  }

  async takeTerminal(): Promise<EditorTerminal> {
    const terminal = new IntegratedTerminal(this.workbench, this.#terminals);
    await this.workbench.page.locator(".terminal-wrapper.active").waitFor({ timeout: patience });
    this.#terminals += 1;
    if (!this.#isPanelSized) {
      this.#isPanelSized = true;
      await this.workbench.resizePanel(panelHeight);
      await terminal.focus();
    }
    return terminal;
  }

  async openFile(name: string): Promise<void> {
    await this.workbench.openFile(name);
  }

  async selectLine(line: number): Promise<void> {
    await this.workbench.goToLine(line);
    await this.workbench.page.keyboard.press("Shift+End");
    const selected = this.workbench.page.locator(".statusbar").getByText(/\d+ selected/);
    await selected.waitFor({ timeout: patience });
  }

  async typeInFile(text: string): Promise<void> {
    await this.workbench.page.keyboard.type(text);
  }

  async sendSelection(): Promise<void> {
    await this.workbench.runCommand("Patchbay: Send Selection to Agent");
  }

  /** Shows Patchbay's view of who is connected, and waits until these agents are in it. */
  async showConnections(agents: readonly string[]): Promise<void> {
    await this.workbench.runCommand("Patchbay: Show Connections");
    const rows = this.workbench.page.locator(".part.sidebar .monaco-list-row");
    for (const agent of agents) await rows.filter({ hasText: agent }).first().waitFor({ timeout: patience });
  }

  async openDiffs(): Promise<readonly string[]> {
    const drawn = await this.workbench.tabs().evaluateAll((tabs) => tabs.map((tab) => tab.textContent ?? ""));
    // What keeps a name from being read as a link or an icon cannot be seen.
    const labels = drawn.map((label) => label.replaceAll("\u2060", ""));
    return labels.filter((label) => agentNamePattern.test(label));
  }

  async tabsNamed(title: RegExp): Promise<number> {
    return await this.workbench.tabs().filter({ hasText: title }).count();
  }

  async showDiff(title: RegExp): Promise<void> {
    const tab = this.workbench.tabs().filter({ hasText: title });
    // A review whose title changes stands in two tabs for a moment; so do one that ends and the next one, which may come as this clicks.
    const isChosen = async (): Promise<boolean> =>
      (await tab.count()) === 1 &&
      (await tab.click({ timeout: 1_000 }).then(
        () => true,
        () => false,
      ));
    await poll("one tab of the review", isChosen, { timeout: patience });
  }

  async acceptDiff(): Promise<void> {
    await this.workbench.titleAction(/^(Patchbay: )?✓ Accept/).click({ timeout: patience });
  }

  async rejectDiff(): Promise<void> {
    await this.workbench.titleAction(/^(Patchbay: )?✕ Reject/).click({ timeout: patience });
  }

  /** Gives a verdict on the hunk that has a line of the right side, 1-based, by its key. */
  async decideHunk(verdict: "accept" | "reject", line: number): Promise<void> {
    await this.workbench.goToLine(line, async () => await this.#focusProposal());
    await this.workbench.page.keyboard.press(verdict === "accept" ? "Shift+Alt+Enter" : "Shift+Alt+Backspace");
  }

  async rejectWithReason(reason: string): Promise<void> {
    await this.workbench.runCommand("Patchbay: Reject with Reason…");
    await this.workbench.answerInput(reason);
  }

  async setReviews(reviews: Readonly<Record<string, unknown>>): Promise<void> {
    await this.setSettings({ "patchbay.reviews": reviews });
  }

  /** These, and none of those before. */
  async setSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#lab === undefined) throw new Error("VS Code is not started");
    await writeMachineSettings(this.#lab, settings);
  }

  async saveKept(): Promise<void> {
    await this.workbench.titleAction(/^(Patchbay: )?Save/).click({ timeout: patience });
  }

  async answerNotification(button: string): Promise<string> {
    const toasts = this.workbench.page.locator(".notifications-toasts .notification-toast");
    const pressed = this.workbench.page.getByRole("button", { name: button, exact: true });
    const toast = toasts.filter({ has: pressed }).first();
    await toast.waitFor({ timeout: patience });
    const told = await toast.locator(".notification-list-item-message").innerText();
    await toast.locator(pressed).click();
    return told.replaceAll("\u2060", "");
  }

  async saveUnwritten(): Promise<string> {
    return await this.answerNotification("Save to File");
  }

  async tryReview(): Promise<void> {
    await this.workbench.runCommand("Patchbay: Try a Review");
  }

  async answerTrial(answer: "again" | "leave"): Promise<string> {
    if (answer === "again") return await this.answerNotification("Try Again");
    const again = this.workbench.page.getByRole("button", { name: "Try Again", exact: true });
    const toast = this.workbench.page
      .locator(".notifications-toasts .notification-toast")
      .filter({ has: again })
      .first();
    await toast.waitFor({ timeout: patience });
    return await toast.locator(".notification-list-item-message").innerText();
  }

  async titleActions(): Promise<readonly string[]> {
    const actions = this.workbench.page.locator(".editor-group-container.active .editor-actions .action-label");
    return await actions.evaluateAll((elements) => elements.map((element) => element.getAttribute("aria-label") ?? ""));
  }

  async killHost(): Promise<void> {
    const { root } = this.#lab ?? {};
    const hosts = root === undefined ? [] : await findProcesses(root, /--type=extensionHost/);
    if (hosts.length !== 1) throw new Error(`There are ${hosts.length} extension hosts`);
    for (const pid of hosts) process.kill(pid, "SIGKILL");
  }

  async typeInDiff(text: string): Promise<void> {
    await this.#focusProposal();
    const { page } = this.workbench;
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("End");
    await page.keyboard.type(text);
  }

  async readDiff(): Promise<string> {
    const line = this.workbench.page.locator(".editor-group-container.active .editor.modified .view-line").first();
    // Blanks are drawn as other characters, so that they keep their width.
    return (await line.isVisible()) ? (await line.innerText()).replaceAll("\u00a0", " ") : "";
  }

  async diffText(): Promise<string> {
    const lines = this.workbench.page.locator(".editor-group-container.active .editor.modified .view-line");
    return (await lines.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
  }

  async saveDiff(): Promise<void> {
    await this.#focusProposal();
    await this.workbench.page.keyboard.press("Control+S");
  }

  async acceptAll(): Promise<void> {
    await this.workbench.runCommand("Patchbay: Accept All Proposals");
    // One alone is accepted without a question.
    await this.workbench.waitForDialog(1_000);
    if (await this.workbench.isDialogOpen()) await this.workbench.answerDialog("Accept All");
  }

  async closeDiff(): Promise<void> {
    await this.#focusProposal();
    await this.workbench.runCommand("View: Close Editor");
    const isOver = async (): Promise<boolean> =>
      (await this.workbench.isDialogOpen()) || (await this.openDiffs()).length === 0;
    await poll("a closed proposal, or a question about it", isOver, { timeout: patience });
    // Right after the last key VS Code asks about unsaved changes. Patchbay asks about an edited proposal when VS Code
    // has closed its tab.
    await this.workbench.waitForDialog(3_000);
    if (await this.workbench.hasDialogButton("Don't Save")) {
      await this.workbench.answerDialog("Don't Save");
      await this.workbench.waitForDialog(3_000);
    }
    if (await this.workbench.hasDialogButton("Reject")) await this.workbench.answerDialog("Reject");
  }

  async reload(): Promise<number> {
    // The command, not the browser's key: only it lets the window keep what it shows, as a desktop's does.
    const loaded = this.workbench.page.waitForEvent("load", { timeout: patience });
    const left = this.workbench.page
      .waitForRequest((request) => request.isNavigationRequest(), { timeout: patience })
      .then(() => Date.now());
    await this.workbench.runCommand("Developer: Reload Window");
    await loaded;
    await this.workbench.waitUntilReady();
    if (this.#terminals > 0)
      await this.workbench.page.locator(".terminal-wrapper.active .xterm-rows").waitFor({ timeout: patience });
    return await left;
  }

  async openPanel(): Promise<ConversationPanel> {
    return await this.openPanelIn(this.workbench);
  }

  /** The view in a window; opened where it is not yet. */
  async openPanelIn(workbench: Workbench): Promise<ConversationPanel> {
    const panel = new ConversationPanel(workbench.page);
    // The same command leads from the panel back to the editor.
    if (!(await workbench.page.locator("iframe.webview.ready").first().isVisible()))
      await workbench.runCommand("Patchbay: Open Conversation Panel");
    await panel.waitUntilReady();
    return panel;
  }

  /** Another window on the same folder, with an extension host of its own. The driver's own window stays the one it acts in. */
  async openWindow(): Promise<Workbench> {
    if (this.#context === undefined) throw new Error("VS Code is not started");
    const page = await this.#context.newPage();
    await page.goto(this.workbench.page.url());
    const workbench = new Workbench(page);
    await workbench.waitUntilReady();
    await page.locator(".statusbar-item[id$='patchbay.status']").waitFor({ timeout: 60_000 });
    return workbench;
  }

  async waitForAgent(displayName: string): Promise<void> {
    const status = this.workbench.page.locator(".statusbar-item[id$='patchbay.status']");
    // Of several agents it shows only how many they are; it is spoken with all names.
    await status.locator(`[aria-label*="${displayName}"]`).first().waitFor({ timeout: patience });
  }

  async setAutoSave(on: boolean): Promise<void> {
    if (on !== this.#isAutoSaveOn) await this.workbench.runCommand("File: Toggle Auto Save");
    this.#isAutoSaveOn = on;
  }

  async isTerminalFocused(): Promise<boolean> {
    return await this.workbench.isFocusIn(".terminal-wrapper");
  }

  async countErrors(): Promise<number> {
    return Number(/Errors: (\d+)/.exec(await this.#problems())?.[1] ?? 0);
  }

  async countProblems(): Promise<number> {
    const warnings = Number(/Warnings: (\d+)/.exec(await this.#problems())?.[1] ?? 0);
    return warnings + (await this.countErrors());
  }

  async #problems(): Promise<string> {
    return (await this.workbench.page.locator("#status\\.problems a").getAttribute("aria-label")) ?? "";
  }

  takeMessages(): readonly string[] {
    return this.#toasts.take();
  }

  async clear(): Promise<void> {
    if (this.#terminals > 0) await this.workbench.runCommand("Terminal: Kill All Terminals");
    this.#terminals = 0;
    await this.workbench.runCommand("View: Close All Editors");
    await poll("an empty editor area", async () => (await this.workbench.tabs().count()) === 0, { timeout: patience });
  }

  async screenshot(file: string): Promise<void> {
    await this.workbench.page.screenshot({ path: file });
  }

  async logs(): Promise<string> {
    return (await this.#server?.logs()) ?? "";
  }

  async #focusProposal(): Promise<void> {
    await this.workbench.page.locator(".editor-group-container.active .editor.modified .view-line").first().click();
    await poll("focus in the proposal", () => this.workbench.isFocusIn(".editor.modified"), { timeout: patience });
  }

  async #waitForPatchbay(lab: Lab): Promise<void> {
    await poll("Patchbay's discovery record", () => areAllAnnounced(lab), {
      timeout: 60_000,
      describe: () => this.logs(),
    });
  }
}
