import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { EditorContext } from "../../context/model.ts";
import type { DiffOutcome } from "../../diff/model.ts";
import { holdsLongString, jsonPieces, type PiecedText } from "../../support/json-pieces.ts";
import type { DialectEngine, SessionEngine, SessionServices } from "../dialect.ts";
import { createToolServer } from "../tool.ts";
import { type CompanionSpecOptions, createCompanionSpecTools } from "./tools.ts";

/** The speaking part of the Gemini family; a new member differs in these options and in where it looks. */
export function createCompanionSpecEngine(options: CompanionSpecOptions): DialectEngine {
  return {
    proposalsOutliveConnection: true,
    byteOrderMark: options.byteOrderMark,
    emptiedText: "\n",
    writes: "text",
    connect: (services, transport) => connect(services, transport, options),
  };
}

async function connect(
  services: SessionServices,
  transport: Transport,
  options: CompanionSpecOptions,
): Promise<SessionEngine> {
  const server = createToolServer(services, createCompanionSpecTools(services, options), () => services.ready());
  await server.connect(transport);
  return {
    contextDelayMs: 0,
    encodeContext: encodeContextUpdate,
    encodeMention: () => undefined,
    encodeOutcome: encodeOutcomeNotification,
    close: () => server.close(),
  };
}

/** The `ide/contextUpdate` notification: 1-based positions, absent fields absent and never null (docs/protocols/gemini.md: one null disconnects the client). */
export function encodeContextUpdate(context: EditorContext): string {
  const openFiles = context.files.map((file) => {
    if (context.active?.path !== file.path) return { path: file.path, timestamp: file.timestamp };
    const { cursor, selection } = context.active;
    return {
      path: file.path,
      timestamp: file.timestamp,
      isActive: true,
      ...(selection === undefined || selection.text === "" ? {} : { selectedText: selection.text }),
      cursor: { line: cursor.line + 1, character: cursor.character + 1 },
    };
  });
  const workspaceState = { openFiles, ...(context.trusted === undefined ? {} : { isTrusted: context.trusted }) };
  return JSON.stringify({ jsonrpc: "2.0", method: "ide/contextUpdate", params: { workspaceState } });
}

/**
 * `ide/diffAccepted` or `ide/diffRejected`, with the path exactly as it was received. Undefined for ends the agent knows
 * of (its own terminal), or that are about a proposal it has replaced: a rejection would settle the newer one, which has the same path.
 */
function encodeOutcomeNotification(path: string, outcome: DiffOutcome): string | PiecedText | undefined {
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
