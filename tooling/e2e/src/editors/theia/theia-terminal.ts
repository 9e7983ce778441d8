import type { Locator } from "playwright-core";
import { poll } from "../../support/poll.ts";
import type { TerminalKey } from "../../terminals/terminal.ts";
import type { EditorTerminal } from "../editor-driver.ts";
import type { TheiaWorkbench } from "./workbench.ts";

const keyNames: Readonly<Record<TerminalKey, string>> = {
  Enter: "Enter",
  Escape: "Escape",
  Down: "ArrowDown",
  Up: "ArrowUp",
  "Control+C": "Control+C",
  "Control+U": "Control+U",
};

/** A terminal in the panel below the editors, told from others by the id of its widget. */
export class TheiaTerminal implements EditorTerminal {
  readonly #workbench: TheiaWorkbench;
  #id: string;

  constructor(workbench: TheiaWorkbench, id: string) {
    this.#workbench = workbench;
    this.#id = id;
  }

  get id(): string {
    return this.#id;
  }

  /** After a reload of the window its widget has another id. */
  relocate(id: string): void {
    this.#id = id;
  }

  async focus(): Promise<void> {
    // On the label: the middle of a tab with a short name is the cross that closes it.
    await this.#workbench.page.locator(`[id="shell-tab-${this.#id}"] .lm-TabBar-tabLabel`).click();
    await this.#widget()
      .locator(".xterm-screen")
      .click({ position: { x: 900, y: 8 } });
    // Over a word that looks like a link the pointer brings up a hint, which covers the tabs.
    await this.#workbench.parkPointer();
    await poll("focus in the terminal", () => this.#workbench.isFocusIn(`[id="${this.#id}"]`), { timeout: 10_000 });
  }

  async screen(): Promise<string> {
    const rows = this.#widget().locator(".xterm-rows > div");
    const lines = await rows.evaluateAll((elements) => elements.map((element) => element.textContent ?? ""));
    return lines
      .map((line) => line.replaceAll("\u00a0", " ").trimEnd())
      .join("\n")
      .trimEnd();
  }

  async type(text: string): Promise<void> {
    // As fast as a person at most: agents take a question mark that comes before they have drawn the rest for a key of theirs.
    await this.#workbench.page.keyboard.type(text, { delay: 15 });
  }

  async press(key: TerminalKey): Promise<void> {
    await this.#workbench.page.keyboard.press(keyNames[key]);
  }

  #widget(): Locator {
    return this.#workbench.page.locator(`[id="${this.#id}"]`);
  }
}
