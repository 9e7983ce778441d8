import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod";
import type { DiffOutcome } from "../../diff/model.ts";
import type { DialectEngine, Mention, SessionEngine, SessionServices } from "../dialect.ts";
import { createToolServer, defineTool, textResult, type TextResult, type Tool } from "../tool.ts";
import { encodeSelectionChanged } from "../selection.ts";
import { createWorkspaceTools } from "./tools.ts";
import { onAbort } from "../../support/disposable.ts";

/** Notifications within about 200 ms of connecting are lost by the client (docs/protocols/claude.md). */
const firstContextDelayMs = 600;

const connectedParams = z.object({ pid: z.number().int().positive() });

/** The speaking part of the Claude protocol. */
export function createClaudeEngine(): DialectEngine {
  return { proposalsOutliveConnection: false, byteOrderMark: "as-proposed", emptiedText: "", writes: "edits", connect };
}

async function connect(services: SessionServices, transport: Transport): Promise<SessionEngine> {
  let ready = false;
  const tools = [...createDiffTools(services), ...createWorkspaceTools(services)];
  const server = createToolServer(services, tools, () => {
    if (ready) return;
    ready = true;
    services.ready();
  });
  server.fallbackNotificationHandler = async (notification) => {
    if (notification.method !== "ide_connected") return;
    const parsed = connectedParams.safeParse(notification.params);
    if (parsed.success) services.describe({ pid: parsed.data.pid });
  };
  await server.connect(transport);
  return {
    contextDelayMs: firstContextDelayMs,
    encodeContext: encodeSelectionChanged,
    encodeMention,
    // openDiff itself is answered with the outcome.
    encodeOutcome: () => undefined,
    close: () => server.close(),
  };
}

function encodeMention(mention: Mention): string {
  const lines = mention.lines === undefined ? {} : { lineStart: mention.lines.start, lineEnd: mention.lines.end };
  return JSON.stringify({ jsonrpc: "2.0", method: "at_mentioned", params: { filePath: mention.path, ...lines } });
}

const openDiffArguments = z.object({
  old_file_path: z.string().optional(),
  new_file_path: z.string(),
  new_file_contents: z.string(),
  tab_name: z.string(),
});
const closeTabArguments = z.object({ tab_name: z.string() });
const noArguments = z.object({});

/** openDiff (answered when decided), close_tab and closeAllDiffTabs. */
function createDiffTools(services: SessionServices): readonly Tool[] {
  return [
    defineTool({
      name: "openDiff",
      description: "Shows a proposed change in the editor's diff view and answers when the user has decided.",
      inputSchema: {
        type: "object",
        properties: {
          old_file_path: { type: "string" },
          new_file_path: { type: "string" },
          new_file_contents: { type: "string" },
          tab_name: { type: "string" },
        },
        required: ["new_file_path", "new_file_contents", "tab_name"],
      },
      parse: openDiffArguments,
      run: async (
        { old_file_path: oldPath, new_file_path: newPath, new_file_contents: text, tab_name: tabName },
        signal,
      ) => {
        const opened = await services.diffs.open({
          path: newPath === "" ? (oldPath ?? "") : newPath,
          text,
          handle: tabName,
        });
        // A client whose call has a time limit cancels it: a verdict would reach nobody.
        const following = onAbort(signal, () => opened.abandon());
        // A view that failed is told at once (the terminal's dialog stays); otherwise only the outcome answers.
        const failed = opened.shown.then(
          () => new Promise<never>(() => {}),
          (error: unknown) => Promise.reject(error),
        );
        try {
          return answerOf(await Promise.race([opened.outcome, failed]), tabName, opened.kind === "create");
        } finally {
          following.dispose();
        }
      },
    }),
    defineTool({
      name: "close_tab",
      description: "Closes a diff view by its tab name.",
      inputSchema: { type: "object", properties: { tab_name: { type: "string" } }, required: ["tab_name"] },
      parse: closeTabArguments,
      run: async ({ tab_name: tabName }) => {
        await services.diffs.close(tabName, { notify: false });
        return textResult("TAB_CLOSED");
      },
    }),
    defineTool({
      name: "closeAllDiffTabs",
      description: "Closes every diff view of this session.",
      inputSchema: { type: "object", properties: {} },
      parse: noArguments,
      run: async () => textResult(`CLOSED_${await services.diffs.closeAll()}_DIFF_TABS`),
    }),
  ];
}

/**
 * `FILE_SAVED` with the text makes the client write it; everything else answers `DIFF_REJECTED`, never `TAB_CLOSED`,
 * which this client takes for an accept. A new file is always a Write, of which the client drops one final line end.
 */
function answerOf(outcome: DiffOutcome, tabName: string, isNewFile: boolean): TextResult {
  if (outcome.kind !== "accepted") return textResult("DIFF_REJECTED", tabName);
  const text = outcome.told ?? outcome.text;
  return textResult("FILE_SAVED", isNewFile ? `${text}\n` : text);
}
