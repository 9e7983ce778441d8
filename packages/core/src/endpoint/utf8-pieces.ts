import { isAscii, isUtf8 } from "node:buffer";

const empty = Buffer.alloc(0);

/**
 * Decodes UTF-8 that comes in pieces, each cut anywhere. The runtime's own decoder takes several times as long for pieces
 * as for a whole, and makes strings of two bytes for each character of them. A byte order mark is kept, so that it is
 * refused as no JSON like in a short text.
 */
export class Utf8Pieces {
  /** The beginning of a character of which the rest has not come yet. */
  #rest: Buffer = empty;

  /** The text up to the last whole character, or undefined where the bytes are not UTF-8. */
  decode(bytes: Buffer): string | undefined {
    if (this.#rest.length === 0 && isAscii(bytes)) return bytes.toString("latin1");
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = endOfWholeCharacters(all);
    // A copy: who gave the bytes may use their memory again.
    this.#rest = end === all.length ? empty : Buffer.from(all.subarray(end));
    const whole = all.subarray(0, end);
    return isUtf8(whole) ? whole.toString("utf8") : undefined;
  }

  /** Whether no character lacks its end. */
  get isWhole(): boolean {
    return this.#rest.length === 0;
  }
}

/** Where bytes end without their last character, if that is not all there. */
function endOfWholeCharacters(bytes: Buffer): number {
  const { length } = bytes;
  // A character has four bytes at most.
  for (let back = 1; back < 4; back += 1) {
    const byte = bytes[length - back];
    if (byte === undefined) break;
    if (isContinuation(byte)) continue;
    return bytesOfCharacter(byte) > back ? length - back : length;
  }
  return length;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** By its first byte; what cannot be one is found out when more has come. */
function bytesOfCharacter(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
