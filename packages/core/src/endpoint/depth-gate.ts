const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Deeper nesting is refused: no agent comes near it, and code that walks a message by recursion stays safe. */
export const maximumDepth = 200;

/**
 * Follows the nesting of a JSON text while its bytes come in, without building anything. Works chunk by chunk, so that
 * a large body costs a little at each chunk and a hostile one is refused before it is collected.
 */
export class DepthGate {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** False as soon as the text is nested too deeply. */
  accept(chunk: Uint8Array): boolean {
    const length = chunk.length;
    let index = 0;
    if (this.#escaped && length > 0) {
      this.#escaped = false;
      index = 1;
    }
    if (this.#inString) index = this.#skipString(chunk, index);
    let depth = this.#depth;
    for (; index < length; index += 1) {
      const byte = chunk[index];
      if (byte === quote) index = this.#skipString(chunk, index + 1) - 1;
      else if (byte === openBrace || byte === openBracket) {
        depth += 1;
        if (depth > maximumDepth) return false;
      } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    }
    this.#depth = depth;
    return true;
  }

  /** Where the string that `index` is in ends. Nearly all of a proposal is one string, so this loop is what it costs. */
  #skipString(chunk: Uint8Array, start: number): number {
    const length = chunk.length;
    let index = start;
    while (index < length) {
      const byte = chunk[index];
      index += 1;
      if (byte === quote) {
        this.#inString = false;
        return index;
      }
      if (byte === backslash) index += 1;
    }
    this.#inString = true;
    this.#escaped = index > length;
    return length;
  }
}
