import { timingSafeEqual } from "node:crypto";
import type { Random } from "../platform/platform.ts";
import type { Disposable } from "../support/disposable.ts";
import type { ListenerFailure } from "../support/emitter.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import type { EndpointLimits, SessionAcceptor } from "./endpoint.ts";
import type { EventFrames } from "./event-stream.ts";
import type { WaitingTexts } from "./waiting-texts.ts";

/** A connection as the table sees it. */
export interface TableEntry extends Beating {
  readonly kind: "streamable-http" | "websocket";
  readonly sessionId: string;
  /** Nothing is open or in flight; the agent may come back. */
  readonly isAway: boolean;
  /** On the monotonic clock. */
  readonly lastSeenMs: number;
  /** Ends the connection; the table has let go of it. */
  shut(options?: ShutOptions): void;
}

export interface ShutOptions {
  /** When something will answer on this port again, ms. */
  readonly comeBackMs?: number | undefined;
  /** Runs once when nothing of the connection is left. */
  readonly onEnded?: () => void;
}

export type EndReason = Parameters<SessionAcceptor["ended"]>[1];

/** How many ids of ended sessions are remembered, so that they are not taken for sessions of an earlier run. */
const rememberedEnds = 1_024;

/**
 * How many sessions may be away at once when nothing waits for their agents. An engine costs some 20 kB, agents leave
 * without a word, and one that does come back is revived by its id.
 */
const maximumAway = 64;

/** The sessions of one endpoint: bounded, each with an end. */
export class ConnectionTable<Entry extends TableEntry> {
  readonly #entries: Map<string, Entry> = new Map();
  readonly #ended: Set<string> = new Set();
  readonly #acceptor: SessionAcceptor;
  readonly #heartbeat: Heartbeat;
  readonly #limits: EndpointLimits;
  readonly #onFailure: ListenerFailure;

  constructor(acceptor: SessionAcceptor, heartbeat: Heartbeat, limits: EndpointLimits, onFailure: ListenerFailure) {
    this.#onFailure = onFailure;
    this.#acceptor = acceptor;
    this.#heartbeat = heartbeat;
    this.#limits = limits;
  }

  /** As of now. */
  get entries(): readonly Entry[] {
    return Array.from(this.#entries.values());
  }

  find(sessionId: string): Entry | undefined {
    return this.#entries.get(sessionId);
  }

  /** The session was ended for good; its id is of no more use. */
  hasEnded(sessionId: string): boolean {
    return this.#ended.has(sessionId);
  }

  /** Takes a connection in, in the place of the one that has been away for longest if need be. False: all places are in use. */
  add(entry: Entry): boolean {
    const { away, awayCount, needed } = this.#longestAway();
    if (away !== undefined && (awayCount >= maximumAway || this.#isFull)) this.#letGo(away, "idle");
    else if (this.#isFull) {
      if (needed === undefined) return false;
      this.#letGo(needed, "dropped");
    }
    this.#entries.set(entry.sessionId, entry);
    this.#heartbeat.add(entry);
    return true;
  }

  /** Lets go of a connection and tells the acceptor; says whether it was there. */
  remove(entry: TableEntry, why: EndReason): boolean {
    if (this.#entries.get(entry.sessionId) !== entry) return false;
    this.#entries.delete(entry.sessionId);
    this.#heartbeat.delete(entry);
    // One that was dropped or idle may come back by its id.
    if (why === "deleted" || why === "closed") this.remember(entry.sessionId);
    try {
      this.#acceptor.ended(entry.sessionId, why);
    } catch (error) {
      this.#onFailure(error);
    }
    return true;
  }

  /** Ends a connection that has been away for the idle time, unless something waits for its agent. */
  considerIdle(entry: TableEntry, nowMs: number): void {
    if (nowMs - entry.lastSeenMs < this.#limits.idleSessionMs) return;
    if (!this.#acceptor.mayForget(entry.sessionId)) return;
    this.#letGo(entry, "idle");
  }

  get #isFull(): boolean {
    return this.#entries.size >= this.#limits.maximumSessions;
  }

  #letGo(entry: TableEntry, why: EndReason): void {
    if (this.remove(entry, why)) entry.shut();
  }

  /** Who has been away for longest, apart for those for whom something waits. */
  #longestAway(): { readonly away: Entry | undefined; readonly awayCount: number; readonly needed: Entry | undefined } {
    let away: Entry | undefined;
    let awayCount = 0;
    let needed: Entry | undefined;
    for (const entry of this.#entries.values()) {
      if (!entry.isAway) continue;
      if (this.#acceptor.mayForget(entry.sessionId)) {
        awayCount += 1;
        if (away === undefined || entry.lastSeenMs < away.lastSeenMs) away = entry;
      } else if (needed === undefined || entry.lastSeenMs < needed.lastSeenMs) needed = entry;
    }
    return { away, awayCount, needed };
  }

  /** Never revives this id. */
  remember(sessionId: string): void {
    this.#ended.add(sessionId);
    if (this.#ended.size <= rememberedEnds) return;
    const [oldest] = this.#ended;
    if (oldest !== undefined) this.#ended.delete(oldest);
  }
}

/** What every connection of one endpoint shares. */
export interface ConnectionContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: EndpointLimits;
  readonly frames: EventFrames;
  /** Answers for slow readers. */
  readonly waiting: WaitingTexts;
  readonly onListenerFailure: ListenerFailure;
  /** The connection ends by itself. */
  leave(entry: TableEntry, why: "closed"): void;
  /** The connection has been away; it is let go if that was long enough. */
  considerIdle(entry: TableEntry, nowMs: number): void;
}

/** Does its periodic duties when the heartbeat comes by. */
export interface Beating {
  beat(nowMs: number): void;
}

/** The endpoint's one periodic timer, for all connections together; it exists only while there are any. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #members: Set<Beating> = new Set();
  #timer: Disposable | undefined;

  constructor(clock: Clock, periodMs: number) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  add(member: Beating): void {
    this.#members.add(member);
    this.#timer ??= this.#schedule();
  }

  delete(member: Beating): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.stop();
  }

  stop(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #schedule(): Disposable {
    return this.#clock.setTimeout(() => {
      this.#timer = undefined;
      const nowMs = this.#clock.monotonic();
      for (const member of Array.from(this.#members)) member.beat(nowMs);
      if (this.#members.size > 0) this.#timer ??= this.#schedule();
    }, this.#periodMs);
  }
}

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
