import type { Locator, Page } from "playwright-core";
import { agentNamePattern } from "../../agents/records.ts";
import type { Lab } from "../../support/lab.ts";
import { pause, poll } from "../../support/poll.ts";
import type { ConversationPanel } from "../vscode/conversation-panel.ts";
import type { EditorDriver, EditorTerminal } from "../editor-driver.ts";
import { PanelProgram } from "./panel-program.ts";

/** Longest that one thing may take, ms. */
const patience = 30_000;
/** Buttons that have just appeared take no answer, ms. */
const grace = 700;

/** `patchbay panel` beside no editor: the page shows the reviews itself. */
export class PageDriver implements EditorDriver {
  readonly id = "page" as const;
  readonly displayName = "Patchbay";
  readonly keepsConversations = true;
  readonly #program = new PanelProgram();
  #lab: Lab | undefined;
  #isStarted = false;

  /** The program looks for its agents once, at its start: it is started with the first conversation. */
  async start(lab: Lab): Promise<void> {
    this.#lab = lab;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
    this.#lab = undefined;
    this.#isStarted = false;
  }

  async openPanel(): Promise<ConversationPanel> {
    if (this.#lab === undefined) throw new Error("there is no lab");
    if (!this.#isStarted) await this.#program.start(this.#lab);
    this.#isStarted = true;
    return await this.#program.open();
  }

  async reload(): Promise<number> {
    const left = Date.now();
    await this.#page.reload();
    return left;
  }

  async restartHost(lab: Lab): Promise<void> {
    await this.#program.end();
    await this.#program.start(lab);
    await this.#program.letIn();
  }

  async killHost(): Promise<void> {
    if (this.#lab === undefined) throw new Error("there is no lab");
    await this.#program.kill(this.#lab);
    await this.#program.start(this.#lab);
    await this.#program.letIn();
  }

  /** Those that wait above the conversation, and the changes that it asks about itself. */
  async openDiffs(): Promise<readonly string[]> {
    if (await this.#review.isVisible()) return [await this.#review.locator(".head-title").innerText()];
    const others = await this.#page.locator(".waiting-reviews li").allInnerTexts();
    const agent = await this.#page.locator("#panel .head-agent").allInnerTexts();
    const asked = await this.#page.locator("#panel .question[data-question] .change-head").allInnerTexts();
    const titles = [...others, ...asked.map((path) => `${path} ${agent.join(" ")}`)];
    return titles.map((title) => title.replaceAll(/\s+/gu, " ")).filter((title) => agentNamePattern.test(title));
  }

  async showDiff(title: RegExp): Promise<void> {
    const waiting = this.#page.locator(".waiting-reviews li").filter({ hasText: title });
    const asked = this.#page.locator("#panel .question[data-question] .change-head");
    if (await waiting.first().isVisible()) await waiting.getByRole("button", { name: "Review", exact: true }).click();
    else await asked.getByRole("button", { name: "Review", exact: true }).last().click({ timeout: patience });
    await this.#review.locator(".head-title").filter({ hasText: title }).waitFor({ timeout: patience });
    await this.#review.locator(".change-bar").first().waitFor({ timeout: patience });
  }

  async acceptDiff(): Promise<void> {
    await pause(grace);
    await this.#review.locator(".review-foot").getByRole("button", { name: "Accept", exact: true }).click();
    await this.#review.waitFor({ state: "detached", timeout: patience });
  }

  async rejectDiff(): Promise<void> {
    await pause(grace);
    await this.#review.locator(".review-foot").getByRole("button", { name: "Reject", exact: true }).click();
    await this.#review.waitFor({ state: "detached", timeout: patience });
  }

  async leaveDiff(): Promise<void> {
    await this.#review.getByRole("button", { name: "Back to the conversation" }).click();
    await this.#review.waitFor({ state: "detached", timeout: patience });
  }

  async typeInDiff(text: string): Promise<void> {
    const field = this.#review.locator(".review-field").first();
    await field.click();
    await field.press("Control+Home");
    await field.press("End");
    await this.#page.keyboard.type(text);
    await poll("what was typed", async () => (await this.readDiff()).endsWith(text), {
      timeout: patience,
      describe: () => this.diffText(),
    });
  }

  async readDiff(): Promise<string> {
    return (await this.diffText()).split("\n")[0] ?? "";
  }

  async diffText(): Promise<string> {
    const fields = this.#review.locator(".review-field");
    return (
      await fields.evaluateAll((all) => all.map((one) => (one instanceof HTMLTextAreaElement ? one.value : "")))
    ).join("\n");
  }

  async openTerminal(): Promise<EditorTerminal> {
    throw new Error("a page has no terminal");
  }

  async openFile(): Promise<void> {
    throw new Error("a page has no files");
  }

  async selectLine(): Promise<void> {
    throw new Error("a page has no selection");
  }

  async sendSelection(): Promise<void> {
    throw new Error("a page has no selection");
  }

  async isTerminalFocused(): Promise<boolean> {
    return false;
  }

  async clear(): Promise<void> {
    if (await this.#review.isVisible()) await this.leaveDiff();
  }

  async screenshot(file: string): Promise<void> {
    await this.#page.screenshot({ path: file });
  }

  async logs(): Promise<string> {
    return await this.#program.screen();
  }

  get #page(): Page {
    return this.#program.page;
  }

  get #review(): Locator {
    return this.#page.locator("section.review");
  }
}
