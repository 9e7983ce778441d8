import { type AgentActivity, agents, type Companion, type ProposalInfo, type SessionInfo } from "@patchbay/core";
import { l10n } from "vscode";
import { fileNameOf } from "../surfaces/texts.ts";

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
    const waits = activity.state !== "ended" && own.some(waitsForUser);
    const agentName = agents.find(({ id }) => id === agent)?.agentName ?? agent;
    const state = waits ? "waiting" : activity.state;
    return { id: owner, agentName, title, state, since, processes, proposals: own, session };
  });
  const others = sessions
    .filter((session) => !attached.has(session))
    .map((session): Presence => {
      const { id, agentName, since, pid } = session;
      const own = proposals.filter(({ sessionId }) => sessionId === id);
      const state = own.some(waitsForUser) ? "waiting" : session.state;
      const processes = pid === undefined ? [] : [pid];
      return { id, agentName, title: undefined, state, since, processes, proposals: own, session };
    });
  return [...told, ...others];
}

function waitsForUser({ state }: ProposalInfo): boolean {
  return state === "shown" || state === "asking" || state === "hidden";
}

/** What it does, in a few words. */
export function presenceWords({ state, since, proposals }: Presence): string {
  switch (state) {
    case "waiting": {
      const files = proposals.filter(waitsForUser).map(({ path }) => fileNameOf(path));
      return files.length === 0 ? l10n.t("waits for you") : l10n.t("waits for you: {0}", files.join(", "));
    }
    case "working":
      return l10n.t("working");
    case "idle":
      return l10n.t("idle since {0}", timeText(since));
    case "ended":
      return l10n.t("ended at {0}", timeText(since));
    case "connecting":
      return l10n.t("connecting");
    case "connected":
      return l10n.t("connected");
    case "away":
      return l10n.t("away, may reconnect");
  }
}

export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toLocaleTimeString();
}
