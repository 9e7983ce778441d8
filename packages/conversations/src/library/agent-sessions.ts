import { type Clock, type Logger, messageOf, type PrivateStorage } from "@patchbay/core";
import * as z from "zod/mini";
import type { ListedSession, SessionLister } from "../driver.ts";

/** What an agent has listed counts for so long, ms. */
const freshMs = 10_000;

/** A session that an agent keeps itself. */
export interface AgentSessionEntry {
  readonly lister: SessionLister;
  readonly session: ListedSession;
}

/** Under which the sessions are kept that the user does not want to see, and how many of them. */
const hiddenKey = "hidden-sessions";
const hiddenCount = 2_000;

const hiddenSchema = z.array(z.string());

export interface AgentSessionsOptions {
  readonly listers: readonly SessionLister[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly storage: PrivateStorage;
  readonly onDidChange: () => void;
}

/** The sessions that the agents keep themselves, as far as they have told: some have to be asked, which takes long. */
export class AgentSessions {
  readonly #options: AgentSessionsOptions;
  readonly #known: Map<string, readonly AgentSessionEntry[]> = new Map();
  readonly #askedAt: Map<string, number> = new Map();

  #hidden: Set<string> | undefined;

  constructor(options: AgentSessionsOptions) {
    this.#options = options;
  }

  /** What is known of a folder's sessions. Asks the agents again where that is old; what they tell is told by the event. */
  of(folder: string): readonly AgentSessionEntry[] {
    const { listers } = this.#options;
    for (const lister of listers) void this.#ask(lister, folder);
    return listers
      .flatMap((lister) => this.#known.get(keyOf(lister, folder)) ?? [])
      .filter(({ lister, session }) => this.#hidden?.has(sessionIdOf(lister.agent, session.sessionId)) !== true);
  }

  find(id: string): AgentSessionEntry | undefined {
    for (const entries of this.#known.values()) {
      const found = entries.find(({ lister, session }) => sessionIdOf(lister.agent, session.sessionId) === id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  listerOf(agent: string): SessionLister | undefined {
    return this.#options.listers.find((lister) => lister.agent === agent);
  }

  /** A session is not listed any more. It stays the agent's: nothing of it is touched. Never rejects. */
  async hide(agent: string, sessionId: string): Promise<void> {
    const hidden = await this.#readHidden();
    hidden.add(sessionIdOf(agent, sessionId));
    // The storage has logged why it could not be kept.
    await this.#options.storage
      .write(hiddenKey, JSON.stringify(Array.from(hidden).slice(-hiddenCount)))
      .catch(() => {});
  }

  async #readHidden(): Promise<Set<string>> {
    if (this.#hidden !== undefined) return this.#hidden;
    const text = await this.#options.storage.read(hiddenKey).catch(() => undefined);
    return (this.#hidden ??= new Set(hiddenIn(text)));
  }

  async #ask(lister: SessionLister, folder: string): Promise<void> {
    const key = keyOf(lister, folder);
    const { clock, logger, onDidChange } = this.#options;
    const now = clock.monotonic();
    if (now - (this.#askedAt.get(key) ?? Number.NEGATIVE_INFINITY) < freshMs) return;
    this.#askedAt.set(key, now);
    try {
      await this.#readHidden();
      const entries = (await lister.list(folder)).map((session) => ({ lister, session }));
      const isSame = JSON.stringify(this.#known.get(key)?.map(sessionOf)) === JSON.stringify(entries.map(sessionOf));
      this.#known.set(key, entries);
      if (!isSame) onDidChange();
    } catch (error) {
      logger.warn("The sessions of an agent could not be listed", {
        agent: lister.agent,
        reason: messageOf(error),
      });
    }
  }
}

/** The id under which a session is listed that is no conversation of ours yet. */
export function sessionIdOf(agent: string, sessionId: string): string {
  return `session:${agent}:${sessionId}`;
}

function hiddenIn(text: string | undefined): readonly string[] {
  try {
    const parsed = hiddenSchema.safeParse(JSON.parse(text ?? "[]"));
    return parsed.success ? parsed.data : [];
  } catch {
    // Broken: they are listed again.
    return [];
  }
}

function keyOf({ agent }: SessionLister, folder: string): string {
  return `${agent}\0${folder}`;
}

const sessionOf = ({ session }: AgentSessionEntry): ListedSession => session;
