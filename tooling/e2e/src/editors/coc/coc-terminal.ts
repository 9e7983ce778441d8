import { poll } from "../../support/poll.ts";
import type { TerminalKey } from "../../terminals/terminal.ts";
import type { TmuxTerminal } from "../../terminals/tmux.ts";
import type { EditorTerminal } from "../editor-driver.ts";
import type { EditorLink } from "./editor-link.ts";

/** Ctrl-\ Ctrl-N: to Normal mode from any mode, also out of a terminal. */
export const toNormalMode = "\u001c\u000e";

export interface CocTerminalOptions {
  readonly pane: TmuxTerminal;
  readonly link: EditorLink;
  readonly isNeovim: boolean;
  /** Number of the terminal's buffer. */
  readonly buffer: number;
}

/** A `:terminal` of Vim or Neovim. */
export class CocTerminal implements EditorTerminal {
  readonly #options: CocTerminalOptions;

  constructor(options: CocTerminalOptions) {
    this.#options = options;
  }

  async focus(): Promise<void> {
    const { pane, link, buffer } = this.#options;
    if ((await link.read("[bufnr('%'), mode()]").then(String)) === `${buffer},t`) return;
    await pane.type(toNormalMode);
    await pane.type(`:call win_gotoid(win_findbuf(${buffer})[0])`);
    await pane.press("Enter");
    await poll("the terminal's window", async () => (await link.read("bufnr('%')")) === buffer, { timeout: 5_000 });
    if ((await link.read("mode()")) !== "t") await pane.type("i");
    await poll("focus in the terminal", async () => (await link.read("mode()")) === "t", { timeout: 5_000 });
  }

  async screen(): Promise<string> {
    const { link, isNeovim, buffer } = this.#options;
    const lines = await link.read(
      isNeovim
        ? `getbufline(${buffer}, max([1, nvim_buf_line_count(${buffer}) - &lines]), '$')`
        : `map(range(1, term_getsize(${buffer})[0]), 'term_getline(${buffer}, v:val)')`,
    );
    return (Array.isArray(lines) ? lines.map((line) => String(line).trimEnd()) : []).join("\n").trimEnd();
  }

  /** Key by key: agents take keys that come all at once for one, and look at an older state of their prompt. */
  async type(text: string): Promise<void> {
    for (const character of text) await this.#options.pane.type(character);
  }

  async press(key: TerminalKey): Promise<void> {
    await this.#options.pane.press(key);
  }
}
