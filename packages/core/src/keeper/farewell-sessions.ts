import type { AgentSide } from "../companion/agent-side.ts";
import type { FarewellProposal, FarewellSession } from "./farewell-order.ts";

/**
 * The agents that are connected and come back to a port, with what they wait for. Idle ones too: the first attempt of Gemini CLI
 * that finds nobody disconnects it until the user types `/ide enable`.
 */
export function farewellSessions({ sessions, diffs }: AgentSide): readonly FarewellSession[] {
  const { undecided } = diffs;
  return sessions.sessions
    .filter(({ isOpen, owner }) => isOpen && owner.outlivesConnection)
    .map((session): FarewellSession => {
      const own = undecided.filter(({ sessionId }) => sessionId === session.id);
      const proposals = own.flatMap(({ id, path }): FarewellProposal[] => {
        const rejection = session.encodeRejection(path);
        return rejection === undefined ? [] : [{ id, path, rejection }];
      });
      return { sessionId: session.id, proposals };
    });
}
