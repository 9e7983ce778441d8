import { timingSafeEqual } from "node:crypto";
import type { Random } from "../platform/platform.ts";

const maximumLength = 200;
const dialectPattern = /^[a-z0-9-]{1,32}$/;

/**
 * Issues and recognises session ids of the form `<dialect>.<random>.<mac>`. The MAC lets an endpoint that was started
 * anew with the same key take back the sessions of the one before, so that agents survive a reload of the editor.
 */
export class SessionIds {
  readonly #key: string;
  readonly #random: Random;

  constructor(key: string, random: Random) {
    this.#key = key;
    this.#random = random;
  }

  issue(dialect: string): string {
    const name = dialectPattern.test(dialect) ? dialect : "unknown";
    const body = `${name}.${this.#random.token(16)}`;
    return `${body}.${this.#random.mac(this.#key, body)}`;
  }

  /** The dialect named in an id that was issued under this key, else undefined. Takes the same time for every wrong MAC. */
  verify(id: string): string | undefined {
    if (id.length > maximumLength) return undefined;
    const end = id.lastIndexOf(".");
    if (end <= 0) return undefined;
    const body = id.slice(0, end);
    const told = Buffer.from(id.slice(end + 1), "latin1");
    const right = Buffer.from(this.#random.mac(this.#key, body), "latin1");
    if (told.length !== right.length || !timingSafeEqual(told, right)) return undefined;
    return body.slice(0, body.indexOf("."));
  }
}
