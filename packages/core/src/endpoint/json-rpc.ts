import type {
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { rpcCodes } from "./answers.ts";

const quote = 0x22;
const backslash = 0x5c;

/** Strings that are longer, UTF-16 units, are decoded on their own, piece by piece. */
const longString = 64 * 1024;

/** A JSON text without its long strings, and these decoded; `marker` and an index stand where each was. */
export interface LargeJson {
  readonly text: string;
  readonly marker: string;
  readonly strings: readonly string[];
}

/**
 * Takes a JSON text apart while it comes in. `JSON.parse` would block for the whole length of a text, and nearly all of a
 * large proposal is one string: so long strings are decoded with the pieces they come in, and what is left to be
 * parsed at the end is small. What is no JSON stays none.
 */
export class LargeJsonReader {
  readonly #marker: string;
  readonly #strings: string[] = [];
  #text = "";
  /** The raw text of a string of which it is not known yet whether it is long. */
  #short: string | undefined;
  /** What is decoded of a long string. */
  #long: GrowingText | undefined;
  /** An escape sequence of which the rest has not come yet. */
  #unfinished = "";
  #isBroken = false;
  /** How much of the text has not come yet, as far as its sender says. */
  #expected: number;

  /** `nonce` is a text that the sender cannot know, `expected` how long they say that the text is, UTF-16 units. */
  constructor(nonce: string, expected: number = 0) {
    this.#marker = `${nonce}:`;
    this.#expected = expected;
  }

  add(chunk: string): void {
    this.#expected -= chunk.length;
    const text = new StringScan(this.#unfinished + chunk);
    this.#unfinished = "";
    while (!text.isAtEnd && !this.#isBroken) {
      if (this.#isOutside) {
        this.#text += text.upToQuote();
        if (text.isAtEnd) return;
        text.skipQuote();
        this.#short = "";
      }
      this.#take(text.restOfString());
      if (!text.isAtQuote) {
        this.#unfinished = text.rest();
        return;
      }
      text.skipQuote();
      this.#close();
    }
  }

  /** The whole, when everything has come. */
  end(): LargeJson {
    // A string without its end makes the whole what it is: no JSON.
    const rest = this.#isOutside && !this.#isBroken ? "" : '"';
    return { text: this.#text + rest, marker: this.#marker, strings: this.#strings };
  }

  get #isOutside(): boolean {
    return this.#short === undefined && this.#long === undefined;
  }

  #take(raw: string): void {
    if (this.#long === undefined) {
      this.#short += raw;
      if ((this.#short?.length ?? 0) <= longString) return;
      this.#long = new GrowingText(this.#expected + longString);
    }
    const piece = this.#short ?? raw;
    this.#short = undefined;
    try {
      const decoded: unknown = JSON.parse(`"${piece}"`);
      this.#long.add(String(decoded));
    } catch {
      // A control character or an escape that JSON does not know.
      this.#isBroken = true;
    }
  }

  #close(): void {
    if (this.#long === undefined) this.#text += `"${this.#short ?? ""}"`;
    else {
      this.#text += `"${this.#marker}${this.#strings.length}"`;
      this.#strings.push(this.#long.take());
    }
    this.#short = undefined;
    this.#long = undefined;
  }
}

/** The least room for a text that grows, bytes. */
const leastRoom = 256 * 1024;

/**
 * A text that grows by pieces, held outside of the garbage collector's heap: there each piece would be copied twice while
 * it waits for the others, and all of them once more when the text is read for the first time.
 */
class GrowingText {
  #bytes: Buffer;
  #length = 0;
  /** Whether each UTF-16 unit takes two bytes: the text is not all ASCII. */
  #isWide = false;

  /** `expected`: how long it may become, UTF-16 units; it can become longer. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(expected, leastRoom));
  }

  add(piece: string): void {
    if (!this.#isWide && Buffer.byteLength(piece) !== piece.length) this.#widen();
    this.#reserve(this.#length + (this.#isWide ? 2 : 1) * piece.length);
    this.#length += this.#bytes.write(piece, this.#length, this.#encoding);
  }

  /** The whole; what was held for it is given back. */
  take(): string {
    const text = this.#bytes.toString(this.#encoding, 0, this.#length);
    this.#bytes = Buffer.alloc(0);
    return text;
  }

  get #encoding(): "utf16le" | "latin1" {
    return this.#isWide ? "utf16le" : "latin1";
  }

  #widen(): void {
    const text = this.#bytes.toString("latin1", 0, this.#length);
    this.#isWide = true;
    this.#length = 0;
    this.#reserve(2 * this.#bytes.length);
    this.#length = this.#bytes.write(text, this.#encoding);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const before = this.#bytes;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * before.length));
    before.copy(this.#bytes, 0, 0, this.#length);
  }
}

/** Puts the long strings back where they belong. */
export function parseLargeJson({ text, marker, strings }: LargeJson): unknown {
  const find = (value: string): string =>
    value.startsWith(marker) ? (strings[Number(value.slice(marker.length))] ?? value) : value;
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return find(value);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [find(key), fill(member)]));
  };
  const value: unknown = JSON.parse(text);
  return strings.length === 0 ? value : fill(value);
}

/** Walks over a part of a JSON text. */
class StringScan {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#index >= this.#text.length;
  }

  get isAtQuote(): boolean {
    return this.#text.charCodeAt(this.#index) === quote;
  }

  upToQuote(): string {
    return this.#goTo(this.#text.indexOf('"', this.#index));
  }

  skipQuote(): void {
    this.#index += 1;
  }

  rest(): string {
    return this.#goTo(this.#text.length);
  }

  /** To the end of the string that the place is in, or to the last whole character or escape. */
  restOfString(): string {
    const start = this.#index;
    let end = this.#text.indexOf('"', start);
    while (end !== -1 && isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1);
    return this.#goTo(end === -1 ? endOfWholeSigns(this.#text, start) : end);
  }

  #goTo(index: number): string {
    const passed = this.#text.slice(this.#index, index === -1 ? undefined : index);
    this.#index += passed.length;
    return passed;
  }
}

/** Whether an odd number of backslashes stands before a place in a string. */
function isEscaped(text: string, place: number): boolean {
  let index = place;
  while (text.charCodeAt(index - 1) === backslash) index -= 1;
  return (place - index) % 2 === 1;
}

/** Where a part of a string ends without its last escape, if that is not all there. */
function endOfWholeSigns(text: string, from: number): number {
  const { length } = text;
  // The longest escape is a code: a backslash, a `u` and four digits.
  const last = text.lastIndexOf("\\");
  if (last < Math.max(from, length - 5) || isEscaped(text, last)) return length;
  const end = last + (text.charAt(last + 1) === "u" ? 6 : 2);
  return end > length ? last : length;
}

export type IncomingRpc =
  | { readonly kind: "request"; readonly message: JSONRPCRequest }
  | { readonly kind: "notification"; readonly message: JSONRPCNotification }
  | { readonly kind: "response"; readonly message: JSONRPCResponse }
  | { readonly kind: "invalid"; readonly id: RequestId | null; readonly code: number; readonly reason: string };

type Params = NonNullable<JSONRPCRequest["params"]>;
type Result = Extract<JSONRPCResponse, { result: unknown }>["result"];

/**
 * Reads one JSON-RPC message: valid JSON, one object of the right shape. What passes here passes
 * the engine's own schemas; anything else the engine would drop without an answer, so it is answered here.
 */
export function readRpc(text: string | LargeJson): IncomingRpc {
  let value: unknown;
  try {
    value = typeof text === "string" ? JSON.parse(text) : parseLargeJson(text);
  } catch {
    return invalid(null, rpcCodes.parseError, "The message is not valid JSON.");
  }
  return shapeRpc(value);
}

function shapeRpc(value: unknown): IncomingRpc {
  if (Array.isArray(value)) return invalid(null, rpcCodes.invalidRequest, "Batches are not supported.");
  if (!isObject(value)) return invalid(null, rpcCodes.invalidRequest, "The message is not a JSON-RPC object.");
  const { jsonrpc, id, method, params } = value;
  const knownId = isRequestId(id) ? id : undefined;
  if (jsonrpc !== "2.0") return invalid(knownId ?? null, rpcCodes.invalidRequest, 'The "jsonrpc" member is not "2.0".');
  if (id !== undefined && knownId === undefined) {
    return invalid(null, rpcCodes.invalidRequest, "The id is neither a string nor an integer.");
  }
  if (method === undefined) return shapeResponse(value, knownId);
  if (typeof method !== "string") {
    return invalid(knownId ?? null, rpcCodes.invalidRequest, "The method is not a string.");
  }
  if (params !== undefined && !isParams(params)) {
    return invalid(knownId ?? null, rpcCodes.invalidRequest, "The params are not an object of the right shape.");
  }
  if (method === "initialize" && knownId !== undefined && !isInitialize(params)) {
    return invalid(knownId, rpcCodes.invalidParams, "The params lack protocolVersion, capabilities or clientInfo.");
  }
  // Rebuilt from known members, because the engine ignores a message with any further one.
  const given = params === undefined ? undefined : { params };
  return knownId === undefined
    ? { kind: "notification", message: { jsonrpc, method, ...given } }
    : { kind: "request", message: { jsonrpc, id: knownId, method, ...given } };
}

function shapeResponse(value: Record<string, unknown>, id: RequestId | undefined): IncomingRpc {
  const { result, error } = value;
  if (id !== undefined && error === undefined && isResult(result)) {
    return { kind: "response", message: { jsonrpc: "2.0", id, result } };
  }
  if (result === undefined && isObject(error)) {
    const { code, message, data } = error;
    if (typeof code === "number" && Number.isSafeInteger(code) && typeof message === "string") {
      const given = id === undefined ? undefined : { id };
      return { kind: "response", message: { jsonrpc: "2.0", ...given, error: { code, message, data } } };
    }
  }
  return invalid(id ?? null, rpcCodes.invalidRequest, "The message is neither a request nor a response.");
}

function invalid(id: RequestId | null, code: number, reason: string): IncomingRpc {
  return { kind: "invalid", id, code, reason };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));
}

function isParams(value: unknown): value is Params {
  return isObject(value) && isMeta(value["_meta"]);
}

/** What a session begins with: without it the engine would answer with a dump of its schemas. */
function isInitialize(params: Params | undefined): boolean {
  if (params === undefined) return false;
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string" || !isObject(capabilities) || !isObject(clientInfo)) return false;
  return typeof clientInfo["name"] === "string" && typeof clientInfo["version"] === "string";
}

function isResult(value: unknown): value is Result {
  return isObject(value) && isMeta(value["_meta"]);
}

/** `_meta` as MCP defines it: an object whose progress token is a string or an integer, and whose task has an id. */
function isMeta(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { progressToken, "io.modelcontextprotocol/related-task": task } = value;
  if (progressToken !== undefined && !isRequestId(progressToken)) return false;
  return task === undefined || (isObject(task) && typeof task["taskId"] === "string");
}
