import type { Children } from "@patchbay/conversations";
import { createMemoryChildren, type ProgramHandle, type ProgramSide } from "./memory-program.ts";

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
