import type { AgentSide } from "../companion/agent-side.ts";
import type { FarewellProposal, FarewellSession } from "./farewell-order.ts";

/** An agent whose stream went longer ago has come back or given up by now, ms: two attempts, each after the stream's `retry`. */
const stillTryingMs = 3_000;

/**
 * The agents that come back to a port, with what they wait for: those that are connected, and those that were cut off just
 * now and are about to try. Idle ones too: the first attempt of Gemini CLI that finds nobody disconnects it until the user
 * types `/ide enable`.
 */
export function farewellSessions({ sessions, diffs }: AgentSide, monotonicMs: number): readonly FarewellSession[] {
  const { undecided } = diffs;
  return sessions.sessions
    .filter(({ owner }) => owner.outlivesConnection)
    .filter(({ awaySince }) => awaySince === undefined || monotonicMs - awaySince < stillTryingMs)
    .map((session): FarewellSession => {
      const own = undecided.filter(({ sessionId }) => sessionId === session.id);
      const proposals = own.flatMap(({ id, path }): FarewellProposal[] => {
        const rejection = session.encodeRejection(path);
        return rejection === undefined ? [] : [{ id, path, rejection }];
      });
      return { sessionId: session.id, proposals };
    });
}
