import type { AgentSide } from "../companion/agent-side.ts";
import * as z from "zod";
import type { ProposalInfo } from "../diff/model.ts";
import type { FarewellProposal, FarewellSession } from "./farewell-order.ts";

/** An agent whose stream went longer ago has come back or given up by now, ms: two attempts, each after the stream's `retry`. */
const stillTryingMs = 3_000;

/** How long after its start a run expects agents of the run before, ms. */
const expectedMs = 5_000;

/** What an earlier run left word of, and when that was read, on the monotonic clock. */
export interface EarlierFarewell {
  readonly note: string;
  readonly readAtMs: number;
}

const noteSchema = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      proposals: z.array(z.object({ id: z.string(), path: z.string(), rejection: z.string() })),
    }),
  ),
});

/**
 * The agents that come back to a port, with what they wait for: those that are connected, and those that were cut off just
 * now and are about to try. Idle ones too: the first attempt of Gemini CLI that finds nobody disconnects it until the user
 * types `/ide enable`.
 */
export function farewellSessions(
  agents: AgentSide | undefined,
  earlier: EarlierFarewell | undefined,
  monotonicMs: number,
): readonly FarewellSession[] {
  const known = agents === undefined ? [] : knownSessions(agents, agents.diffs.undecided, monotonicMs);
  if (earlier === undefined || monotonicMs - earlier.readAtMs > expectedMs) return known;
  // A window that is reloaded twice: whoever has not come back to this run waits for the next one.
  const came = new Set(agents?.sessions.sessions.map(({ id }) => id));
  const open = new Set(agents?.diffs.undecided.map(({ id }) => id));
  const missing = readSessions(earlier.note)
    .filter(({ sessionId }) => !came.has(sessionId))
    .map(({ sessionId, proposals }) => ({ sessionId, proposals: proposals.filter(({ id }) => open.has(id)) }));
  return [...known, ...missing];
}

function readSessions(note: string): readonly FarewellSession[] {
  try {
    return noteSchema.parse(JSON.parse(note)).sessions;
  } catch {
    // Not written by a run of ours: as good as none.
    return [];
  }
}

/** The agents that would come back to the port if the run ended now, with what they wait for. */
export function presentSessions(
  agents: Pick<AgentSide, "sessions" | "diffs">,
  monotonicMs: number,
): readonly FarewellSession[] {
  return knownSessions(agents, agents.diffs.proposals, monotonicMs);
}

function knownSessions(
  { sessions }: Pick<AgentSide, "sessions">,
  undecided: readonly ProposalInfo[],
  monotonicMs: number,
): readonly FarewellSession[] {
  return sessions.sessions
    .filter(({ awaySince }) => awaySince === undefined || monotonicMs - awaySince < stillTryingMs)
    .map((session): FarewellSession => {
      const own = undecided.filter(({ sessionId, state }) => sessionId === session.id && state !== "kept");
      const proposals = own.flatMap(({ id, path }): FarewellProposal[] => {
        const rejection = session.encodeRejection(path);
        return rejection === undefined ? [] : [{ id, path, rejection }];
      });
      return { sessionId: session.id, proposals };
    });
}
