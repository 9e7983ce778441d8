import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod";
import type { EditorContext } from "../../context/model.ts";
import type { DiffOutcome } from "../../diff/model.ts";
import { onAbort } from "../../support/disposable.ts";
import type { DialectEngine, SessionEngine, SessionServices } from "../dialect.ts";
import { isSecretPath } from "../../context/sharing-policy.ts";
import { readDiagnostics } from "../diagnostics.ts";
import { encodeSelectionChanged, selectionOf, toFileUri } from "../selection.ts";
import { createToolServer, defineTool, errorResult, textResult, type TextResult, type Tool } from "../tool.ts";

/**
 * The speaking part of Copilot CLI's protocol. The client writes its own proposal, whatever it is answered, and overwrites a file that
 * has changed meanwhile: so the right side of a review cannot be edited, and an accept of a changed file is asked for twice.
 */
export function createCopilotEngine(): DialectEngine {
  return { proposalsOutliveConnection: false, byteOrderMark: "as-proposed", emptiedText: "", writes: "text", connect };
}

async function connect(services: SessionServices, transport: Transport): Promise<SessionEngine> {
  const pid = Number(services.client?.headers["x-copilot-pid"]);
  if (Number.isSafeInteger(pid) && pid > 1) services.describe({ pid });
  const server = createToolServer(services, createTools(services), () => services.ready());
  await server.connect(transport);
  return {
    contextDelayMs: 0,
    // A lone cursor is shown as the file.
    encodeContext: (context: EditorContext) => encodeSelectionChanged(context),
    encodeMention: () => undefined,
    // open_diff itself is answered with the outcome.
    encodeOutcome: () => undefined,
    close: () => server.close(),
  };
}

/** The model waits for the answer, and nothing else does, ms. */
const patienceMs = { file: 2_000, all: 2_000 } as const;

const openDiffArguments = z.object({
  original_file_path: z.string(),
  new_file_contents: z.string(),
  tab_name: z.string(),
});
const closeDiffArguments = z.object({ tab_name: z.string() });
const nameArguments = z.object({ name: z.string() });
const uriArguments = z.object({ uri: z.string().optional() });
const noArguments = z.object({});

function createTools(services: SessionServices): readonly Tool[] {
  return [...createDiffTools(services), ...createContextTools(services)];
}

function createDiffTools(services: SessionServices): readonly Tool[] {
  return [
    defineTool({
      name: "open_diff",
      description: "Shows a proposed change in the editor's diff view and answers when the user has decided.",
      inputSchema: {
        type: "object",
        properties: {
          original_file_path: { type: "string" },
          new_file_contents: { type: "string" },
          tab_name: { type: "string" },
        },
        required: ["original_file_path", "new_file_contents", "tab_name"],
      },
      parse: openDiffArguments,
      run: async ({ original_file_path: path, new_file_contents: text, tab_name: tabName }, signal) => {
        const opened = await services.diffs.open({ path, text, handle: tabName }, { isReadOnly: true });
        const following = onAbort(signal, () => opened.abandon());
        // A view that failed is told at once (the terminal's question stays); otherwise only the outcome answers.
        const failed = opened.shown.then(
          () => new Promise<never>(() => {}),
          (error: unknown) => Promise.reject(error),
        );
        try {
          return answerOf(await Promise.race([opened.outcome, failed]), tabName);
        } finally {
          following.dispose();
        }
      },
    }),
    defineTool({
      name: "close_diff",
      description: "Closes a diff view by its tab name.",
      inputSchema: { type: "object", properties: { tab_name: { type: "string" } }, required: ["tab_name"] },
      parse: closeDiffArguments,
      run: async ({ tab_name: tabName }) => {
        const closed = await services.diffs.close(tabName, { notify: false });
        const message = closed === undefined ? "There is no such diff." : "The diff was closed.";
        return json({ success: true, already_closed: closed === undefined, tab_name: tabName, message });
      },
    }),
  ];
}

/** An accept has the client write its own proposal; any rejection ends its turn. */
function answerOf(outcome: DiffOutcome, tabName: string): TextResult {
  const common = { success: true, tab_name: tabName };
  switch (outcome.kind) {
    case "accepted":
      return json({ ...common, result: "SAVED", trigger: "accepted_via_button", message: "The user accepted." });
    case "rejected":
    case "closed":
      return json({ ...common, result: "REJECTED", trigger: "rejected_via_button", message: "The user rejected." });
    // The terminal has decided, or nobody will: the client has its answer already, or asks there.
    case "superseded":
    case "decided-in-terminal":
    case "agent-gone":
    case "stopped":
      return json({ ...common, result: "REJECTED", trigger: "closed_via_tool", message: "The diff was closed." });
  }
}

function createContextTools(services: SessionServices): readonly Tool[] {
  return [
    defineTool({
      name: "update_session_name",
      description: "Says what this session is about.",
      inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      parse: nameArguments,
      run: async ({ name }) => {
        services.describe({ title: name });
        return json({ success: true });
      },
    }),
    defineTool({
      name: "get_diagnostics",
      description: "Errors and warnings the editor shows, of one file or of the whole workspace.",
      inputSchema: {
        type: "object",
        properties: { uri: { type: "string", description: "file:// URI; all files when absent" } },
      },
      parse: uriArguments,
      run: async ({ uri }, signal) => {
        const mayQuote = (path: string): boolean => !isSecretPath(path);
        const files = await readDiagnostics(services, { uri, patienceMs, mayQuote, signal });
        if (files === undefined) return errorResult("The uri is not a file:// URI.");
        return json(
          files.map((file) => ({
            uri: toFileUri(file.path),
            filePath: file.path,
            diagnostics: file.diagnostics.map(({ severity, ...rest }) => ({
              ...rest,
              severity: severity.toLowerCase(),
            })),
          })),
        );
      },
    }),
    defineTool({
      name: "get_selection",
      description: "The text that is selected in the editor, and its file.",
      inputSchema: { type: "object", properties: {} },
      parse: noArguments,
      run: async () => {
        const context = services.context();
        return json(context.active === undefined ? null : { current: true, ...selectionOf(context) });
      },
    }),
  ];
}

function json(value: unknown): TextResult {
  return textResult(JSON.stringify(value));
}
