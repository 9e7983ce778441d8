import { Buffer } from "node:buffer";
import type { Child, ChildListeners, Children, StartRequest, StopSignal } from "@patchbay/conversations";

/** The other end of a program in memory: what it hears, and how it ends. */
export interface ProgramSide {
  /** A whole message has come on its standard input. */
  onMessage(message: unknown): void;
  /** Its standard input was closed. */
  onInputEnd(): void;
  onSignal(signal: StopSignal): void;
}

/** What a program in memory can do. */
export interface ProgramHandle {
  readonly request: StartRequest;
  say(message: unknown): void;
  sayError(text: string): void;
  /** Ends it; nothing is said any more. */
  exit(exit: { readonly code?: number; readonly signal?: string }): void;
}

/** Starts programs in memory, as the port `Children` starts real ones. */
export function createMemoryChildren(program: (handle: ProgramHandle) => ProgramSide): Children {
  let count = 0;
  const living = new Set<MemoryChild>();
  return {
    start: async (request, listeners) => {
      await Promise.resolve();
      count += 1;
      const child = new MemoryChild(count, request, listeners, program);
      living.add(child);
      return child;
    },
    endAllSync: () => {
      for (const child of living) child.signalAll("SIGKILL");
    },
  };
}

class MemoryChild implements Child {
  readonly pid: number;
  readonly #side: ProgramSide;
  #isAlive = true;

  constructor(
    pid: number,
    request: StartRequest,
    listeners: ChildListeners,
    program: (handle: ProgramHandle) => ProgramSide,
  ) {
    this.pid = pid;
    // Behind everything that the start of it has led to, as with a real one.
    const later = (action: () => void): void => void setImmediate(action);
    this.#side = program({
      request,
      say: (message) => {
        const line = Buffer.from(`${JSON.stringify(message)}\n`);
        if (this.#isAlive) later(() => listeners.onOutput(line));
      },
      sayError: (text) => later(() => listeners.onErrorOutput(Buffer.from(text))),
      exit: (exit) => {
        if (!this.#isAlive) return;
        this.#isAlive = false;
        later(() => listeners.onExit(exit));
      },
    });
  }

  async write(text: string): Promise<boolean> {
    if (!this.#isAlive) return false;
    for (const line of text.split("\n").filter((one) => one !== "")) {
      queueMicrotask(() => {
        if (this.#isAlive) this.#side.onMessage(JSON.parse(line));
      });
    }
    return await Promise.resolve(true);
  }

  endInput(): void {
    if (this.#isAlive) this.#side.onInputEnd();
  }

  noteStarted(): void {
    // It starts nothing.
  }

  signalAll(signal: StopSignal): void {
    if (this.#isAlive) this.#side.onSignal(signal);
  }

  isAnyAlive(): boolean {
    return this.#isAlive;
  }
}

/** One line of a recording: what the program said (`in`) or was told (`out`), and what the editor told the driver (`host`). */
export interface RecordedLine {
  readonly dir: "in" | "out" | "host";
  readonly body: unknown;
}

/** A program that says what was recorded of a real one, as far as it has been told what that one had been told by then. */
export class ReplayedProgram implements ProgramSide {
  readonly children: Children;
  /** What it was told, oldest first. */
  readonly heard: unknown[] = [];
  readonly #lines: readonly RecordedLine[];
  #handle: ProgramHandle | undefined;
  #at = 0;

  constructor(lines: readonly RecordedLine[]) {
    this.#lines = lines.filter(({ dir }) => dir !== "host");
    this.children = createMemoryChildren((handle) => {
      this.#handle = handle;
      this.#sayOn();
      return this;
    });
  }

  /** What the real one had been told. */
  get expected(): readonly unknown[] {
    return this.#lines.filter(({ dir }) => dir === "out").map(({ body }) => body);
  }

  onMessage(message: unknown): void {
    this.heard.push(message);
    this.#sayOn();
  }

  onInputEnd(): void {
    this.#handle?.exit({ code: 0 });
  }

  onSignal(signal: string): void {
    this.#handle?.exit({ signal });
  }

  /** Answers may come in another order than they did: it is counted how many there were. */
  #sayOn(): void {
    for (let line = this.#lines[this.#at]; line !== undefined; line = this.#lines[this.#at]) {
      if (line.dir === "out" && this.#toldBy(this.#at + 1) > this.heard.length) return;
      this.#at += 1;
      if (line.dir === "in") this.#handle?.say(line.body);
    }
  }

  #toldBy(end: number): number {
    return this.#lines.slice(0, end).filter(({ dir }) => dir === "out").length;
  }
}
