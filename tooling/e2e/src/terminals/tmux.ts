import { randomBytes } from "node:crypto";
import { mustRun, run } from "../support/processes.ts";
import type { Terminal, TerminalKey } from "./terminal.ts";

/** What to run in a pane. */
export interface PaneOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

const keyNames: Readonly<Record<TerminalKey, string>> = {
  Enter: "Enter",
  Escape: "Escape",
  Down: "Down",
  Up: "Up",
  "Control+C": "C-c",
  "Control+U": "C-u",
};

/** A tmux server of our own with one pane. */
export class TmuxTerminal implements Terminal {
  readonly #socket = `patchbay-${process.pid}-${randomBytes(4).toString("hex")}`;

  /** Starts the pane with a shell, and the command in that shell: agents look for a shell among their ancestors. */
  async start(options: PaneOptions): Promise<void> {
    const env = Object.entries(options.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const size = ["-x", "130", "-y", "50"];
    const shell = ["bash", "--norc", "--noprofile"];
    await this.#tmux(["-f", "/dev/null", "new-session", "-d", ...size, "-c", options.directory, ...env, ...shell]);
    await this.#tmux(["set-option", "-g", "history-limit", "5000"]);
    await this.type(options.command.map(quote).join(" "));
    await this.press("Enter");
  }

  async screen(): Promise<string> {
    return (await this.#tmux(["capture-pane", "-p"])).trimEnd();
  }

  async type(text: string): Promise<void> {
    await this.#tmux(["send-keys", "-l", "--", text]);
  }

  async press(key: TerminalKey): Promise<void> {
    await this.#tmux(["send-keys", keyNames[key]]);
  }

  /** Ends our tmux server and what runs in it. */
  async dispose(): Promise<void> {
    await run("tmux", ["-L", this.#socket, "kill-server"]);
  }

  async #tmux(args: readonly string[]): Promise<string> {
    // The first call starts the server, and what runs in the pane gets the server's environment, too. So it has nothing of the
    // suite's own: `CI` makes Gemini CLI refuse to talk to a terminal, and TMUX means the session the suite may run in.
    const env = { PATH: process.env["PATH"], LANG: "C.UTF-8", TERM: "xterm-256color" };
    return (await mustRun("tmux", ["-L", this.#socket, ...args], { env, timeout: 10_000 })).stdout;
  }
}

/** Quotes a word for a POSIX shell. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
