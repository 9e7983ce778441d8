import { Buffer } from "node:buffer";
import { stripVTControlCharacters } from "node:util";
import type { Logger } from "@patchbay/core";
import type { Environment } from "./children.ts";

/** The longest line that is read, bytes: an agent may send a whole file, or what a build printed. */
const lineLimit: number = 64 * 1_048_576;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Cuts what a program writes into lines, and reads each as JSON. Lines that cannot be read are logged and skipped. */
export class LineReader {
  readonly #logger: Logger;
  readonly #onMessage: (message: unknown) => void;
  readonly #limit: number;
  /** The beginning of a line. Bytes: a character may be cut between two chunks. */
  #pieces: Uint8Array[] = [];
  #size = 0;
  #isTooLong = false;

  constructor(logger: Logger, onMessage: (message: unknown) => void, limit: number = lineLimit) {
    this.#logger = logger;
    this.#onMessage = onMessage;
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The program has ended: its last line may have no end. */
  end(): void {
    this.#finishLine();
  }

  #add(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) {
      this.#isTooLong = true;
      this.#pieces = [];
    } else {
      this.#pieces.push(piece);
    }
  }

  #finishLine(): void {
    const pieces = this.#pieces;
    const size = this.#size;
    const isTooLong = this.#isTooLong;
    this.#pieces = [];
    this.#size = 0;
    this.#isTooLong = false;
    if (isTooLong) {
      this.#logger.warn("A line of an agent was too long and was skipped", { bytes: size });
      return;
    }
    const [first] = pieces;
    if (first === undefined) return;
    const line = pieces.length === 1 ? first : Buffer.concat(pieces);
    this.#read(line.at(-1) === carriageReturn ? line.subarray(0, -1) : line);
  }

  #read(line: Uint8Array): void {
    if (line.length === 0) return;
    let message: unknown;
    try {
      message = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("utf8"));
    } catch {
      this.#logger.warn("A line of an agent was no JSON and was skipped", { bytes: line.length });
      return;
    }
    this.#onMessage(message);
  }
}

/** The end of a text as a text of its own: a mere slice would keep all of it in memory, which may be many megabytes. */
export function lastOf(text: string, units: number): string {
  return text.length <= units ? text : Buffer.from(text.slice(-units), "utf16le").toString("utf16le");
}

/** How much is kept of what a program writes to its standard error, bytes. */
export const errorTailLimit: number = 64 * 1_024;

/** The last that a program wrote to its standard error. */
export class ErrorTail {
  readonly #secrets: readonly string[];
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(environment: Environment) {
    this.#secrets = secretsOf(environment);
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    for (let first = this.#chunks[0]; first !== undefined; first = this.#chunks[0]) {
      if (this.#size - first.length < errorTailLimit) return;
      this.#size -= first.length;
      this.#chunks.shift();
    }
  }

  /** As plain text, with every secret masked. */
  text(): string {
    const kept = Buffer.concat(this.#chunks).subarray(-errorTailLimit);
    const text = plainText(kept.toString("utf8"));
    // Where the beginning was cut off, the first line is none, and may hold the end of a secret.
    const whole = kept.length < errorTailLimit ? text : text.slice(text.indexOf("\n") + 1);
    return maskSecrets(whole, this.#secrets).trimEnd();
  }
}

/** Without colours and what else is for terminals: it is shown as text, and a colour may stand in the middle of a secret. */
function plainText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- Control characters are what is removed.
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/gu, "");
}

const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|AUTH/iu;

/** Shorter values are words and numbers that may stand anywhere. */
const shortestSecret = 8;

function secretsOf(environment: Environment): readonly string[] {
  return Object.entries(environment)
    .filter(([name, value]) => secretName.test(name) && value.length >= shortestSecret)
    .map(([, value]) => value);
}

/** What looks like a secret wherever it stands: keys of providers, bearer tokens, credentials in addresses and JSON. */
const secretShapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abposr]|AIza|ya29|hf|gsk)[-_.A-Za-z0-9]{12,}/gu,
  /(?<=\b(?:bearer|basic)\s+)[-._~+/=A-Za-z0-9]{8,}/giu,
  /(?<=:\/\/[^\s:/@]{0,256}:)[^\s/@]+(?=@)/gu,
  /(?<=["']?(?:api[-_]?key|token|secret|password|authorization)["']?\s*[:=]\s*["']?)[^\s"',;}]{8,}/giu,
];

/** A text with secrets replaced: the ones that are named, and what looks like one. */
export function maskSecrets(text: string, secrets: readonly string[] = []): string {
  const masked = secrets.reduce((result, secret) => result.replaceAll(secret, "***"), text);
  return secretShapes.reduce((result, shape) => result.replaceAll(shape, "***"), masked);
}
