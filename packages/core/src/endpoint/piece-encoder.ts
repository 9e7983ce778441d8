import type { PiecedText } from "../support/json-pieces.ts";

/**
 * Makes bytes of a text of some megabytes, a piece in a turn, with other work in between; what is asked for sooner (`finish`) is
 * made at once. `onDone` gets all bytes together, once, and nothing of them before: who sends them never stops in the middle.
 */
export class PieceEncoder {
  readonly #pieces: Iterator<string>;
  readonly #onDone: (parts: readonly Buffer[]) => void;
  readonly #parts: Buffer[] = [];
  #isOver = false;

  constructor(text: PiecedText, onDone: (parts: readonly Buffer[]) => void) {
    this.#pieces = text.pieces()[Symbol.iterator]();
    this.#onDone = onDone;
    setImmediate(this.#turn);
  }

  /** There is no later turn: the rest is made now. */
  finish(): void {
    while (!this.#isOver) this.#step();
  }

  /** Nobody wants the bytes any more. */
  cancel(): void {
    this.#isOver = true;
  }

  readonly #turn = (): void => {
    if (this.#isOver) return;
    this.#step();
    if (!this.#isOver) setImmediate(this.#turn);
  };

  #step(): void {
    const { done, value } = this.#pieces.next();
    if (done !== true) {
      this.#parts.push(Buffer.from(value));
      return;
    }
    this.#isOver = true;
    this.#onDone(this.#parts);
  }
}
