import type { Clock, Disposable, TurnSource } from "@patchbay/core";
import type { TurnRecord } from "./records.ts";
import type { TurnBook } from "./turn-book.ts";

/** An agent's session, as far as it works. */
export interface Worker {
  source: TurnSource;
  turn: TurnRecord;
  /** A command of it may have changed something that no look has seen since. */
  hasRun: boolean;
  /** It said since the last look that it wrote, and nobody knows what: it had told of no file before. */
  hasWritten: boolean;
  /** Nobody told of a command; one may have been running when nobody listened. */
  isGuessed: boolean;
  /** Commands that have begun and of which nobody has said that they ended. */
  commands: number;
  /** Commands of a conversation that may have changed something that no look has seen since, and whether each has ended. */
  readonly named: Map<string, boolean>;
  /** When it was last heard of; counts up. */
  heard: number;
  /** An earlier run began the turn, or another window, which may go on with it; nothing was heard of it here. */
  isAdopted: boolean;
  /** Ends a turn whose end nobody tells. */
  quiet: Disposable | undefined;
  /** Looks for what was accepted, which no agent tells of that it has written it. */
  check: Disposable | undefined;
}

export interface WorkersOptions {
  readonly clock: Clock;
  readonly book: Pick<TurnBook, "lastWritten">;
  /** An agent that is not heard of for so long has ended a turn whose borders nobody tells. */
  readonly quietMs: number;
  /** Runs work in its order among everything that was told. */
  readonly later: (work: () => Promise<void>) => void;
  /** Nobody tells of its turn any more. */
  readonly onSilence: (worker: Worker) => Promise<void>;
}

/** An agent writes what was accepted within this time, ms. */
const writtenAfterMs = [500, 2_500];

/** A turn that an earlier run left open ends when nobody has written anything about it for so long, ms. */
const abandonedMs = 10 * 60 * 1_000;

/** So long an agent may think, ask or run a command without a word before its turn counts as ended, ms. */
const silentMs = 60 * 60 * 1_000;

/** Of a prompt that tells a session from another one, UTF-16 units. */
const longestAbout = 40;

/** The sessions of agents that work, each with its turn and with what is waited for. */
export class Workers implements Disposable {
  readonly #options: WorkersOptions;
  readonly #workers: Map<string, Worker> = new Map();
  #heard = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#workers.size === 0;
  }

  get all(): readonly Worker[] {
    return Array.from(this.#workers.values());
  }

  /** Those that are heard of in this window. */
  get own(): readonly Worker[] {
    return this.all.filter(({ isAdopted }) => !isAdopted);
  }

  get(session: Pick<TurnSource, "agent" | "session">): Worker | undefined {
    return this.#workers.get(keyOf(session));
  }

  /**
   * The conversation whose agent tells of itself by its hooks, too: it is one turn, and its begin and end are the conversation's to tell.
   * An agent whose session has no name yet is known by its prompt.
   */
  conversationOf(source: TurnSource, prompt?: string): Worker | undefined {
    if (source.conversation !== undefined) return undefined;
    const told = this.all.filter((one) => one.source.conversation !== undefined && one.source.agent === source.agent);
    const nameOf = (worker: Worker): string | undefined => worker.source.conversation?.agentSession;
    return (
      told.find((worker) => nameOf(worker) === source.session) ??
      told.find((worker) => nameOf(worker) === undefined && prompt !== undefined && prompt === worker.turn.prompt)
    );
  }

  /** The session's, or the one of its agent that works: what an agent's protocol tells and what its hooks tell has two names. */
  find(source: TurnSource): Worker | undefined {
    const conversation = this.conversationOf(source);
    if (conversation !== undefined) return conversation;
    const others = this.own.filter(({ source: { agent }, turn }) => agent === source.agent && turn.border === "exact");
    return this.get(source) ?? (others.length === 1 ? others[0] : undefined);
  }

  add(source: TurnSource, turn: TurnRecord): Worker {
    const worker = this.#add(source, turn, false);
    this.#waitFor(worker);
    return worker;
  }

  /** A turn of an earlier run or of another window, whose agent may work still. */
  async adopt(turn: TurnRecord): Promise<void> {
    await this.#waitForOthers(this.#add(sourceOf(turn), turn, true));
  }

  heard(worker: Worker): void {
    this.#heard += 1;
    worker.heard = this.#heard;
    if (worker.isAdopted && !worker.hasRun) {
      worker.hasRun = true;
      worker.isGuessed = true;
    }
    worker.isAdopted = false;
    this.#waitFor(worker);
  }

  /** It is about to end: nothing is waited for any more. */
  rest({ quiet, check }: Worker): void {
    quiet?.dispose();
    check?.dispose();
  }

  remove({ source }: Worker): void {
    this.#workers.delete(keyOf(source));
  }

  /** Runs work when an agent may have written what was accepted. */
  checkSoon(worker: Worker, work: () => Promise<void>, count = 0): void {
    const { clock, later } = this.#options;
    const delay = writtenAfterMs[count];
    worker.check?.dispose();
    if (delay === undefined) return;
    worker.check = clock.setTimeout(() => {
      later(async () => {
        if (!this.#has(worker)) return;
        await work();
        this.checkSoon(worker, work, count + 1);
      });
    }, delay);
  }

  dispose(): void {
    for (const worker of this.all) this.rest(worker);
    this.#workers.clear();
  }

  #add(source: TurnSource, turn: TurnRecord, isAdopted: boolean): Worker {
    this.#heard += 1;
    const heard = this.#heard;
    const worker: Worker = {
      source,
      turn,
      hasRun: false,
      hasWritten: false,
      isGuessed: false,
      commands: 0,
      named: new Map(),
      quiet: undefined,
      check: undefined,
      heard,
      isAdopted,
    };
    this.#workers.set(keyOf(source), worker);
    return worker;
  }

  #has(worker: Worker): boolean {
    return this.get(worker.source) === worker;
  }

  #waitFor(worker: Worker): void {
    const { clock, later, quietMs, onSilence } = this.#options;
    worker.quiet?.dispose();
    worker.quiet = clock.setTimeout(
      () => {
        later(async () => {
          if (this.#has(worker)) await onSilence(worker);
        });
      },
      worker.turn.border === "estimated" ? quietMs : silentMs,
    );
  }

  /** Ends an adopted turn when nobody writes about it for long; another window may go on with it. Clocks may jump. */
  async #waitForOthers(worker: Worker): Promise<void> {
    const { clock, later, book, onSilence } = this.#options;
    const written = (await book.lastWritten(worker.turn)) ?? clock.now();
    const silence = Math.max(0, clock.now() - written);
    worker.quiet?.dispose();
    worker.quiet = clock.setTimeout(
      () => {
        later(async () => {
          if (!this.#has(worker) || !worker.isAdopted) return;
          const isSilent = (await book.lastWritten(worker.turn)) === written;
          await (isSilent ? onSilence(worker) : this.#waitForOthers(worker));
        });
      },
      Math.max(0, abandonedMs - silence),
    );
  }
}

/** How a turn names another session whose change one of its own may be: two of the same agent are told apart by what they were asked. */
export function nameBeside(main: Worker, { source, turn }: Worker): string {
  if (source.agentName !== main.source.agentName) return source.agentName;
  const about = turn.prompt === "" ? source.session.slice(0, 8) : turn.prompt.slice(0, longestAbout);
  return `${source.agentName} (${about})`;
}

/** Whose turn it is, by what is written of it. */
export function sourceOf({ agent, session, conversation, folder, agents }: TurnRecord): TurnSource {
  const source = { agent, agentName: agents[0] ?? agent, session, folder };
  return conversation === undefined ? source : { ...source, conversation };
}

function keyOf({ agent, session }: Pick<TurnSource, "agent" | "session">): string {
  return `${agent} ${session}`;
}
