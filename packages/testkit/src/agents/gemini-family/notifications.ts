import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import * as z from "zod";
import type { AgentView } from "../agent-driver.ts";

/** An open file as `ide/contextUpdate` has it: 1-based. */
interface ContextFile {
  readonly path: string;
  readonly timestamp: number;
  readonly isActive?: boolean | undefined;
  readonly selectedText?: string | undefined;
  readonly cursor?: { readonly line: number; readonly character: number } | undefined;
}

export interface ContextUpdate {
  readonly workspaceState?:
    | { readonly openFiles?: readonly ContextFile[] | undefined; readonly isTrusted?: boolean | undefined }
    | undefined;
}

export interface CompanionSpecHandlers {
  readonly onContext: (update: ContextUpdate) => void;
  readonly onDiffAccepted: (path: string, content: string) => void;
  readonly onDiffRejected: (path: string) => void;
}

const contextUpdateSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.literal("ide/contextUpdate"),
  params: z.object({
    workspaceState: z
      .object({
        openFiles: z
          .array(
            z.object({
              path: z.string(),
              timestamp: z.number(),
              isActive: z.boolean().optional(),
              selectedText: z.string().optional(),
              cursor: z.object({ line: z.number(), character: z.number() }).optional(),
            }),
          )
          .optional(),
        isTrusted: z.boolean().optional(),
      })
      .optional(),
  }),
});

const diffAcceptedSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.literal("ide/diffAccepted"),
  params: z.object({ filePath: z.string(), content: z.string() }),
});

const diffRejectedSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.literal("ide/diffRejected"),
  params: z.object({ filePath: z.string() }),
});

/** The older name of a rejection. */
const diffClosedSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.literal("ide/diffClosed"),
  params: z.object({ filePath: z.string() }),
});

const finalTextSchema = z.object({ content: z.string() });

/**
 * Subscribes to the notifications of the companion interface, parsed as strictly as the real clients do: absent is absent,
 * never null, and one that does not fit reaches `client.onerror` (docs/protocols/gemini.md).
 */
export function subscribe(client: Client, handlers: CompanionSpecHandlers): void {
  client.setNotificationHandler(contextUpdateSchema, ({ params }) => handlers.onContext(params));
  client.setNotificationHandler(diffAcceptedSchema, ({ params }) =>
    handlers.onDiffAccepted(params.filePath, params.content),
  );
  client.setNotificationHandler(diffRejectedSchema, ({ params }) => handlers.onDiffRejected(params.filePath));
  client.setNotificationHandler(diffClosedSchema, ({ params }) => handlers.onDiffRejected(params.filePath));
}

/** The final text in closeDiff's answer; throws where it is not the JSON that the clients want. */
export function parseFinalText(text: string): string {
  return finalTextSchema.parse(JSON.parse(text)).content;
}

const keptFiles = 10;
const keptUnits = 16_384;

/** What the client makes of an update: newest first, only the newest is active and only if it says so, ten files, a cut selection. */
export function toAgentView(update: ContextUpdate): AgentView {
  const files = Array.from(update.workspaceState?.openFiles ?? [])
    .sort((a, b) => b.timestamp - a.timestamp)
    .slice(0, keptFiles);
  const newest = files[0];
  const active = newest?.isActive === true ? newest : undefined;
  const trusted = update.workspaceState?.isTrusted;
  return {
    openFiles: files.map((file) => file.path),
    ...(active === undefined ? {} : { active: active.path }),
    ...(active?.cursor === undefined
      ? {}
      : { cursor: { line: active.cursor.line - 1, character: active.cursor.character - 1 } }),
    ...(active?.selectedText === undefined ? {} : { selectedText: active.selectedText.slice(0, keptUnits) }),
    ...(trusted === undefined ? {} : { trusted }),
  };
}
