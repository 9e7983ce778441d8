import { poll } from "../../support/poll.ts";
import type { TerminalKey } from "../../terminals/terminal.ts";
import type { EditorTerminal } from "../editor-driver.ts";
import { patience, type Workbench } from "./workbench.ts";

/** A terminal in the window's panel. Several are told apart by their place in the panel's list. */
export class IntegratedTerminal implements EditorTerminal {
  readonly #workbench: Workbench;
  readonly #index: number;

  constructor(workbench: Workbench, index: number) {
    this.#workbench = workbench;
    this.#index = index;
  }

  async focus(): Promise<void> {
    const entries = this.#workbench.page.locator(".terminal-tabs-entry");
    // The list is shown from two terminals on.
    if ((await entries.count()) > 1) await entries.nth(this.#index).click();
    // Without a click: agents ask for the mouse, and after a reload VS Code tells them of it in an encoding that they do not expect.
    await this.#wrapper().locator(".xterm-helper-textarea").focus();
    await poll("focus in the terminal", () => this.#workbench.isFocusIn(".terminal-wrapper"), { timeout: patience });
  }

  async screen(): Promise<string> {
    const rows = this.#wrapper().locator(".xterm-rows > div");
    const lines = await rows.evaluateAll((elements) => elements.map((element) => element.textContent ?? ""));
    return lines
      .map((line) => line.replaceAll("\u00a0", " ").trimEnd())
      .join("\n")
      .trimEnd();
  }

  async type(text: string): Promise<void> {
    await this.#workbench.page.keyboard.type(text);
  }

  async press(key: TerminalKey): Promise<void> {
    if (key === "Escape") await this.#workbench.closeToasts();
    await this.#workbench.page.keyboard.press(keyNames[key]);
  }

  #wrapper() {
    return this.#workbench.page.locator(".terminal-wrapper.active");
  }
}

const keyNames: Readonly<Record<TerminalKey, string>> = {
  Enter: "Enter",
  Escape: "Escape",
  Down: "ArrowDown",
  Up: "ArrowUp",
  "Control+C": "Control+C",
  "Control+U": "Control+U",
};
