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
    this.bytes += utf8Length(piece);
    if (this.bytes <= this.#limit) return piece;
    const sentence = `The value "${this.#key}" is larger than the ${this.#limit} bytes that may be kept.`;
    throw new PatchbayError("too-large", sentence);
  }

  *all(pieces: Iterable<string>): Generator<string> {
    for (const piece of pieces) yield this.add(piece);
  }
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair counts two: together the four bytes of their code point.
    if (unit >= 0x80) length += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return length;
}
