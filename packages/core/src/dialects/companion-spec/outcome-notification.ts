import type { DiffOutcome } from "../../diff/model.ts";

/**
 * `ide/diffAccepted` or `ide/diffRejected`, with the path exactly as it was received. Undefined for ends the agent knows
 * of (its own terminal), or that are about a proposal it has replaced: a rejection would settle the newer one, which has the same path.
 */
export function encodeOutcomeNotification(path: string, outcome: DiffOutcome): string | undefined {
  switch (outcome.kind) {
    case "accepted":
      return JSON.stringify({
        jsonrpc: "2.0",
        method: "ide/diffAccepted",
        params: { filePath: path, content: outcome.text },
      });
    case "rejected":
    case "closed":
    case "stopped":
      return JSON.stringify({ jsonrpc: "2.0", method: "ide/diffRejected", params: { filePath: path } });
    case "superseded":
    case "decided-in-terminal":
    case "agent-gone":
      return undefined;
  }
}
