import type { SessionInfo } from "../companion.ts";
import type { ProposalInfo } from "../diff/model.ts";
import type { AgentActivity } from "../hooks/activity.ts";

/**
 * What a user most needs to know of an entry. `conflict`: the file has changed in the same lines; `waiting`: the agent waits for an
 * answer; `edited`: it does, and the user has typed into the review; `held`: the user has set it aside; `away`: the agent is not
 * connected; `terminal`: only the agent's terminal can answer; `unwritten`: it was accepted, and its agent has not written it; `kept`: no
 * agent waits, and the user's text is left.
 */
export type InboxState = "conflict" | "waiting" | "edited" | "unwritten" | "held" | "away" | "terminal" | "kept";

export interface InboxEntry {
  /** Id of the proposal. */
  readonly id: string;
  readonly state: InboxState;
  readonly proposal: ProposalInfo;
  /** Name of the file. */
  readonly name: string;
  /** The directory it is in, absolute; with the separator only if that is all of it. */
  readonly folder: string;
}

/** One session of an agent, by whichever ways it asks. */
export interface InboxSession {
  /** Stays the same as long as the session asks anything. */
  readonly id: string;
  readonly agentName: string;
  /** The begin of its first prompt, if that is known. */
  readonly title: string | undefined;
  /** When it connected or, if that is not known, asked first, Unix milliseconds. With `pid` it tells untitled sessions apart. */
  readonly since: number;
  readonly pid: number | undefined;
  readonly entries: readonly InboxEntry[];
}

export interface InboxAgent {
  readonly agentName: string;
  readonly sessions: readonly InboxSession[];
}

/** Which entries of an inbox are meant: those for which everything that is given holds. */
export interface InboxPart {
  readonly agentName?: string;
  readonly session?: string;
  /** A directory, also above that of an entry. */
  readonly folder?: string;
}

/** Where an entry stands among all. */
export interface InboxPosition {
  /** From 1. */
  readonly number: number;
  readonly count: number;
  /** Ids; the entry's own where it is the only one. */
  readonly next: string;
  readonly previous: string;
}

/** What is said first. An edit does not move its entry: the user would lose the next one from sight. */
const ranks: Readonly<Record<InboxState, number>> = {
  conflict: 0,
  waiting: 1,
  edited: 1,
  unwritten: 2,
  held: 3,
  terminal: 4,
  away: 5,
  kept: 6,
};

/** All that waits for the user: agent, session, entries. At each level what waits most urgently is first, then what has waited longest. */
export function inboxOf(
  proposals: readonly ProposalInfo[],
  sessions: readonly SessionInfo[],
  activities: readonly AgentActivity[],
): readonly InboxAgent[] {
  const known = joined(sessions, activities);
  const agents = new Map<string, Map<string, ProposalInfo[]>>();
  for (const proposal of proposals) {
    const own = agents.get(proposal.agentName) ?? new Map<string, ProposalInfo[]>();
    agents.set(proposal.agentName, own);
    const id = known.get(proposal.sessionId)?.id ?? proposal.sessionId;
    own.set(id, [...(own.get(id) ?? []), proposal]);
  }
  const found = Array.from(agents, ([agentName, own]): InboxAgent => {
    const all = Array.from(own, ([id, asked]) => sessionOf(id, agentName, asked, known.get(id)));
    return { agentName, sessions: all.toSorted((one, other) => compared(one.entries, other.entries)) };
  });
  return found.toSorted((one, other) => compared(entriesOf([one]), entriesOf([other])));
}

function sessionOf(
  id: string,
  agentName: string,
  asked: readonly ProposalInfo[],
  known: KnownSession | undefined,
): InboxSession {
  const entries = asked.map(entryOf).toSorted((one, other) => compared([one], [other]));
  const first = Math.min(...asked.map(({ createdAt }) => createdAt));
  const title = known?.title ?? asked.find(({ sessionTitle }) => sessionTitle !== undefined)?.sessionTitle;
  return { id, agentName, title, since: known?.since ?? first, pid: known?.pid, entries };
}

/** Whatever is most urgent in each decides, then what has waited longest. Neither is empty. */
export function compared(one: readonly InboxEntry[], other: readonly InboxEntry[]): number {
  const [mine, theirs] = [urgencyOf(one), urgencyOf(other)];
  return mine.rank === theirs.rank ? mine.since - theirs.since : mine.rank - theirs.rank;
}

function urgencyOf(entries: readonly InboxEntry[]): { readonly rank: number; readonly since: number } {
  const rank = Math.min(...entries.map(({ state }) => ranks[state]));
  const first = entries.filter(({ state }) => ranks[state] === rank);
  return { rank, since: Math.min(...first.map(({ proposal }) => proposal.createdAt)) };
}

function entryOf(proposal: ProposalInfo): InboxEntry {
  const { id, path } = proposal;
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const folder = path.slice(0, end <= 0 || path.charAt(end - 1) === ":" ? end + 1 : end);
  return { id, state: stateOf(proposal), proposal, name: path.slice(end + 1), folder };
}

/** What the user most needs to know of a proposal. */
export function stateOf({ state, standing, isHeld, edited, keptReason }: ProposalInfo): InboxState {
  if (state === "kept" && keptReason === "not-written") return "unwritten";
  if (state === "kept" || state === "terminal" || state === "away") return state;
  if (isHeld) return "held";
  if (standing === "conflict") return "conflict";
  return edited ? "edited" : "waiting";
}

/** All entries in the order in which an inbox shows them. */
export function entriesOf(inbox: readonly InboxAgent[]): readonly InboxEntry[] {
  return inbox.flatMap(({ sessions }) => sessions.flatMap(({ entries }) => entries));
}

/** The entries of a part, for a verdict on all of them. */
export function entriesIn(inbox: readonly InboxAgent[], part: InboxPart): readonly InboxEntry[] {
  const agents = inbox.filter(({ agentName }) => part.agentName === undefined || agentName === part.agentName);
  const sessions = agents.flatMap((agent) => agent.sessions);
  const meant = sessions.filter(({ id }) => part.session === undefined || id === part.session);
  return meant.flatMap(({ entries }) =>
    entries.filter(({ folder }) => part.folder === undefined || isIn(folder, part.folder)),
  );
}

export function isIn(folder: string, above: string): boolean {
  return folder === above || folder.startsWith(withSeparator(above));
}

/** Names of POSIX may hold the other one. */
export function separatorOf(path: string): "/" | "\\" {
  return path.startsWith("/") || !path.includes("\\") ? "/" : "\\";
}

export function withSeparator(folder: string): string {
  const separator = separatorOf(folder);
  return folder.endsWith(separator) ? folder : `${folder}${separator}`;
}

/** "2 of 5", and the entries beside it, the first after the last; undefined for what is in no inbox. */
export function positionIn(inbox: readonly InboxAgent[], id: string): InboxPosition | undefined {
  const ids = entriesOf(inbox).map((entry) => entry.id);
  const at = ids.indexOf(id);
  if (at === -1) return undefined;
  const count = ids.length;
  return { number: at + 1, count, next: ids[(at + 1) % count] ?? id, previous: ids[(at - 1 + count) % count] ?? id };
}

/** What is known of a session that may ask under several ids: by its own protocol, and by its hook. */
interface KnownSession {
  readonly id: string;
  readonly title: string | undefined;
  readonly since: number | undefined;
  readonly pid: number | undefined;
}

/** By every id under which a session asks. */
function joined(
  sessions: readonly SessionInfo[],
  activities: readonly AgentActivity[],
): ReadonlyMap<string, KnownSession> {
  const known = new Map<string, KnownSession>();
  for (const { id, title, since, pid } of sessions) known.set(id, { id, title, since, pid });
  const attached = new Set<SessionInfo>();
  // The newest activity is the one that a process shows now.
  for (const { agent, owner, title, processes } of activities.toReversed()) {
    const session = sessions.find(
      (one) => one.dialect === agent && one.pid !== undefined && processes.includes(one.pid) && !attached.has(one),
    );
    const one: KnownSession = { id: owner, title: title ?? session?.title, since: session?.since, pid: session?.pid };
    known.set(owner, one);
    if (session === undefined) continue;
    attached.add(session);
    known.set(session.id, one);
  }
  return known;
}

/** Adds the titles of their sessions to proposals. */
export function titled(
  proposals: readonly ProposalInfo[],
  sessions: readonly SessionInfo[],
  activities: readonly AgentActivity[],
): readonly ProposalInfo[] {
  // Most agents tell no title.
  if (activities.length === 0 && sessions.every(({ title }) => title === undefined)) return proposals;
  const known = joined(sessions, activities);
  return proposals.map((proposal) => {
    const title = known.get(proposal.sessionId)?.title;
    return title === undefined ? proposal : { ...proposal, sessionTitle: title };
  });
}
