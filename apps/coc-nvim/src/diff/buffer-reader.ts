import { asBoolean, asNumber, asShape } from "../vim/shape.ts";
import { type BufferText, readBufferText } from "./buffer-text.ts";

/** A buffer's text as it was at one moment. */
export interface BufferReading {
  readonly buffer: BufferText;
  /** Changes with the text. */
  readonly tick: number;
}

/**
 * Knows the text of one buffer, and asks only for what has changed since it was asked last: a text of megabytes would hold up
 * Vim and this process with every key. The answers are those of `patchbay#changes#since()`.
 */
export class BufferReader {
  readonly #ask: (known: number) => Promise<unknown>;
  #answer = 0;
  #lines: string[] = [];
  // oxlint-disable-next-line patchbay/no-kept-promise -- A tail that never rejects.
  #last: Promise<unknown> = Promise.resolve();

  /** @param ask Gets the changes since the answer of this number; 0 for all of the text. */
  constructor(ask: (known: number) => Promise<unknown>) {
    this.#ask = ask;
  }

  /** The text as it is now; undefined where there is no such buffer. One question at a time: each builds upon the one before. */
  read(): Promise<BufferReading | undefined> {
    const reading = this.#last.then(() => this.#read());
    this.#last = reading.catch(() => {});
    return reading;
  }

  async #read(): Promise<BufferReading | undefined> {
    for (;;) {
      const answer = asShape(await this.#ask(this.#answer));
      const come = readBufferText(answer);
      if (come === undefined) return undefined;
      const tick = asNumber(answer["tick"]);
      // The buffer is gone, and this is what it held.
      if (answer["answer"] === undefined) return { buffer: come, tick };
      if (asNumber(answer["from"]) === 0) this.#lines = [];
      this.#lines.splice(asNumber(answer["first"]) - 1, asNumber(answer["gone"]), ...come.lines);
      this.#answer = asNumber(answer["answer"]);
      if (!asBoolean(answer["more"])) return { buffer: { ...come, lines: this.#lines.slice() }, tick };
    }
  }
}
