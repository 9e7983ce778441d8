import { PatchbayError } from "../support/errors.ts";

/** Counts the UTF-8 bytes of a value, at the latest while it is written, and ends the write when they are too many. */
export class CountedText {
  bytes = 0;
  readonly #limit: number;
  readonly #key: string;

  constructor(limit: number, key: string) {
    this.#limit = limit;
    this.#key = key;
  }

  add(piece: string): string {
    this.bytes += Buffer.byteLength(piece);
    if (this.bytes <= this.#limit) return piece;
    const sentence = `The value "${this.#key}" is larger than the ${this.#limit} bytes that may be kept.`;
    throw new PatchbayError("too-large", sentence);
  }

  *all(pieces: Iterable<string>): Generator<string> {
    for (const piece of pieces) yield this.add(piece);
  }
}
