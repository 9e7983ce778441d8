import { handoverSecrets } from "../endpoint/give-back.ts";
import { inheritedDescriptor, type Platform, type ProgramPipe } from "../platform/platform.ts";
import type { PrivateStorage } from "../storage/private-storage.ts";
import type { Disposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import {
  type GuardOrder,
  type HeldAgents,
  type HeldSession,
  type HolderNote,
  holderNoteKey,
  type Listening,
  listenMs,
  patience,
  stragglersMs,
} from "./order.ts";
import { dismissal, guardianProgram } from "./program.ts";
import { presentSessions } from "./start.ts";

/**
 * An agent that waits less long for a verdict gets no guardian, ms: to start one takes some 50 ms of a processor, and to tell it
 * of a burst of proposals would take as long as the rest of what they cost.
 */
const guardedAfterMs = 150;
/**
 * So long a guardian stays when nobody waits any more, ms: agents propose one change after the other, and each would need one of its
 * own. Until then it is told that there is nothing to tell.
 */
const staysMs = 20_000;
/** After how long an editor that was killed is back, ms; a window whose extension host has died takes about as long as a reload. */
const comeBackMs = 4_500;
/** The `retry` of streams that end because nobody came back, ms. */
const retryMs = 2_000;

/** What a guardian needs of the run that it watches over. */
export interface GuardedRun {
  readonly storage: PrivateStorage;
  /** Undefined while nothing listens. */
  readonly listening: () => Listening | undefined;
  /** Resolves when what the run before has left is read: until then the place of the note is taken. */
  readonly ready: Promise<void>;
}

export interface GuardianOptions extends GuardedRun {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly agents: HeldAgents;
}

/** A guardian that is there or on its way. */
interface Watch {
  readonly ticket: string;
  /** Set once it listens. */
  pipe: ProgramPipe | undefined;
  noteFile: string | undefined;
  /** What it was told last. */
  sent: string | undefined;
}

/**
 * Sees to it that agents are answered when this process is killed: while one waits for a verdict, or for one to arrive, that
 * another run may give, a port holder stands by at the other end of a pipe. It hears the end of this process at once, takes the port over, holds the
 * agents until the next run asks for it, and tells them in the end. A guardian that waits
 * takes 7 to 9 MB of memory of its own and no time at all.
 */
export class Guardian {
  readonly #options: GuardianOptions;
  #isReady = false;
  /** Since when each agent has been waiting without a pause, by session, on the monotonic clock. */
  #waiting: ReadonlyMap<string, number> = new Map();
  /** The next one has waited long enough. */
  #due: Disposable | undefined;
  /** Nobody waits; the guardian is about to go. */
  #going: Disposable | undefined;
  #watch: Watch | undefined;
  /** Guardians that are about to begin or to end: each has the socket, and with it the port. */
  readonly #passing: Set<Promise<void>> = new Set();
  #ended = false;

  constructor(options: GuardianOptions) {
    this.#options = options;
    void options.ready.then(() => {
      this.#isReady = true;
      this.update();
    });
  }

  /** Who waits for what may have changed. What is sent is with the system when this returns: the next moment may be the last. */
  update(): void {
    const { agents, platform } = this.#options;
    if (this.#ended || !this.#isReady || platform.processes?.startAttached === undefined) return;
    const now = platform.clock.monotonic();
    this.#waiting = waitingSince(agents, this.#waiting, now);
    const guarded = new Set<string>();
    let next = Number.POSITIVE_INFINITY;
    for (const [sessionId, since] of this.#waiting) {
      if (now - since >= guardedAfterMs) guarded.add(sessionId);
      else next = Math.min(next, since + guardedAfterMs);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#due ??= platform.clock.setTimeout(() => this.#updateDue(), next - now);
    if (this.#waiting.size > 0) this.#stay();
    else this.#goSoon();
    // Somebody has ended it: another one is to stand by.
    if (this.#watch?.pipe?.isOpen === false) this.#watch = undefined;
    if (this.#watch !== undefined) this.#send(this.#watch, presentSessions(agents, now, guarded));
    else if (guarded.size > 0) this.#start();
  }

  #goSoon(): void {
    this.#due?.dispose();
    this.#due = undefined;
    if (this.#watch !== undefined)
      this.#going ??= this.#options.platform.clock.setTimeout(() => this.#dismiss(), staysMs);
  }

  #stay(): void {
    this.#going?.dispose();
    this.#going = undefined;
  }

  #updateDue(): void {
    this.#due = undefined;
    this.update();
  }

  /** The orderly end begins that another run is to follow: from now on it decides what agents are told, and the note is its own. */
  leave(): void {
    this.#ended = true;
    this.#due?.dispose();
    this.#stay();
  }

  /** The orderly end is over. Resolves once no guardian has the port any more: the next run could not have it. */
  async dispose(): Promise<void> {
    this.leave();
    this.#release();
    await Promise.all(this.#passing);
  }

  #start(): void {
    const watch: Watch = {
      ticket: this.#options.platform.random.token(12),
      pipe: undefined,
      noteFile: undefined,
      sent: undefined,
    };
    this.#watch = watch;
    this.#follow(this.#open(watch), "No guardian: agents will not be answered if the editor is killed");
  }

  #follow(passing: Promise<void>, failure: string): void {
    const settled = passing
      .catch((error: unknown) => this.#options.logger.warn(failure, { reason: messageOf(error) }))
      .finally(() => this.#passing.delete(settled));
    this.#passing.add(settled);
  }

  async #open(watch: Watch): Promise<void> {
    const { platform, storage, listening } = this.#options;
    // First: a guardian that does not find its ticket does nothing.
    const note: HolderNote = { ticket: watch.ticket, told: [], sessions: [] };
    await storage.write(holderNoteKey, JSON.stringify(note));
    watch.noteFile = await storage.locate(holderNoteKey);
    // It has the socket on which this run listens, so that the port is never free.
    const descriptor = listening()?.endpoint.descriptor;
    const pipe = await platform.processes?.startAttached?.(guardianProgram(), descriptor);
    if (this.#watch === watch) {
      watch.pipe = pipe;
      this.update();
    } else {
      pipe?.send(dismissal);
      await pipe?.end();
    }
  }

  #send(watch: Watch, sessions: readonly HeldSession[]): void {
    const { platform, listening } = this.#options;
    const place = listening();
    if (watch.pipe === undefined || watch.noteFile === undefined || place === undefined) return;
    const text = JSON.stringify(sessions);
    if (text === watch.sent) return;
    watch.sent = text;
    const { endpoint, identity, tokens } = place;
    const { ask, proofKey } = handoverSecrets(identity.sessionKey, platform.random);
    const order: GuardOrder = {
      address: endpoint.address,
      tokens: Object.values(tokens),
      giveBackSecret: ask,
      proofKey,
      descriptor: endpoint.descriptor === undefined ? undefined : inheritedDescriptor,
      comeBackMs: retryMs,
      holdMs: patience * comeBackMs,
      listenMs: listenMs(sessions, patience * comeBackMs),
      stragglersMs,
      noteFile: watch.noteFile,
      ticket: watch.ticket,
      sessions,
    };
    watch.pipe.send(JSON.stringify(order));
  }

  #dismiss(): void {
    this.#stay();
    if (this.#watch === undefined) return;
    this.#release();
    const { logger, storage } = this.#options;
    storage
      .remove(holderNoteKey)
      .catch((error: unknown) => logger.warn("A note could not be removed", { reason: messageOf(error) }));
  }

  #release(): void {
    const pipe = this.#watch?.pipe;
    this.#watch = undefined;
    if (pipe === undefined) return;
    pipe.send(dismissal);
    this.#follow(pipe.end(), "A guardian did not end well");
  }
}

/**
 * For a verdict, or for one that was given and has not arrived. Also for an agent whose answer dies with the connection: with the
 * port it keeps its way to the next run.
 */
function waitingSince(
  { diffs, sessions }: HeldAgents,
  before: ReadonlyMap<string, number>,
  now: number,
): ReadonlyMap<string, number> {
  const { owners } = diffs;
  if (owners.length === 0) return new Map();
  const present = new Set(sessions.all.map(({ id }) => id));
  const waiting = owners.filter(({ sessionId }) => present.has(sessionId));
  return new Map(waiting.map(({ sessionId }) => [sessionId, before.get(sessionId) ?? now]));
}
