import * as z from "zod";

/**
 * What Claude Code says on its standard output (docs/protocols/claude-stream.md), as far as this driver looks at it. It is not
 * documented and grows with every version: what is not known is left out, and a message that does not fit is no error.
 */
export type ClaudeMessage =
  | StreamMessage
  | AssistantMessage
  | UserMessage
  | ResultMessage
  | SystemMessage
  | LifecycleMessage
  | { readonly type: "conversation_reset" }
  | LimitMessage
  | ControlRequest
  | { readonly type: "control_cancel_request"; readonly request_id: string }
  | ControlResponse;

/** A block of a message's content. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  | ToolUseBlock
  | ToolResultBlock
  | OtherBlock;

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: unknown;
  readonly is_error?: boolean | undefined;
}

/** What is not looked at. */
export interface OtherBlock {
  readonly type: "other";
}

/** Tokens as the provider counts them. */
export interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null | undefined;
  readonly cache_read_input_tokens?: number | null | undefined;
}

/** An event of the provider's stream, passed through. */
export type StreamEvent =
  | {
      readonly type: "message_start";
      readonly message: { readonly id: string; readonly usage?: Tokens | undefined };
    }
  | { readonly type: "content_block_start"; readonly index: number; readonly content_block: ContentBlock }
  | { readonly type: "content_block_delta"; readonly index: number; readonly delta: Delta }
  | OtherBlock;

export type Delta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | OtherBlock;

export interface StreamMessage {
  readonly type: "stream_event";
  readonly event: StreamEvent;
  readonly parent_tool_use_id?: string | null | undefined;
}

/** One block of an answer, whole; several with the same id make one message. */
export interface AssistantMessage {
  readonly type: "assistant";
  readonly message: {
    readonly id: string;
    readonly content: readonly ContentBlock[];
    readonly usage?: Tokens | undefined;
  };
  readonly parent_tool_use_id?: string | null | undefined;
  /** A failure of the provider or of the sign-in, e.g. `authentication_failed`. */
  readonly error?: string | undefined;
}

/** Results of tools; also what the program says in the user's place. */
export interface UserMessage {
  readonly type: "user";
  readonly message: { readonly content: string | readonly ContentBlock[] };
  readonly tool_use_result?: unknown;
  readonly tool_result_meta?:
    | readonly { readonly id: string; readonly non_execution_kind?: string | undefined }[]
    | undefined;
}

/** The end of a turn. */
export interface ResultMessage {
  readonly type: "result";
  readonly subtype: string;
  readonly is_error: boolean;
  readonly result?: string | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly stop_reason?: string | null | undefined;
  readonly terminal_reason?: string | null | undefined;
  readonly duration_ms?: number | undefined;
  readonly total_cost_usd?: number | undefined;
  readonly usage?: Tokens | undefined;
  readonly modelUsage?: Readonly<Record<string, { readonly contextWindow?: number | undefined }>> | undefined;
  readonly user_message_uuid?: string | undefined;
  readonly user_message_uuids?: readonly string[] | undefined;
  readonly uuid?: string | undefined;
}

export type SystemMessage =
  | {
      readonly type: "system";
      readonly subtype: "init";
      readonly session_id: string;
      readonly model?: string | undefined;
      readonly permissionMode?: string | undefined;
    }
  | { readonly type: "system"; readonly subtype: "status"; readonly permissionMode?: string | undefined }
  | RetryMessage
  | { readonly type: "system"; readonly subtype: "session_title_changed"; readonly title: string }
  | TaskMessage
  | { readonly type: "system"; readonly subtype: "compact_boundary" };

/** What goes on in the background: all of it, and the beginning and the end of each. */
export type TaskMessage =
  | {
      readonly type: "system";
      readonly subtype: "background_tasks_changed";
      readonly tasks: readonly {
        readonly task_id: string;
        readonly task_type?: string | undefined;
        readonly description?: string | undefined;
      }[];
    }
  | {
      readonly type: "system";
      readonly subtype: "task_started";
      readonly tool_use_id?: string | undefined;
      readonly is_backgrounded?: boolean | undefined;
    }
  | {
      readonly type: "system";
      readonly subtype: "task_notification";
      readonly tool_use_id?: string | undefined;
      /** `completed`, `failed` or `stopped`. */
      readonly status: string;
      readonly summary?: string | undefined;
    };

/** The provider failed; the program tries again by itself. */
export interface RetryMessage {
  readonly type: "system";
  readonly subtype: "api_retry";
  readonly attempt: number;
  readonly max_retries?: number | undefined;
  readonly retry_delay_ms: number;
  readonly error_status?: number | null | undefined;
  readonly error?: string | null | undefined;
}

/** What becomes of a prompt: `queued`, `started`, then `completed` or `cancelled`. */
export interface LifecycleMessage {
  readonly type: "command_lifecycle";
  readonly command_uuid: string;
  readonly state: string;
}

/** How much of a subscription's limits is used; the program says it with almost every request. */
export interface LimitMessage {
  readonly type: "rate_limit_event";
  readonly rate_limit_info: {
    /** `allowed`, `allowed_warning` or `rejected`. */
    readonly status: string;
    readonly rateLimitType?: string | undefined;
    /** From 0 to 1. */
    readonly utilization?: number | undefined;
    /** Unix seconds. */
    readonly resetsAt?: number | undefined;
    /** What is used above the limit is paid for. */
    readonly isUsingOverage?: boolean | undefined;
  };
}

export interface ControlRequest {
  readonly type: "control_request";
  readonly request_id: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly subtype: string };
}

/** The answer to one of our requests. */
export interface ControlResponse {
  readonly type: "control_response";
  readonly response: {
    readonly subtype: string;
    readonly request_id: string;
    readonly response?: unknown;
    readonly error?: unknown;
  };
}

/** What may be missing, and what counts as missing where it is something else than it was. */
const maybe = <T>(type: z.ZodType<T>): z.ZodType<T | undefined> => type.optional().catch(undefined);

/** The same for what may also be null. */
const orNull = <T>(type: z.ZodType<T>): z.ZodType<T | null | undefined> => type.nullish().catch(null);

const anything = z.unknown().optional();
const text = z.string();
const number = z.number();

const otherBlock: z.ZodType<OtherBlock> = z.object({ type: text }).transform(() => ({ type: "other" }) as const);

const block: z.ZodType<ContentBlock> = z.union([
  z.object({ type: z.literal("text"), text }),
  z.object({ type: z.literal("thinking"), thinking: text }),
  z.object({ type: z.literal("tool_use"), id: text, name: text, input: z.record(text, z.unknown()).catch({}) }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: text,
    content: anything,
    is_error: maybe(z.boolean()),
  }),
  otherBlock,
]);

const tokens: z.ZodType<Tokens> = z.object({
  input_tokens: number.catch(0),
  output_tokens: number.catch(0),
  cache_creation_input_tokens: orNull(number),
  cache_read_input_tokens: orNull(number),
});

const event: z.ZodType<StreamEvent> = z.union([
  z.object({
    type: z.literal("content_block_delta"),
    index: number,
    delta: z.union([
      z.object({ type: z.literal("text_delta"), text }),
      z.object({ type: z.literal("thinking_delta"), thinking: text }),
      otherBlock,
    ]),
  }),
  z.object({ type: z.literal("message_start"), message: z.object({ id: text, usage: maybe(tokens) }) }),
  z.object({ type: z.literal("content_block_start"), index: number, content_block: block }),
  otherBlock,
]);

/** By their type; those of type `system` by `system` and their subtype. */
const schemas: Readonly<Record<string, z.ZodType<ClaudeMessage>>> = {
  stream_event: z.object({ type: z.literal("stream_event"), event, parent_tool_use_id: orNull(text) }),
  assistant: z.object({
    type: z.literal("assistant"),
    message: z.object({ id: text, content: z.array(block), usage: maybe(tokens) }),
    parent_tool_use_id: orNull(text),
    error: maybe(text),
  }),
  user: z.object({
    type: z.literal("user"),
    message: z.object({ content: z.union([text, z.array(block)]) }),
    tool_use_result: anything,
    tool_result_meta: maybe(z.array(z.object({ id: text, non_execution_kind: maybe(text) }))),
  }),
  result: z.object({
    type: z.literal("result"),
    subtype: text,
    is_error: z.boolean().catch(false),
    result: maybe(text),
    errors: maybe(z.array(text)),
    stop_reason: orNull(text),
    terminal_reason: orNull(text),
    duration_ms: maybe(number),
    total_cost_usd: maybe(number),
    usage: maybe(tokens),
    modelUsage: maybe(z.record(text, z.object({ contextWindow: maybe(number) }))),
    user_message_uuid: maybe(text),
    user_message_uuids: maybe(z.array(text)),
    uuid: maybe(text),
  }),
  "system init": z.object({
    type: z.literal("system"),
    subtype: z.literal("init"),
    session_id: text,
    model: maybe(text),
    permissionMode: maybe(text),
  }),
  "system status": z.object({
    type: z.literal("system"),
    subtype: z.literal("status"),
    permissionMode: maybe(text),
  }),
  "system api_retry": z.object({
    type: z.literal("system"),
    subtype: z.literal("api_retry"),
    attempt: number,
    max_retries: maybe(number),
    retry_delay_ms: number.catch(0),
    error_status: orNull(number),
    error: orNull(text),
  }),
  "system session_title_changed": z.object({
    type: z.literal("system"),
    subtype: z.literal("session_title_changed"),
    title: text,
  }),
  "system background_tasks_changed": z.object({
    type: z.literal("system"),
    subtype: z.literal("background_tasks_changed"),
    tasks: z.array(z.object({ task_id: text, task_type: maybe(text), description: maybe(text) })),
  }),
  "system task_started": z.object({
    type: z.literal("system"),
    subtype: z.literal("task_started"),
    tool_use_id: maybe(text),
    is_backgrounded: maybe(z.boolean()),
  }),
  "system task_notification": z.object({
    type: z.literal("system"),
    subtype: z.literal("task_notification"),
    tool_use_id: maybe(text),
    status: text,
    summary: maybe(text),
  }),
  "system compact_boundary": z.object({ type: z.literal("system"), subtype: z.literal("compact_boundary") }),
  command_lifecycle: z.object({ type: z.literal("command_lifecycle"), command_uuid: text, state: text }),
  conversation_reset: z.object({ type: z.literal("conversation_reset") }),
  rate_limit_event: z.object({
    type: z.literal("rate_limit_event"),
    rate_limit_info: z.object({
      status: text,
      rateLimitType: maybe(text),
      utilization: maybe(number),
      resetsAt: maybe(number),
      isUsingOverage: maybe(z.boolean()),
    }),
  }),
  control_request: z.object({
    type: z.literal("control_request"),
    request_id: text,
    request: z.looseObject({ subtype: text }),
  }),
  control_cancel_request: z.object({ type: z.literal("control_cancel_request"), request_id: text }),
  control_response: z.object({
    type: z.literal("control_response"),
    response: z.object({ subtype: text, request_id: text, response: anything, error: anything }),
  }),
};

const named = z.object({ type: text, subtype: maybe(text) });

/** Reads a message; or says what was not understood: its type, and its subtype where it is of the system. */
export function parseMessage(value: unknown): ClaudeMessage | { readonly type: "unknown"; readonly name: string } {
  const kind = named.safeParse(value);
  if (!kind.success) return { type: "unknown", name: "no message" };
  const { type, subtype } = kind.data;
  const name = type === "system" ? `system ${subtype ?? ""}`.trim() : type;
  const parsed = Object.hasOwn(schemas, name) ? schemas[name]?.safeParse(value) : undefined;
  return parsed?.success === true ? parsed.data : { type: "unknown", name };
}
