import type { CompanionState, ProposalInfo, SessionInfo } from "@patchbay/core";
import { plainStatus } from "./vim/plain-line.ts";

export interface StatusFacts {
  readonly state: CompanionState;
  readonly sessions: readonly SessionInfo[];
  readonly proposals: readonly ProposalInfo[];
  readonly sharing: boolean;
}

/** A few words for the status line; empty while there is nothing to say. */
export function statusText(facts: StatusFacts): string {
  if (facts.state.kind === "failed") return "Patchbay failed";
  if (facts.state.kind !== "listening") return "";
  const parts: string[] = [];
  const names = new Map<string, number>();
  for (const session of facts.sessions) {
    if (session.state === "connected") names.set(session.agentName, (names.get(session.agentName) ?? 0) + 1);
  }
  if (names.size > 0)
    parts.push([...names].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", "));
  const count = facts.proposals.length;
  if (count > 0) parts.push(count === 1 ? "1 proposal" : `${count} proposals`);
  if (!facts.sharing) parts.push("sharing paused");
  return plainStatus(parts.join(" · "));
}
