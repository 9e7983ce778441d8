import type { Locator, Page } from "playwright-core";
import { poll } from "../../support/poll.ts";

/** Theia's page: what a user sees and does there. */
export class TheiaWorkbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Resolves when the window is drawn and its layout is complete. */
  async waitUntilReady(): Promise<void> {
    await this.page.locator("#theia-statusBar").waitFor({ timeout: 60_000 });
    await this.page.locator(".theia-preload").waitFor({ state: "detached", timeout: 60_000 });
  }

  /** Runs a command by its whole label: the palette also lists what is merely similar. */
  async runCommand(label: string): Promise<void> {
    await this.#openList("F1");
    await this.choose(`>${label}`, label);
  }

  /** Opens a file of the workspace by its name. */
  async openFile(name: string): Promise<void> {
    await this.#openList("Control+P");
    await this.choose(name, name);
    await this.mainTabs()
      .and(this.page.locator(".lm-mod-current", { hasText: name }))
      .first()
      .waitFor({ timeout: 10_000 });
    await poll(`focus in the editor of ${name}`, () => this.isFocusIn("#theia-main-content-panel .theia-editor"), {
      timeout: 10_000,
    });
  }

  /** Puts the cursor at the start of a line, 1-based, of the editor that has the focus. */
  async goToLine(line: number): Promise<void> {
    await this.#openList("Control+G");
    const input = this.#quickInput();
    await input.fill(`:${line}`);
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden", timeout: 10_000 });
  }

  /** Selects a line, 1-based, of the editor that has the focus. */
  async selectLine(line: number): Promise<void> {
    await this.goToLine(line);
    await this.page.keyboard.press("Shift+End");
    await this.page.locator("#theia-main-content-panel .selected-text").first().waitFor({ timeout: 10_000 });
  }

  /** Makes the panel below the editors so many pixels high, by dragging its edge. */
  async resizePanel(height: number): Promise<void> {
    const panel = this.page.locator("#theia-bottom-content-panel");
    const box = await panel.boundingBox();
    if (box === null) throw new Error("the panel is not shown");
    const x = box.x + box.width / 2;
    await this.page.mouse.move(x, box.y - 1);
    await this.page.mouse.down();
    await this.page.mouse.move(x, box.y + box.height - height, { steps: 4 });
    await this.page.mouse.up();
    const isHigh = async (): Promise<boolean> => Math.abs(((await panel.boundingBox())?.height ?? 0) - height) < 40;
    await poll(`a panel of ${height} pixels`, isHigh, { timeout: 5_000 });
  }

  /** Whether the element that gets the keys lies within what the selector names. */
  async isFocusIn(selector: string): Promise<boolean> {
    return await this.page.evaluate((inside) => document.activeElement?.closest(inside) != null, selector);
  }

  /** Puts the mouse where it points at nothing. */
  async parkPointer(): Promise<void> {
    await this.page.mouse.move(900, 12);
  }

  /** The tabs of the editors' area. */
  mainTabs(): Locator {
    return this.page.locator("#theia-main-content-panel .lm-TabBar-tab");
  }

  /** The tab of what is in the foreground. */
  get currentTab(): Locator {
    return this.page.locator("#theia-main-content-panel .lm-TabBar-tab.lm-mod-current");
  }

  /** The editor, or the diff, in the foreground. */
  get editor(): Locator {
    return this.page.locator("#theia-main-content-panel .theia-editor:not(.lm-mod-hidden)").first();
  }

  /** A button in the toolbar of the editors' area, by its words. */
  toolbarItem(words: string): Locator {
    return this.toolbarItems(words).first();
  }

  /** All of them with these words. */
  toolbarItems(words: string): Locator {
    const items = this.page.locator("#theia-main-content-panel .lm-TabBar-toolbar .action-label");
    return items.filter({ hasText: new RegExp(`^\\s*${words}\\s*$`) });
  }

  /** Everything in a channel of the output view, whether it is shown or not. */
  async readOutput(channel: string): Promise<string> {
    return await this.page.evaluate<string>(`(async () => {
      const { container } = globalThis.theia;
      const isManager = (key) => typeof key === "function" && key.name.replace(/\\d+$/, "") === "OutputChannelManager";
      const key = [...container._bindingDictionary._map.keys()].find(isManager);
      return await container.get(key).getChannel(${JSON.stringify(channel)}).resource.readContents();
    })()`);
  }

  /** Sets one of the user's preferences; resolves when it holds in the window. */
  async setPreference(name: string, value: unknown): Promise<void> {
    await this.page.evaluate(`(async () => {
      const { container } = globalThis.theia;
      const isService = (key) => typeof key === "symbol" && key.description === "PreferenceService";
      const key = [...container._bindingDictionary._map.keys()].find(isService);
      const user = 1;
      await container.get(key).set(${JSON.stringify(name)}, ${JSON.stringify(value)}, user);
    })()`);
  }

  /** Answers a modal dialog by a button's exact label. */
  async answerDialog(button: string): Promise<void> {
    await this.dialog.waitFor({ timeout: 10_000 });
    await this.dialog.getByRole("button", { name: button, exact: true }).click();
    await this.dialog.waitFor({ state: "detached", timeout: 10_000 });
  }

  get dialog(): Locator {
    return this.page.locator(".dialogOverlay .dialogBlock");
  }

  /** Answers a notification by a button's exact label. */
  async answerNotification(button: string): Promise<void> {
    const buttons = this.page.locator(".theia-notification-list-item button");
    await buttons
      .and(this.page.getByText(button, { exact: true }))
      .first()
      .click({ timeout: 10_000 });
  }

  /** The same by a button that only one notification has; gives what that says. */
  async readAndAnswer(button: string): Promise<string> {
    const pressed = this.page.locator("button").and(this.page.getByText(button, { exact: true }));
    const notification = this.page.locator(".theia-notification-list-item").filter({ has: pressed }).first();
    await notification.waitFor({ timeout: 30_000 });
    const told = await notification.locator(".theia-notification-message").innerText();
    await notification.locator(pressed).click({ timeout: 10_000 });
    return told;
  }

  /** What the notifications say: those on the screen, and those kept in their list. */
  async notificationTexts(): Promise<readonly string[]> {
    const messages = this.page.locator(".theia-notifications-container .theia-notification-message");
    return Array.from(new Set(await messages.allTextContents()), (text) => text.trim());
  }

  /** Lets a notification pass. */
  async closeNotification(): Promise<void> {
    const notification = this.page.locator(".theia-notification-list-item").first();
    await notification.waitFor({ timeout: 10_000 });
    // Its cross is there only under the pointer.
    await notification.hover();
    await notification.locator(".codicon-close").click({ timeout: 5_000 });
  }

  async choose(typed: string, label: string): Promise<void> {
    const input = this.#quickInput();
    await input.waitFor({ timeout: 10_000 });
    await input.fill(typed);
    const rows = this.page.locator(".quick-input-widget .quick-input-list .monaco-list-row");
    const row = await poll(
      `“${label}” in the list`,
      async () => {
        for (const candidate of await rows.all()) {
          const shown = await candidate
            .locator(".label-name")
            .first()
            .textContent({ timeout: 1_000 })
            .catch(() => null);
          if (shown?.replaceAll("\u00a0", " ").trim() === label) return candidate;
        }
        return undefined;
      },
      { timeout: 20_000, describe: async () => `It lists: ${(await rows.allInnerTexts()).join(" | ")}` },
    );
    await row.click();
    const shown = (): Promise<string> => input.inputValue({ timeout: 500 }).catch(() => "");
    const isOver = async (): Promise<boolean> => !(await input.isVisible()) || (await shown()) !== typed;
    await poll("the end of the list", isOver, { timeout: 10_000 });
  }

  /** Presses a key until its list is there: right after the window was drawn, keys are not taken yet. */
  async #openList(key: string): Promise<void> {
    const input = this.#quickInput();
    // A terminal keeps most keys for itself: a click beside the menu takes them away from it.
    if (await this.isFocusIn(".terminal-container")) await this.page.mouse.click(900, 12);
    const press = async (): Promise<boolean> => {
      await this.page.keyboard.press(key);
      return await input.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    };
    await poll(`the list that ${key} opens`, press, { timeout: 15_000 });
  }

  #quickInput(): Locator {
    return this.page.locator(".quick-input-widget .quick-input-box input");
  }
}
