import { type Clock, type Logger, messageOf } from "@patchbay/core";
import type { ListedSession, SessionLister } from "../driver.ts";

/** What an agent has listed counts for so long, ms. */
const freshMs = 10_000;

/** A session that an agent keeps itself. */
export interface AgentSessionEntry {
  readonly lister: SessionLister;
  readonly session: ListedSession;
}

/** The sessions that the agents keep themselves, as far as they have told: some have to be asked, which takes long. */
export class AgentSessions {
  readonly #listers: readonly SessionLister[];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #onDidChange: () => void;
  readonly #known: Map<string, readonly AgentSessionEntry[]> = new Map();
  readonly #askedAt: Map<string, number> = new Map();

  constructor(listers: readonly SessionLister[], clock: Clock, logger: Logger, onDidChange: () => void) {
    this.#listers = listers;
    this.#clock = clock;
    this.#logger = logger;
    this.#onDidChange = onDidChange;
  }

  /** What is known of a folder's sessions. Asks the agents again where that is old; what they tell is told by the event. */
  of(folder: string): readonly AgentSessionEntry[] {
    for (const lister of this.#listers) void this.#ask(lister, folder);
    return this.#listers.flatMap((lister) => this.#known.get(keyOf(lister, folder)) ?? []);
  }

  find(id: string): AgentSessionEntry | undefined {
    for (const entries of this.#known.values()) {
      const found = entries.find(({ lister, session }) => sessionIdOf(lister.agent, session.sessionId) === id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  listerOf(agent: string): SessionLister | undefined {
    return this.#listers.find((lister) => lister.agent === agent);
  }

  async #ask(lister: SessionLister, folder: string): Promise<void> {
    const key = keyOf(lister, folder);
    const now = this.#clock.monotonic();
    if (now - (this.#askedAt.get(key) ?? Number.NEGATIVE_INFINITY) < freshMs) return;
    this.#askedAt.set(key, now);
    try {
      const entries = (await lister.list(folder)).map((session) => ({ lister, session }));
      const isSame = JSON.stringify(this.#known.get(key)?.map(sessionOf)) === JSON.stringify(entries.map(sessionOf));
      this.#known.set(key, entries);
      if (!isSame) this.#onDidChange();
    } catch (error) {
      this.#logger.warn("The sessions of an agent could not be listed", {
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

function keyOf({ agent }: SessionLister, folder: string): string {
  return `${agent}\0${folder}`;
}

const sessionOf = ({ session }: AgentSessionEntry): ListedSession => session;
