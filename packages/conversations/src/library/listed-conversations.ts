import { oneLine } from "../conversation/titled-about.ts";
import { type AgentSessionEntry, sessionIdOf } from "./agent-sessions.ts";

/** A conversation in the list. */
export interface ListedConversation {
  readonly id: string;
  readonly agent: string;
  readonly title: string;
  readonly folder: string;
  /** When it was last used, Unix milliseconds. */
  readonly usedAt: number;
  /** `closed`: this window does not have it open. `agent`: a session of the agent's own, which opening takes in. */
  readonly state: "waiting" | "running" | "open" | "closed" | "agent";
  /** How many questions are open. */
  readonly waiting: number;
  readonly preview?: string;
}

/** Where a text was found; without a place it was found in the title. */
export interface SearchHit {
  readonly conversation: ListedConversation;
  readonly excerpt: string;
  readonly place?: number;
}

const ranks: Readonly<Record<ListedConversation["state"], number>> = {
  waiting: 0,
  running: 1,
  open: 2,
  closed: 2,
  agent: 2,
};

/** Those that wait first, then those that run, then the newest. */
export function inListOrder(one: ListedConversation, other: ListedConversation): number {
  return ranks[one.state] - ranks[other.state] || other.usedAt - one.usedAt;
}

/** A session of an agent's own in the list. */
export function listedSession({ lister, session }: AgentSessionEntry): ListedConversation {
  const { sessionId, title, folder, usedAt, preview } = session;
  const shown = preview === undefined ? {} : { preview: oneLine(preview, 140) };
  const id = sessionIdOf(lister.agent, sessionId);
  return { id, agent: lister.agent, title: oneLine(title, 60), folder, usedAt, state: "agent", waiting: 0, ...shown };
}
