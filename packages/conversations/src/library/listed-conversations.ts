import { searchedText } from "../conversation/history.ts";
import { oneLine } from "../conversation/titled-about.ts";
import { type LineFiles, readLines } from "../transcript/line-files.ts";
import { parseLine } from "../transcript/line.ts";
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

/** A place where a text was found. */
export interface Hit {
  readonly place: number;
  /** The text around it, on one line. */
  readonly excerpt: string;
}

/** How many hits of one conversation are told. */
const hitsPerConversation = 5;
/** Characters shown before and after what was found. */
const around = 60;

/** Looks for a text in a transcript, without regard to case. Gives each hit as it is found. */
export async function* searchTranscript(
  files: LineFiles,
  path: string,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<Hit, void> {
  const wanted = text.toLowerCase();
  // As it stands in a line of JSON: most lines need not be parsed.
  const inJson = JSON.stringify(text).slice(1, -1).toLowerCase();
  const found = new Set<number>();
  for await (const raw of readLines(files, path, signal)) {
    if (found.size >= hitsPerConversation || signal.aborted) return;
    if (!raw.toLowerCase().includes(inJson)) continue;
    const line = parseLine(raw);
    if (line?.kind !== "entry" || found.has(line.place)) continue;
    const excerpt = excerptOf(searchedText(line.entry), wanted);
    if (excerpt === undefined) continue;
    found.add(line.place);
    yield { place: line.place, excerpt };
  }
}

/** The part of a text around what is looked for. */
export function excerptOf(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  const start = Math.max(0, at - around);
  const end = Math.min(text.length, at + wanted.length + around);
  const part = text.slice(start, end).replace(/\s+/gu, " ").trim();
  return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
}
