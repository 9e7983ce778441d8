import { Buffer } from "node:buffer";
import { stripVTControlCharacters } from "node:util";
import { type Logger } from "@patchbay/core";
import { LineReader } from "@patchbay/core/json-input";
import type { Environment } from "./children.ts";

/** Reads each line that a program writes as JSON. Lines that cannot be read are logged and skipped. */
export function readMessages(logger: Logger, onMessage: (message: unknown) => void, limit?: number): LineReader {
  return new LineReader({
    ...(limit === undefined ? {} : { limit }),
    onLine: (line, bytes) => {
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        logger.warn("A line of an agent was no JSON and was skipped", { bytes });
        return;
      }
      onMessage(message);
    },
    onTooLong: (bytes) => logger.warn("A line of an agent was too long and was skipped", { bytes }),
  });
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
