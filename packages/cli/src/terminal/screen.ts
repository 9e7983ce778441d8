import type { Clock, Disposable } from "@patchbay/core";
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";
import { terminalSafe } from "./escape-text.ts";
import { wrapText } from "./layout.ts";

export interface ScreenStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
}

interface ScreenHandlers {
  line(text: string): void;
  /** The lines that Tab may make of this one. */
  complete(text: string): readonly string[];
  /** The user has taken back what was typed: the line is empty again. */
  emptied(): void;
  /** Ctrl+C. */
  interrupt(): void;
  /** The input has ended (Ctrl+D, a closed terminal). */
  end(): void;
}

export interface ScreenOptions {
  readonly streams: ScreenStreams;
  readonly handlers: ScreenHandlers;
  readonly clock: Pick<Clock, "setTimeout">;
  /** Stops the whole job, as the terminal does at Ctrl+Z where nobody reads keys one by one. */
  readonly suspend: () => void;
}

/** A key that is an answer by itself counts when no other follows it: more of them are a command that is being typed. */
const aloneMs = 300;

/** A terminal with a prompt at the bottom, above which lines are printed at any time. All output is made safe here. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #held: string[] = [];
  #lines: Interface | undefined;
  #prompt = "";
  #keys = "";
  #alone: Disposable | undefined;
  #wasTyping = false;
  #isClosed = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** How wide the terminal is; undefined where there is none. */
  get columns(): number | undefined {
    const { output } = this.#options.streams;
    return this.#isTerminal ? (output.columns ?? 80) : undefined;
  }

  /** How high the terminal is; undefined where there is none. */
  get rows(): number | undefined {
    const { output } = this.#options.streams;
    return this.#isTerminal ? (output.rows ?? 24) : undefined;
  }

  /** The user has begun to type a line. */
  get isTyping(): boolean {
    return this.#lines?.terminal === true && this.#lines.line !== "";
  }

  open(): void {
    this.#attach();
  }

  /** Prints sentences above the prompt, broken between words. Held back while another program has the terminal. */
  print(text: string): void {
    this.printLines(wrapText(text, this.columns));
  }

  /** Prints lines as they are, however long: a diff, a command to copy. */
  printLines(text: string): void {
    if (this.#lines === undefined && !this.#isClosed) {
      this.#held.push(text);
      return;
    }
    const { output } = this.#options.streams;
    this.#clearPrompt();
    output.write(`${terminalSafe(text)}\n`);
    if (this.#isTerminal) this.#lines?.prompt(true);
  }

  /** Rings the bell: the user may be looking elsewhere. */
  ring(): void {
    if (this.#isTerminal && !this.#isClosed) this.#options.streams.output.write("\u0007");
  }

  /**
   * Changes the prompt and drops what was typed at the old one, which it was not meant for. `keys` are answers by themselves,
   * without Enter.
   */
  ask(prompt: string, keys = ""): void {
    if (this.isTyping) {
      this.#lines?.write(null, { ctrl: true, name: "e" });
      this.#lines?.write(null, { ctrl: true, name: "u" });
    }
    this.#setPrompt(prompt, keys);
  }

  /** Puts another prompt before what is being typed. */
  reword(prompt: string, keys = ""): void {
    if (terminalSafe(prompt) !== this.#prompt || keys !== this.#keys) this.#setPrompt(prompt, keys);
  }

  #setPrompt(prompt: string, keys: string): void {
    this.#alone?.dispose();
    this.#prompt = terminalSafe(prompt);
    this.#keys = keys;
    if (this.#lines === undefined) return;
    this.#clearPrompt();
    this.#lines.setPrompt(this.#prompt);
    this.#lines.prompt(true);
  }

  /** Lends the terminal to another program for as long as it runs. */
  async lend<T>(run: () => Promise<T>): Promise<T> {
    const lines = this.#lines;
    this.#lines = undefined;
    this.#alone?.dispose();
    lines?.close();
    try {
      return await run();
    } finally {
      if (!this.#isClosed) this.#attach();
    }
  }

  /** Takes the keyboard again after the job was stopped: the shell has set the terminal to its own ways meanwhile. */
  resume(): void {
    const lines = this.#lines;
    if (lines?.terminal !== true) return;
    const { input } = this.#options.streams;
    // A mode that it believes to have is not set again.
    if ("setRawMode" in input && typeof input.setRawMode === "function") {
      input.setRawMode(false);
      input.setRawMode(true);
    }
    lines.resume();
    lines.prompt(true);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#alone?.dispose();
    this.#options.streams.input.off("keypress", this.#typed);
    const lines = this.#lines;
    this.#lines = undefined;
    lines?.close();
  }

  get #isTerminal(): boolean {
    const { input, output } = this.#options.streams;
    return input.isTTY === true && output.isTTY === true;
  }

  /** Takes the prompt and what is typed away, however many rows they take. */
  #clearPrompt(): void {
    const { output } = this.#options.streams;
    if (!this.#isTerminal || this.#lines === undefined) return;
    moveCursor(output, 0, -this.#lines.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    // Else readline goes up by the rows that it drew before, over what is printed now.
    Reflect.set(this.#lines, "prevRows", 0);
  }

  readonly #typed = (): void => {
    this.#alone?.dispose();
    const line = this.#lines?.line;
    if (line === undefined) return;
    const wasTyping = this.#wasTyping;
    this.#wasTyping = line !== "";
    if (line === "") {
      if (wasTyping) this.#options.handlers.emptied();
      return;
    }
    if (line.length === 1 && this.#keys.includes(line)) {
      this.#alone = this.#options.clock.setTimeout(() => this.#lines?.write(null, { name: "return" }), aloneMs);
    }
  };

  #suspend(): void {
    const { input } = this.#options.streams;
    if ("setRawMode" in input && typeof input.setRawMode === "function") input.setRawMode(false);
    this.#options.suspend();
  }

  #attach(): void {
    const { input, output } = this.#options.streams;
    const { handlers } = this.#options;
    const completer = (line: string): [string[], string] => [handlers.complete(line).slice(), line];
    const lines = createInterface({ input, output, terminal: this.#isTerminal, prompt: this.#prompt, completer });
    this.#lines = lines;
    // After readline's own listener, so that the key is part of the line.
    input.off("keypress", this.#typed);
    input.on("keypress", this.#typed);
    lines.on("line", (text) => {
      this.#alone?.dispose();
      this.#wasTyping = false;
      handlers.line(text);
    });
    lines.on("SIGINT", () => handlers.interrupt());
    lines.on("SIGTSTP", () => this.#suspend());
    lines.on("close", () => {
      // Closed by us: lent to a program, or at the end.
      if (this.#lines !== lines) return;
      this.#lines = undefined;
      this.#isClosed = true;
      handlers.end();
    });
    for (const text of this.#held.splice(0)) this.printLines(text);
    if (this.#prompt !== "") lines.prompt();
  }
}
