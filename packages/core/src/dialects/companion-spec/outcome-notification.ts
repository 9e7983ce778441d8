import type { DiffOutcome } from "../../diff/model.ts";
import { holdsLongString, jsonPieces, type PiecedText } from "../../support/json-pieces.ts";

/**
 * `ide/diffAccepted` or `ide/diffRejected`, with the path exactly as it was received. Undefined for ends the agent knows
 * of (its own terminal), or that are about a proposal it has replaced: a rejection would settle the newer one, which has the same path.
 */
export function encodeOutcomeNotification(path: string, outcome: DiffOutcome): string | PiecedText | undefined {
  switch (outcome.kind) {
    case "accepted": {
      const params = { filePath: path, content: outcome.text };
      const message = { jsonrpc: "2.0", method: "ide/diffAccepted", params };
      return holdsLongString(params) ? jsonPieces(message) : JSON.stringify(message);
    }
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
