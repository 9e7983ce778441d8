import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod";
import type { EditorContext } from "../../context/model.ts";
import type { DiffOutcome } from "../../diff/model.ts";
import { messageOf, PatchbayError } from "../../support/errors.ts";
import { holdsLongString, jsonPieces, type PiecedText } from "../../support/json-pieces.ts";
import type { DialectEngine, SessionEngine, SessionServices } from "../dialect.ts";
import {
  createToolServer,
  defineTool,
  errorResult,
  jsonText,
  textResult,
  type TextResult,
  type Tool,
} from "../tool.ts";

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

const openDiffArguments = z.object({ filePath: z.string(), newContent: z.string() });
const closeDiffArguments = z.object({ filePath: z.string(), suppressNotification: z.boolean().optional() });

/** `openDiff` and `closeDiff`; the client uses editor diffs only if both are listed. */
function createCompanionSpecTools(services: SessionServices, options: CompanionSpecOptions): readonly Tool[] {
  return [
    defineTool({
      name: "openDiff",
      description: "Shows a proposed change of a file in the editor's diff view. The decision comes as a notification.",
      inputSchema: {
        type: "object",
        properties: {
          filePath: { type: "string", description: "Absolute path of the file" },
          newContent: { type: "string", description: "Whole proposed text of the file" },
        },
        required: ["filePath", "newContent"],
      },
      parse: openDiffArguments,
      run: async ({ filePath, newContent }) => {
        const opened = await services.diffs.open({ path: filePath, text: newContent, handle: filePath });
        return answerWhenShown(opened.shown, services, options);
      },
    }),
    defineTool({
      name: "closeDiff",
      description: "Closes the diff view of a file and returns its final text as JSON.",
      inputSchema: {
        type: "object",
        properties: {
          filePath: { type: "string", description: "Absolute path as given to openDiff" },
          suppressNotification: { type: "boolean", description: "Send no rejection for this close" },
        },
        required: ["filePath"],
      },
      parse: closeDiffArguments,
      run: async ({ filePath, suppressNotification }) => {
        const closed = await services.diffs.close(filePath, { notify: suppressNotification !== true });
        if (closed === undefined) return errorResult("There is no open diff for this file.");
        // The published text says plain text; the running client drops that and wants JSON (docs/protocols/gemini.md).
        return textResult(await jsonText({ content: closed.text }, services.platform.clock));
      },
    }),
  ];
}

/** Name both Gemini CLI and Qwen Code give their client; another client of this protocol understands `isError` as MCP has it. */
const familyClientName = "streamable-http-client";

/** How long openDiff waits to learn that the editor failed, ms. Views open faster; a question to the user takes longer. */
const showGraceMs = 400;

async function answerWhenShown(
  shown: Promise<void>,
  services: SessionServices,
  options: CompanionSpecOptions,
): Promise<TextResult> {
  const answer: TextResult = { content: [] };
  const failed = await new Promise<unknown>((resolve) => {
    const timer = services.platform.clock.setTimeout(() => resolve(undefined), showGraceMs);
    shown.then(
      () => {
        timer.dispose();
        resolve(undefined);
      },
      (error: unknown) => {
        timer.dispose();
        resolve(error ?? new PatchbayError("host-failed", "The editor could not show the proposal."));
      },
    );
  });
  if (failed === undefined) return answer;
  const reason = messageOf(failed).replace(/[^.!?]$/u, "$&.");
  const name = services.client?.clientName;
  if (options.showFailure === "error" || (name !== undefined && name !== familyClientName)) return errorResult(reason);
  // This client fails its write for good on isError, even if the user then approves in the terminal.
  services.tellUser("show-failed", `${reason} Answer in the agent's terminal.`, { reason });
  return answer;
}

/** In what members of the Gemini family differ, beside where they look. */
export interface CompanionSpecOptions {
  readonly byteOrderMark: "as-proposed" | "as-on-disk";
  /** Whether an `isError` from openDiff fails the agent's write for good (Gemini) or leaves it to the terminal (Qwen). */
  readonly showFailure: "silent" | "error";
}
