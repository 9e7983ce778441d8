import type { TerminalOutput } from "@patchbay/panel/workspace";
import { type Disposable, type TerminalShellExecution, type TerminalShellExecutionStartEvent, window } from "vscode";

/** How much of the end of an output is kept, UTF-16 units. */
const longest = 32_768;

interface Printed {
  readonly execution: TerminalShellExecution;
  text: string;
}

/**
 * What the newest command in a terminal has printed, as the shell integration tells it, in memory only. Terminals without it
 * have nothing to tell: the clipboard is never used to read one.
 */
export class TerminalOutputs implements Disposable {
  readonly #following: Disposable;
  #newest: Printed | undefined;
  /** Begun last; VS Code tells nothing of what a command prints that ends at once. */
  #running: Printed | undefined;

  constructor() {
    this.#following = window.onDidStartTerminalShellExecution((event) => void this.#follow(event));
  }

  /** Undefined: no command has printed anything that VS Code has told since the panel was opened. */
  get newest(): TerminalOutput | undefined {
    const newest = this.#newest;
    if (newest === undefined) return undefined;
    const text = plainText(newest.text).trim();
    const command = newest.execution.commandLine.value.trim();
    return text === "" || command === "" ? undefined : { command, text };
  }

  dispose(): void {
    this.#following.dispose();
    this.#newest = undefined;
    this.#running = undefined;
  }

  async #follow({ execution }: TerminalShellExecutionStartEvent): Promise<void> {
    const own: Printed = { execution, text: "" };
    this.#running = own;
    try {
      for await (const chunk of execution.read()) {
        if (this.#running !== own) return;
        own.text = (own.text + chunk).slice(-longest);
        if (plainText(own.text).trim() !== "") this.#newest = own;
      }
    } catch {
      // The terminal has gone: what it has printed stays.
    }
  }
}

/** Without what moves the cursor, colours and titles; what a line was overwritten with counts. */
function plainText(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- These are the controls of a terminal.
      .replaceAll(/\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])/gu, "")
      .replaceAll("\r\n", "\n")
      .replaceAll(/[^\n]*\r(?=[^\n])/gu, "")
      // oxlint-disable-next-line no-control-regex -- These, too.
      .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F]/gu, "")
  );
}
