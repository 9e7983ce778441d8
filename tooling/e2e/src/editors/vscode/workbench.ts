import type { Locator, Page } from "playwright-core";
import { poll } from "../../support/poll.ts";

/** Milliseconds any single step may take: a bound for what hangs, long enough for a machine that is busy. */
export const patience = 30_000;

/** The workbench page: what a user sees and does there. */
export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Resolves when the window is drawn and takes commands. */
  async waitUntilReady(): Promise<void> {
    await this.page.waitForSelector(".monaco-workbench .statusbar", { timeout: 60_000 });
  }

  /**
   * Runs a command by its whole label: the palette also lists what is merely similar. It goes away whenever something else
   * takes the focus, such as the next terminal when one ends; then it is opened again, as a user would.
   */
  async runCommand(label: string): Promise<void> {
    const typed = `>${label}`;
    let listed = "nothing";
    const choose = async (): Promise<boolean> => {
      if (!(await this.#openPalette(typed))) return false;
      const rows = this.page.locator(".quick-input-widget:not(.hidden) .quick-input-list .monaco-list-row");
      for (const row of await rows.all()) {
        const name = row.locator(".label-name").first();
        const shown = await name.textContent({ timeout: 1_000 }).catch(() => null);
        if (shown?.trim() !== label) continue;
        return await row.click({ timeout: 2_000 }).then(
          () => true,
          () => false,
        );
      }
      listed = (await rows.allInnerTexts()).join(" | ");
      return false;
    };
    await poll(`“${label}” in the palette`, choose, { timeout: patience, describe: () => `It lists: ${listed}` });
    // A command may open a list of its own at once, or reload the window: what was typed is gone in all cases.
    const input = this.#quickInput();
    const isOver = async (): Promise<boolean> =>
      !(await input.isVisible()) || (await input.inputValue({ timeout: 500 }).catch(() => "")) !== typed;
    await poll("the end of the list", isOver, { timeout: patience });
  }

  /** Whether the palette is open with this typed into it. */
  async #openPalette(typed: string): Promise<boolean> {
    const input = this.#quickInput();
    if (!(await input.isVisible())) {
      await this.page.keyboard.press("F1");
      const opened = input.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
      if (!(await opened)) return false;
    }
    if ((await input.inputValue({ timeout: 500 }).catch(() => "")) === typed) return true;
    return await input.fill(typed, { timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  }

  /** Opens a file of the workspace's root, from the dialog that lists them: searching by name depends on an index. */
  async openFile(name: string): Promise<void> {
    // By the palette: a terminal that has the focus keeps most keys for its program.
    await this.runCommand("File: Open File...");
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    const row = rows.filter({
      has: this.page.locator(".label-name").getByText(name, { exact: true }),
    });
    const tab = this.page.locator(`.tabs-container .tab.active[data-resource-name="${name}"]`);
    // Only the rows that are in sight exist.
    const isListed = async (): Promise<boolean> => {
      if (await row.isVisible()) return true;
      if ((await rows.count()) > 1) await this.page.keyboard.press("PageDown");
      return false;
    };
    await poll(`${name} in the list`, isListed, { timeout: patience, interval: 300 });
    // The list is drawn twice when the dialog opens; a click on the first drawing is lost.
    const isOpen = async (): Promise<boolean> => {
      if (await row.isVisible()) await row.click({ timeout: 1_000 }).catch(() => undefined);
      return !(await row.isVisible()) && (await tab.isVisible());
    };
    await poll(`a tab for ${name}`, isOpen, { timeout: patience, interval: 300 });
    await this.editor.waitFor({ timeout: patience });
    await poll(`focus in the editor of ${name}`, () => this.isFocusIn(".editor-instance"), { timeout: patience });
  }

  /** The editor in the foreground of the active group. */
  get editor(): Locator {
    return this.page.locator(".editor-group-container.active .editor-instance .monaco-editor").first();
  }

  /**
   * Puts the cursor at the start of a line, 1-based, of the editor that has the focus. The input for the line goes away whenever
   * something else takes the focus, as the palette does; then the editor is given the `focus` and it is opened again.
   */
  async goToLine(line: number, focus: () => Promise<void> = async () => {}): Promise<void> {
    const input = this.#quickInput();
    // Before the line is offered, Enter goes nowhere.
    const offer = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: `line ${line} ` });
    const position = this.page.locator(".statusbar-item", { hasText: new RegExp(`^Ln ${line}, Col 1\\b`) });
    const go = async (): Promise<boolean> => {
      if (!(await input.isVisible())) {
        await focus();
        await this.page.keyboard.press("Control+G");
      }
      await input.waitFor({ timeout: 5_000 });
      await input.fill(`:${line}`, { timeout: 5_000 });
      await offer.first().waitFor({ timeout: 5_000 });
      await this.page.keyboard.press("Enter");
      await input.waitFor({ state: "hidden", timeout: 5_000 });
      // The focus comes back a moment after the input has gone: a key that is pressed before that is nobody's.
      await this.page.locator(".monaco-editor :focus").first().waitFor({ state: "attached", timeout: 5_000 });
      await position.first().waitFor({ timeout: 5_000 });
      return true;
    };
    let trouble = "";
    const tryToGo = async (): Promise<boolean> =>
      await go().catch(async (error: unknown) => {
        trouble = `${String(error)}; the focus is in ${await this.#focusedElement()}`;
        return false;
      });
    await poll(`the cursor in line ${line}`, tryToGo, { timeout: patience, describe: () => trouble });
  }

  /** What has the focus: the element and its classes. */
  async #focusedElement(): Promise<string> {
    return await this.page.evaluate(() => {
      const { tagName, className } = document.activeElement ?? { tagName: "nothing", className: "" };
      return `${tagName} ${className}`;
    });
  }

  /** Types into the input line that is shown, and confirms it. */
  async answerInput(text: string): Promise<void> {
    const input = this.#quickInput();
    await input.waitFor({ timeout: patience });
    await input.fill(text);
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden", timeout: patience });
  }

  /** Makes the panel below the editors so many pixels high, by dragging its edge. */
  async resizePanel(height: number): Promise<void> {
    const panel = this.page.locator(".part.panel");
    const box = await panel.boundingBox();
    if (box === null) throw new Error("the panel is not shown");
    const x = box.x + box.width / 2;
    // The edge that can be dragged lies in the gap above the panel.
    await this.page.mouse.move(x, box.y - 2);
    await this.page.mouse.down();
    await this.page.mouse.move(x, box.y + box.height - height, { steps: 4 });
    await this.page.mouse.up();
    const isHigh = async (): Promise<boolean> => Math.abs(((await panel.boundingBox())?.height ?? 0) - height) < 40;
    await poll(`a panel of ${height} pixels`, isHigh, { timeout: patience });
  }

  /** Closes toasts as a user would: the first Escape in a terminal goes to them. */
  async closeToasts(): Promise<void> {
    const toasts = this.page.locator(".notifications-toasts.visible .notification-toast");
    const areGone = async (): Promise<boolean> => {
      if ((await toasts.count()) === 0) return true;
      await this.page.keyboard.press("Escape");
      return false;
    };
    await poll("the end of the toasts", areGone, { timeout: patience });
  }

  /** Whether the element that gets the keys lies within what the selector names. */
  async isFocusIn(selector: string): Promise<boolean> {
    return await this.page.evaluate((inside) => document.activeElement?.closest(inside) != null, selector);
  }

  /** The labels of all tabs, with `tab` telling how to reach them. */
  tabs(): Locator {
    return this.page.locator(".editor-group-container .tabs-container .tab");
  }

  /** An action in the title of the active editor group, by what it is called. */
  titleAction(name: RegExp): Locator {
    const actions = this.page.locator(".editor-group-container.active .editor-actions .action-label");
    return actions.and(this.page.getByRole("button", { name })).first();
  }

  /** Answers a modal dialog by a button's exact label. Another one may follow at once: it is waited for by its words. */
  async answerDialog(button: string): Promise<void> {
    const shown = this.page.locator(".monaco-dialog-box");
    await shown.waitFor({ timeout: patience });
    const words = await shown.locator(".dialog-message-container").innerText();
    await shown.getByRole("button", { name: button, exact: true }).click();
    await shown.filter({ hasText: words }).waitFor({ state: "hidden", timeout: patience });
  }

  /** Whether the dialog that is open has a button with exactly this label. */
  async hasDialogButton(label: string): Promise<boolean> {
    return await this.page.locator(".monaco-dialog-box").getByRole("button", { name: label, exact: true }).isVisible();
  }

  /** Waits for a dialog, for so many milliseconds at most. */
  async waitForDialog(timeout: number): Promise<void> {
    await this.page
      .locator(".monaco-dialog-box")
      .waitFor({ timeout })
      .catch(() => {
        // None came.
      });
  }

  async isDialogOpen(): Promise<boolean> {
    return await this.page.locator(".monaco-dialog-box").isVisible();
  }

  #quickInput(): Locator {
    return this.page.locator(".quick-input-widget:not(.hidden) .quick-input-box input");
  }
}
