import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "@patchbay/core";

/** How long a link can be opened, ms. */
export const linkMs = 60_000;

/** More links than these are not open at once: the oldest is given up. */
const mostLinks = 8;

/** More browsers than these are not let in at once: the one that came first is shut out. */
const mostGuests = 16;

/** The header in which a page shows its key where it can set one. A WebSocket shows it as its protocol. */
export const keyHeader = "patchbay-key";

/** Before the key, in the protocol that a page asks for. */
export const keyProtocol = "patchbay.";

/** A browser that has come in by a link. It shows both secrets, each of which is of no use alone. */
interface Guest {
  readonly id: number;
  /** In a cookie, which no script can read. Browsers send it to every port of this address. */
  readonly cookie: string;
  /** In the storage of the page's origin, which no other port can read. */
  readonly key: string;
}

/** What a browser gets for a link. */
export interface Entry {
  readonly setCookie: string;
  readonly key: string;
}

interface Link {
  readonly expiresAt: number;
  /** Who has used it. */
  guest: number | undefined;
}

/**
 * Who may talk with the server of the page (docs/decisions/0010). A link is good for a minute and one browser; what it brings
 * is good as long as this server runs. Where another browser comes with a link that was used, somebody else has seen it, and
 * whoever used it first is shut out.
 */
export class PageDoor {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #onShutOut: (guest: number) => void;
  /** By hashes of their secrets: how long a look-up takes says nothing of them. */
  readonly #links: Map<string, Link> = new Map();
  #guests: readonly Guest[] = [];
  #count = 0;
  #authority = "";

  constructor(clock: Pick<Clock, "monotonic">, onShutOut: (guest: number) => void) {
    this.#clock = clock;
    this.#onShutOut = onShutOut;
  }

  /** The port is known. */
  listensOn(port: number): void {
    this.#authority = `127.0.0.1:${port}`;
  }

  get origin(): string {
    return `http://${this.#authority}`;
  }

  /** A secret that lets one browser in, once. */
  issueLink(): string {
    const secret = newSecret();
    const [oldest] = this.#links.keys();
    if (this.#links.size >= mostLinks && oldest !== undefined) this.#links.delete(oldest);
    this.#links.set(hashOf(secret), { expiresAt: this.#clock.monotonic() + linkMs, guest: undefined });
    return secret;
  }

  /** Undefined: the link is not known, was used, or is too old. */
  enter(secret: string, headers: IncomingHttpHeaders): Entry | undefined {
    const link = this.#links.get(hashOf(secret));
    if (link === undefined) return undefined;
    if (link.guest !== undefined) {
      const again = this.#guests.find(({ id }) => id === link.guest);
      // The same browser, e.g. in a second tab: it is in already.
      if (again !== undefined && !this.#shows(headers, again.cookie)) this.#shutOut(again);
      return undefined;
    }
    if (this.#clock.monotonic() > link.expiresAt) return undefined;
    this.#count += 1;
    const guest = { id: this.#count, cookie: newSecret(), key: newSecret() };
    link.guest = guest.id;
    const [first] = this.#guests;
    if (this.#guests.length >= mostGuests && first !== undefined) this.#shutOut(first);
    this.#guests = [...this.#guests, guest];
    return {
      setCookie: `${this.#cookieName}=${guest.cookie}; Path=/; HttpOnly; SameSite=Strict`,
      key: guest.key,
    };
  }

  /** Whether a request names this server and nothing else: a name that somebody else's DNS leads here is refused. */
  isAddressed({ host }: IncomingHttpHeaders): boolean {
    return host === this.#authority;
  }

  /** Whether a page of this server has made the request. Browsers say so with each one that could do anything. */
  isFromPage(headers: IncomingHttpHeaders): boolean {
    return headers.origin === this.origin && isSameSite(headers);
  }

  /** Whether a request for a part of the page comes from it, or from the user. */
  mayLoad(headers: IncomingHttpHeaders): boolean {
    return (headers.origin === undefined || headers.origin === this.origin) && isSameSite(headers);
  }

  /** The browser that has made a request; undefined: none that has come in. */
  guestOf(headers: IncomingHttpHeaders, key: string | undefined): number | undefined {
    if (key === undefined) return undefined;
    return this.#guests.find((guest) => isSame(guest.key, key) && this.#shows(headers, guest.cookie))?.id;
  }

  /** Cookies know no ports: without it in their names, two servers would take each other's away. */
  get #cookieName(): string {
    return `patchbay-${this.#authority.slice(this.#authority.indexOf(":") + 1)}`;
  }

  #shows({ cookie = "" }: IncomingHttpHeaders, secret: string): boolean {
    const values = cookie.split(/;\s*/u).flatMap((pair) => {
      const [name, value = ""] = pair.split("=");
      return name === this.#cookieName ? [value] : [];
    });
    return values.some((value) => isSame(value, secret));
  }

  #shutOut(guest: Guest): void {
    this.#guests = this.#guests.filter((one) => one !== guest);
    this.#onShutOut(guest.id);
  }
}

/** Other sites cannot set or hide this header; an older browser does not send it. */
function isSameSite(headers: IncomingHttpHeaders): boolean {
  const from = headers["sec-fetch-site"];
  return from === undefined || from === "same-origin" || from === "none";
}

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Compares without telling by the time how much of it was right. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
