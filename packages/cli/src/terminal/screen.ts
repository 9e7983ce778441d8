import { clearLine, createInterface, cursorTo, type Interface } from "node:readline";

export interface ScreenStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

export interface ScreenHandlers {
  line(text: string): void;
  /** Ctrl+C. */
  interrupt(): void;
  /** The input has ended (Ctrl+D, a closed terminal). */
  end(): void;
}

/** A terminal with a prompt at the bottom, above which lines are printed at any time. */
export class Screen {
  readonly #streams: ScreenStreams;
  readonly #handlers: ScreenHandlers;
  readonly #held: string[] = [];
  #lines: Interface | undefined;
  #prompt = "";
  #isClosed = false;

  constructor(streams: ScreenStreams, handlers: ScreenHandlers) {
    this.#streams = streams;
    this.#handlers = handlers;
  }

  open(): void {
    this.#attach();
  }

  /** Prints whole lines above the prompt; they must be safe to print. Held back while another program has the terminal. */
  print(text: string): void {
    if (this.#lines === undefined && !this.#isClosed) {
      this.#held.push(text);
      return;
    }
    const { output } = this.#streams;
    const isTerminal = output.isTTY === true;
    if (isTerminal) {
      cursorTo(output, 0);
      clearLine(output, 0);
    }
    output.write(`${text}\n`);
    if (isTerminal) this.#lines?.prompt(true);
  }

  /** Changes the prompt and drops what was typed at the old one, which it was not meant for. */
  ask(prompt: string): void {
    this.#prompt = prompt;
    if (this.#lines === undefined) return;
    this.#lines.setPrompt(prompt);
    if (this.#lines.terminal) {
      this.#lines.write(null, { ctrl: true, name: "e" });
      this.#lines.write(null, { ctrl: true, name: "u" });
    }
    this.#lines.prompt();
  }

  /** Lends the terminal to another program for as long as it runs. */
  async lend<T>(run: () => Promise<T>): Promise<T> {
    const lines = this.#lines;
    this.#lines = undefined;
    lines?.close();
    try {
      return await run();
    } finally {
      if (!this.#isClosed) this.#attach();
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const lines = this.#lines;
    this.#lines = undefined;
    lines?.close();
  }

  #attach(): void {
    const { input, output } = this.#streams;
    const terminal = input.isTTY === true && output.isTTY === true;
    const lines = createInterface({ input, output, terminal, prompt: this.#prompt });
    this.#lines = lines;
    lines.on("line", (text) => this.#handlers.line(text));
    lines.on("SIGINT", () => this.#handlers.interrupt());
    lines.on("close", () => {
      // Closed by us: lent to a program, or at the end.
      if (this.#lines !== lines) return;
      this.#lines = undefined;
      this.#isClosed = true;
      this.#handlers.end();
    });
    for (const text of this.#held.splice(0)) this.print(text);
    if (this.#prompt !== "") lines.prompt();
  }
}
