import { isAscii, isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DepthGate } from "../support/json-gate.ts";
import { type LargeJson, LargeJsonReader } from "./json-rpc.ts";

/** A longer text is taken apart while it comes in. */
const largeBytes = 1024 * 1024;

/**
 * So much of a long text is decoded at once. What a socket gives is taken as it is, without a copy; and what fits the
 * processor's caches is decoded in half the time that larger pieces take.
 */
const pieceBytes = 64 * 1024;

/** Chunks smaller than this are put together first: each piece costs a little by itself. */
const smallChunkBytes = pieceBytes / 2;

/** More chunks than these are joined: a body may come byte by byte, and each would be an object of its own. */
const maximumChunks = 4_096;

export type BodyResult =
  | { readonly kind: "complete"; readonly text: string | LargeJson }
  | { readonly kind: "too-large" }
  | { readonly kind: "too-deep" }
  | { readonly kind: "too-many-members" }
  | { readonly kind: "not-utf8" }
  /** The client went away in the middle. */
  | { readonly kind: "cut" };

/**
 * Reads a request's body as text and calls `done` exactly once. Each chunk is checked and decoded as it comes, so that a
 * large proposal never holds the editor up for its whole length; a body that is over the limit, nested too deeply or not
 * UTF-8 is given up at once and read no further.
 */
export function collectBody(request: IncomingMessage, limitBytes: number, done: (result: BodyResult) => void): void {
  const text = new BodyText(Math.min(Number(request.headers["content-length"] ?? 0), limitBytes));
  let size = 0;

  const finish = (result: BodyResult): void => {
    request.off("data", onData);
    request.off("end", onEnd);
    request.off("close", onCut);
    if (result.kind !== "complete") request.pause();
    done(result);
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    const refusal = size > limitBytes ? "too-large" : text.add(chunk);
    if (refusal !== undefined) finish({ kind: refusal });
  };
  const onEnd = (): void => {
    const whole = text.end();
    finish(whole === undefined ? { kind: "not-utf8" } : { kind: "complete", text: whole });
  };
  const onCut = (): void => finish({ kind: "cut" });

  request.on("data", onData);
  request.on("end", onEnd);
  request.on("close", onCut);
  // A reset connection is told by "close" too; without a listener Node would treat it as uncaught.
  request.on("error", () => undefined);
}

/** Why a message is not read. */
export type TextRefusal = "too-deep" | "too-many-members" | "not-utf8";

/** A text that grows by chunks of bytes, each looked at and decoded as it comes. */
export class BodyText {
  readonly #gate: DepthGate = new DepthGate();
  #chunks: Buffer[] = [];
  #held = 0;
  #large: LargeBody | undefined;
  readonly #expectedBytes: number;

  /** `expectedBytes`: how long the sender says that it is. */
  constructor(expectedBytes: number = 0) {
    this.#expectedBytes = expectedBytes;
  }

  /** Says what is wrong with the chunk. */
  add(chunk: Buffer): TextRefusal | undefined {
    const refusal = this.#gate.refusal(chunk);
    if (refusal !== undefined) return refusal;
    if (this.#chunks.length >= maximumChunks) this.#chunks = [Buffer.concat(this.#chunks)];
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held <= (this.#large === undefined ? largeBytes : smallChunkBytes)) return undefined;
    this.#large ??= new LargeBody(this.#expectedBytes);
    return this.#large.add(this.#take()) ? undefined : "not-utf8";
  }

  /** The whole text, or undefined where it is not UTF-8. */
  end(): string | LargeJson | undefined {
    const rest = this.#take();
    if (this.#large !== undefined) return this.#large.end(rest);
    return isUtf8(rest) ? rest.toString("utf8") : undefined;
  }

  #take(): Buffer {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#held = 0;
    const [first] = chunks;
    return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  }
}

/** A long text, decoded and taken apart while it comes in. */
class LargeBody {
  readonly #decoder: Utf8Pieces = new Utf8Pieces();
  readonly #reader: LargeJsonReader;

  constructor(expectedBytes: number) {
    this.#reader = new LargeJsonReader(randomUUID(), expectedBytes);
  }

  /** False where the bytes are not UTF-8. */
  add(bytes: Buffer): boolean {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      const text = this.#decoder.decode(bytes.subarray(start, start + pieceBytes));
      if (text === undefined) return false;
      this.#reader.add(text);
    }
    return true;
  }

  /** The whole, or undefined where the bytes are not UTF-8. */
  end(bytes: Buffer): LargeJson | undefined {
    return this.add(bytes) && this.#decoder.isWhole ? this.#reader.end() : undefined;
  }
}

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
