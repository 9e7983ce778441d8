const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** So far a string's end is looked for byte by byte: most strings are short. For a longer way the runtime has better means. */
const nearBytes = 256;

/** Deeper nesting is refused: no agent comes near it, and code that walks a message by recursion stays safe. */
export const maximumDepth = 200;

/**
 * More outside of strings is refused, bytes: about thirty thousand members. No agent sends a hundredth of that, nearly all of a
 * message is the strings of its proposal; and what has many members is parsed and copied in one go, for which everybody waits.
 */
export const maximumStructureBytes: number = 128 * 1024;

/**
 * Follows the nesting of a JSON text while its bytes come in, without building anything. Works chunk by chunk, so that
 * a large body costs a little at each chunk and a hostile one is refused before it is collected.
 */
export class DepthGate {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #structureBytes = 0;

  /** Says what is wrong with the text as soon as it is. */
  refusal(chunk: Uint8Array): "too-deep" | "too-many-members" | undefined {
    const length = chunk.length;
    let index = 0;
    if (this.#escaped && length > 0) {
      this.#escaped = false;
      index = 1;
    }
    if (this.#inString) index = this.#skipString(chunk, index);
    let stringBytes = index;
    let depth = this.#depth;
    for (; index < length; index += 1) {
      const byte = chunk[index];
      if (byte === quote) {
        const last = this.#skipString(chunk, index + 1) - 1;
        stringBytes += last - index;
        index = last;
      } else if (byte === openBrace || byte === openBracket) {
        depth += 1;
        if (depth > maximumDepth) return "too-deep";
      } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    }
    this.#depth = depth;
    this.#structureBytes += length - stringBytes;
    return this.#structureBytes > maximumStructureBytes ? "too-many-members" : undefined;
  }

  /** Where the string that `start` is in ends. Nearly all of a proposal is one string, so this is what the gate costs. */
  #skipString(chunk: Uint8Array, start: number): number {
    const length = chunk.length;
    let index = start;
    for (;;) {
      const near = Math.min(index + nearBytes, length);
      while (index < near) {
        const byte = chunk[index];
        index += 1;
        if (byte === quote) {
          this.#inString = false;
          return index;
        }
        if (byte === backslash) index += 1;
      }
      if (index >= length) return this.#stayInString(length, index > length);
      const next = chunk.indexOf(quote, index);
      const end = next === -1 ? length : next;
      const isEscaped = isOdd(backslashesBefore(chunk, end, index));
      if (next === -1) return this.#stayInString(length, isEscaped);
      index = next + 1;
      if (isEscaped) continue;
      this.#inString = false;
      return index;
    }
  }

  #stayInString(length: number, isEscaped: boolean): number {
    this.#inString = true;
    this.#escaped = isEscaped;
    return length;
  }
}

/** How many backslashes stand right before a place, counted back to `from` at most. */
function backslashesBefore(chunk: Uint8Array, place: number, from: number): number {
  let index = place;
  while (index > from && chunk[index - 1] === backslash) index -= 1;
  return place - index;
}

function isOdd(count: number): boolean {
  return count % 2 === 1;
}
