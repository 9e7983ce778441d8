import * as z from "zod";

/**
 * What Pi says on its standard output (docs/protocols/pi-rpc.md), as far as this driver looks at it: what is not known is left out, and a
 * message that does not fit is no error.
 */
export type PiMessage =
  | PiResponse
  | DialogRequest
  | { readonly type: "agent_start" }
  | { readonly type: "agent_end" }
  | { readonly type: "message_start"; readonly message: ModelMessage }
  | { readonly type: "message_update"; readonly assistantMessageEvent: ModelDelta }
  | { readonly type: "message_end"; readonly message: ModelMessage }
  | {
      readonly type: "tool_execution_start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: Input;
    }
  | { readonly type: "tool_execution_update"; readonly toolCallId: string; readonly partialResult: ToolResult }
  | {
      readonly type: "tool_execution_end";
      readonly toolCallId: string;
      readonly result: ToolResult;
      readonly isError: boolean;
    }
  | {
      readonly type: "auto_retry_start";
      readonly attempt: number;
      readonly maxAttempts?: number | undefined;
      readonly delayMs: number;
      readonly errorMessage?: string | undefined;
    }
  | { readonly type: "auto_retry_end"; readonly success: boolean }
  | { readonly type: "compaction_start" }
  | {
      readonly type: "compaction_end";
      readonly result?: unknown;
      readonly willRetry?: boolean | undefined;
      readonly errorMessage?: string | undefined;
    }
  | { readonly type: "thinking_level_changed"; readonly level: string }
  | { readonly type: "session_info_changed"; readonly name?: string | undefined }
  | { readonly type: "extension_error"; readonly error: string };

/** The answer to a request of ours. */
export interface PiResponse {
  readonly type: "response";
  readonly id?: string | undefined;
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string | undefined;
}

/** What an extension, ours or another one, wants of the user. */
export interface DialogRequest {
  readonly type: "extension_ui_request";
  readonly id: string;
  readonly method: string;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  readonly options?: readonly string[] | undefined;
  readonly placeholder?: string | undefined;
  readonly prefill?: string | undefined;
  readonly notifyType?: string | undefined;
  readonly statusKey?: string | undefined;
  readonly timeout?: number | undefined;
}

/** The arguments of a tool. */
export type Input = Readonly<Record<string, unknown>>;

export interface PiToolCall {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Input;
}

export type PiBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  | PiToolCall
  | { readonly type: "image" }
  | { readonly type: "other" };

export interface ModelTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

export interface ModelMessage {
  readonly role: string;
  readonly content?: string | readonly PiBlock[] | undefined;
  readonly usage?: ModelTokens | undefined;
  readonly stopReason?: string | undefined;
  readonly errorMessage?: string | undefined;
  readonly display?: boolean | undefined;
}

/** Each comes with all that was said so far, which is read only where a tool begins. */
export type ModelDelta =
  | { readonly type: "text_delta" | "thinking_delta"; readonly contentIndex: number; readonly delta: string }
  | { readonly type: "toolcall_end"; readonly contentIndex: number; readonly toolCall: PiToolCall }
  | {
      readonly type: "toolcall_start";
      readonly contentIndex: number;
      readonly partial: { readonly content: readonly PiBlock[] };
    }
  | { readonly type: "other" };

export interface ToolResult {
  readonly content?: readonly PiBlock[] | undefined;
}

const input: z.ZodType<Input> = z.record(z.string(), z.unknown());
const other = z.object({ type: z.string() }).transform(() => ({ type: "other" as const }));
const toolCall = z.object({ type: z.literal("toolCall"), id: z.string(), name: z.string(), arguments: input });
const block: z.ZodType<PiBlock> = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  toolCall,
  z.object({ type: z.literal("image") }),
  other,
]);

const message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(block)]).optional(),
  usage: z
    .object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
    })
    .optional(),
  stopReason: z.string().optional(),
  errorMessage: z.string().optional(),
  display: z.boolean().optional(),
});

const contentIndex = z.number();
const delta: z.ZodType<ModelDelta> = z.union([
  z.object({ type: z.enum(["text_delta", "thinking_delta"]), contentIndex, delta: z.string() }),
  z.object({ type: z.literal("toolcall_end"), contentIndex, toolCall }),
  z.object({ type: z.literal("toolcall_start"), contentIndex, partial: z.object({ content: z.array(block) }) }),
  other,
]);

const result = z.object({ content: z.array(block).optional() });
const toolCallId = z.string();

const piMessage: z.ZodType<PiMessage> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("response"),
    id: z.string().optional(),
    success: z.boolean(),
    data: z.unknown().optional(),
    error: z.string().optional(),
  }),
  z.object({
    type: z.literal("extension_ui_request"),
    id: z.string(),
    method: z.string(),
    title: z.string().optional(),
    message: z.string().optional(),
    options: z.array(z.string()).optional(),
    placeholder: z.string().optional(),
    prefill: z.string().optional(),
    notifyType: z.string().optional(),
    statusKey: z.string().optional(),
    timeout: z.number().optional(),
  }),
  z.object({ type: z.literal("agent_start") }),
  z.object({ type: z.literal("agent_end") }),
  z.object({ type: z.literal("message_start"), message }),
  z.object({ type: z.literal("message_update"), assistantMessageEvent: delta }),
  z.object({ type: z.literal("message_end"), message }),
  z.object({ type: z.literal("tool_execution_start"), toolCallId, toolName: z.string(), args: input.catch({}) }),
  z.object({ type: z.literal("tool_execution_update"), toolCallId, partialResult: result }),
  z.object({ type: z.literal("tool_execution_end"), toolCallId, result, isError: z.boolean() }),
  z.object({
    type: z.literal("auto_retry_start"),
    attempt: z.number(),
    maxAttempts: z.number().optional(),
    delayMs: z.number(),
    errorMessage: z.string().optional(),
  }),
  z.object({ type: z.literal("auto_retry_end"), success: z.boolean() }),
  z.object({ type: z.literal("compaction_start") }),
  z.object({
    type: z.literal("compaction_end"),
    result: z.unknown().optional(),
    willRetry: z.boolean().optional(),
    errorMessage: z.string().optional(),
  }),
  z.object({ type: z.literal("thinking_level_changed"), level: z.string() }),
  z.object({ type: z.literal("session_info_changed"), name: z.string().optional() }),
  z.object({ type: z.literal("extension_error"), error: z.string() }),
]);

/** Undefined: it says nothing that is looked at. */
export function parseMessage(value: unknown): PiMessage | undefined {
  return piMessage.safeParse(value).data;
}

/** What our extension asks. */
export type ToolRequest =
  | { readonly moment: "before"; readonly id: string; readonly tool: string; readonly input: Input }
  | { readonly moment: "after"; readonly id: string };

const toolRequest: z.ZodType<ToolRequest> = z.discriminatedUnion("moment", [
  z.object({ moment: z.literal("before"), id: z.string(), tool: z.string(), input }),
  z.object({ moment: z.literal("after"), id: z.string() }),
]);

/** Undefined: it is another extension that asks something. */
export function parseToolRequest({ placeholder }: DialogRequest): ToolRequest | undefined {
  try {
    return toolRequest.safeParse(JSON.parse(placeholder ?? "")).data;
  } catch {
    return undefined;
  }
}

export interface PiModel {
  readonly id: string;
  readonly name?: string | undefined;
  readonly provider: string;
  readonly reasoning?: boolean | undefined;
  readonly input?: readonly string[] | undefined;
  readonly thinkingLevelMap?: Readonly<Record<string, unknown>> | null | undefined;
}

const model: z.ZodType<PiModel> = z.object({
  id: z.string(),
  name: z.string().optional(),
  provider: z.string(),
  reasoning: z.boolean().optional(),
  input: z.array(z.string()).optional(),
  thinkingLevelMap: z.record(z.string(), z.unknown()).nullish(),
});

/** What the session is. */
export interface PiState {
  readonly model?: PiModel | null | undefined;
  readonly thinkingLevel?: string | undefined;
  readonly isStreaming?: boolean | undefined;
  readonly sessionId: string;
  readonly messageCount?: number | undefined;
}

export const stateAnswer: z.ZodType<PiState> = z.object({
  model: model.nullish(),
  thinkingLevel: z.string().optional(),
  isStreaming: z.boolean().optional(),
  sessionId: z.string(),
  messageCount: z.number().optional(),
});

export const modelsAnswer: z.ZodType<{ readonly models: readonly PiModel[] }> = z.object({ models: z.array(model) });

export const commandsAnswer: z.ZodType<{
  readonly commands: readonly { readonly name: string; readonly description?: string | undefined }[];
}> = z.object({ commands: z.array(z.object({ name: z.string(), description: z.string().optional() })) });

/** What the session has used. */
export interface PiStats {
  readonly cost?: number | undefined;
  readonly contextUsage?:
    | { readonly tokens?: number | null | undefined; readonly contextWindow?: number | undefined }
    | null
    | undefined;
}

export const statsAnswer: z.ZodType<PiStats> = z.object({
  cost: z.number().optional(),
  contextUsage: z.object({ tokens: z.number().nullish(), contextWindow: z.number().optional() }).nullish(),
});

/** The text of blocks; a picture is named. */
export function textOf(content: string | readonly PiBlock[] | undefined): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content
    .flatMap((one) => (one.type === "text" ? [one.text] : one.type === "image" ? ["[image]"] : []))
    .join("\n");
}
