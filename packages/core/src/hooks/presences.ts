import { agents } from "../agents/catalogue.ts";
import type { Companion, SessionInfo } from "../companion.ts";
import type { ProposalInfo } from "../diff/model.ts";
import type { AgentActivity } from "./activity.ts";

/** One session of an agent, whatever it is known by: its hook, its own protocol, or both. */
export interface Presence {
  readonly id: string;
  readonly agentName: string;
  /** The begin of its first prompt. */
  readonly title: string | undefined;
  /** `connected` and `away`: of an agent that does not say what it does. */
  readonly state: AgentActivity["state"] | "connecting" | "connected" | "away";
  readonly since: number;
  /** Its own, the nearest first; empty where nobody knows them. */
  readonly processes: readonly number[];
  readonly proposals: readonly ProposalInfo[];
  /** The files that it asks about now. */
  readonly waitsFor: readonly string[];
  /** What is known by its own protocol. */
  readonly session: SessionInfo | undefined;
}

type Known = Pick<Companion, "activities" | "sessions" | "proposals">;

/** All sessions, the newest activity first, then those that say nothing of what they do. */
export function presencesOf({ activities, sessions, proposals }: Known): readonly Presence[] {
  const attached = new Set<SessionInfo>();
  const told = activities.toReversed().map((activity): Presence => {
    const { agent, owner, title, since, processes } = activity;
    const session = sessions.find(
      (one) => one.dialect === agent && one.pid !== undefined && processes.includes(one.pid) && !attached.has(one),
    );
    if (session !== undefined) attached.add(session);
    const own = proposals.filter(({ sessionId }) => sessionId === owner || sessionId === session?.id);
    const waitsFor = awaited(own);
    const waits = activity.state !== "ended" && waitsFor.length > 0;
    const agentName = agents.find(({ id }) => id === agent)?.agentName ?? agent;
    const state = waits ? "waiting" : activity.state;
    return { id: owner, agentName, title, state, since, processes, proposals: own, waitsFor, session };
  });
  const others = sessions
    .filter((session) => !attached.has(session))
    .map((session): Presence => {
      const { id, agentName, since, pid } = session;
      const own = proposals.filter(({ sessionId }) => sessionId === id);
      const waitsFor = awaited(own);
      const state = waitsFor.length > 0 ? "waiting" : session.state;
      const processes = pid === undefined ? [] : [pid];
      return { id, agentName, title: undefined, state, since, processes, proposals: own, waitsFor, session };
    });
  return [...told, ...others];
}

function awaited(proposals: readonly ProposalInfo[]): readonly string[] {
  return proposals.flatMap(({ state, path }) =>
    state === "shown" || state === "asking" || state === "hidden" ? [path] : [],
  );
}

/** Characters that a terminal obeys; a line end would send what stands before it. */
const obeyed = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * What a terminal is given so that a text stands in the prompt of the agent that runs there, and is not sent: one line, pasted. Undefined while
 * the agent asks something, since keys would answer it, and where nothing is left of the text.
 */
export function promptPaste(text: string, { state }: Pick<Presence, "state">): string | undefined {
  const line = text.replace(obeyed, " ").trim();
  if (line === "" || state === "waiting" || state === "ended") return undefined;
  return `\u001b[200~${line}\u001b[201~`;
}
