import * as z from "zod";
import type { ToolKind, Usage } from "../../model/index.ts";
import { oneSpelling } from "../../process/spelling.ts";
import { count, listOf, maybe, meta, text } from "../lenient.ts";
import type {
  ElicitationRequest,
  Heard,
  PermissionRequest,
  PromptResult,
  ReadRequest,
  ToolContent,
  ToolFields,
  WriteRequest,
} from "../wire.ts";
import { configOptions } from "./setup.ts";

/** A block of content, whatever kind it is. */
export interface ContentBlock {
  readonly type: string;
  readonly text: string | undefined;
  readonly uri: string | undefined;
  readonly resource: { readonly uri: string | undefined; readonly text: string | undefined } | undefined;
}

const toolKinds: Readonly<Record<string, ToolKind>> = {
  read: "read",
  edit: "edit",
  delete: "delete",
  move: "move",
  search: "search",
  execute: "execute",
  think: "think",
  fetch: "fetch",
};

/** A block of content, as far as it can be shown. */
const contentBlock: z.ZodType<ContentBlock> = z.object({
  type: text,
  text: maybe(text),
  uri: maybe(text),
  resource: maybe(z.object({ uri: maybe(text), text: maybe(text) })),
});

/** The path of a file. */
const file = text.transform((path) => oneSpelling(path));

const toolContent = z.union([
  z
    .object({ type: z.literal("diff"), path: file, oldText: maybe(text), newText: text })
    .transform(({ type, path, oldText, newText }): ToolContent => ({ type, path, before: oldText, after: newText })),
  z.object({ type: z.literal("terminal"), terminalId: text }),
  z
    .object({ type: z.literal("content"), content: contentBlock })
    .transform(({ content }): ToolContent => ({ type: "text", text: wordsOf(content) })),
]);

/** A block as text: what has no words is named. */
function wordsOf(block: ContentBlock): string {
  return block.text ?? block.resource?.text ?? block.uri ?? block.resource?.uri ?? `[${block.type}]`;
}

const location = z
  .object({ path: file, line: maybe(z.number().int().positive()) })
  .transform(({ path, line }) => (line === undefined ? { path } : { path, line }));

/** What is said of a use of a tool. */
const toolCall: z.ZodType<ToolFields> = z
  .object({
    toolCallId: text,
    title: maybe(text),
    kind: maybe(text),
    status: maybe(z.enum(["pending", "in_progress", "completed", "failed"])),
    content: maybe(listOf(toolContent)),
    locations: maybe(listOf(location)),
    rawInput: z.unknown().optional(),
    rawOutput: z.unknown().optional(),
    _meta: meta,
  })
  .transform(
    ({ toolCallId, kind, _meta, ...rest }): ToolFields => ({
      ...rest,
      id: toolCallId,
      kind: kind === undefined ? undefined : (toolKinds[kind] ?? "other"),
      isModeSwitch: kind === "switch_mode",
      meta: _meta,
    }),
  );

/** Tokens by all the names that agents have for them. */
const tokens = maybe(
  z
    .object({ inputTokens: count, outputTokens: count, input_tokens: count, output_tokens: count })
    .transform((found): Usage | undefined => {
      const inputTokens = found.inputTokens ?? found.input_tokens;
      const outputTokens = found.outputTokens ?? found.output_tokens;
      if (inputTokens === undefined && outputTokens === undefined) return undefined;
      return {
        ...(inputTokens === undefined ? {} : { inputTokens }),
        ...(outputTokens === undefined ? {} : { outputTokens }),
      };
    }),
);

const usageUpdate = z
  .object({ used: count, size: count, cost: maybe(z.object({ amount: z.number(), currency: maybe(text) })) })
  .transform(
    ({ used, size, cost }): Usage => ({
      ...(used === undefined ? {} : { contextTokens: used }),
      ...(size === undefined ? {} : { contextSize: size }),
      ...(cost === undefined ? {} : { cost: cost.amount }),
      ...(cost?.currency === undefined ? {} : { currency: cost.currency }),
    }),
  );

const chunk = z.object({ content: contentBlock, messageId: maybe(text), _meta: meta });

const planStep = z
  .object({ content: text, status: z.enum(["pending", "in_progress", "completed"]).catch("pending") })
  .transform(({ content, status }) => ({ text: content, state: planStates[status] }));
const planStates = { pending: "pending", in_progress: "running", completed: "done" } as const;

const command = z
  .object({ name: text, description: text.catch(""), input: maybe(z.object({ hint: text })) })
  .transform(({ name, description, input }) => ({
    name: name.replace(/^\//u, ""),
    description,
    ...(input === undefined || input.hint === "" ? {} : { argumentHint: input.hint }),
  }));

const said = (speaker: "agent" | "thought" | "user") =>
  chunk.transform(({ content, messageId, _meta }): Heard => {
    const usage = tokens.parse(_meta["usage"]);
    return { kind: "text", chunk: { speaker, text: wordsOf(content), messageId, usage } };
  });

/** By the name of the update; others are not ours to know. */
const updates: Readonly<Record<string, z.ZodType<Heard>>> = {
  agent_message_chunk: said("agent"),
  agent_thought_chunk: said("thought"),
  user_message_chunk: said("user"),
  tool_call: toolCall.transform((call): Heard => ({ kind: "tool", isNew: true, call })),
  tool_call_update: toolCall.transform((call): Heard => ({ kind: "tool", isNew: false, call })),
  plan: z.object({ entries: listOf(planStep) }).transform(({ entries }): Heard => ({ kind: "plan", steps: entries })),
  available_commands_update: z
    .object({ availableCommands: listOf(command) })
    .transform(({ availableCommands }): Heard => ({ kind: "commands", commands: availableCommands })),
  current_mode_update: z
    .object({ currentModeId: text })
    .transform(({ currentModeId }): Heard => ({ kind: "mode", modeId: currentModeId })),
  config_option_update: z
    .object({ configOptions })
    .transform((found): Heard => ({ kind: "options", options: found.configOptions })),
  session_info_update: z.object({ title: text }).transform(({ title }): Heard => ({ kind: "title", title })),
  usage_update: usageUpdate.transform((usage): Heard => ({ kind: "usage", usage })),
};

const sessionUpdate = z.object({ sessionId: maybe(text), update: z.looseObject({ sessionUpdate: text }) });

/** What `session/update` tells; undefined for what is not known. */
export function readUpdate(
  params: unknown,
): { readonly sessionId: string | undefined; readonly heard: Heard } | undefined {
  const found = sessionUpdate.safeParse(params).data;
  if (found === undefined) return undefined;
  const heard = updates[found.update.sessionUpdate]?.safeParse(found.update).data;
  return heard === undefined ? undefined : { sessionId: found.sessionId, heard };
}

const promptResult = z.object({ stopReason: text.catch("end_turn"), usage: tokens, _meta: meta });
const quota = maybe(z.object({ token_count: tokens }));

/** What `session/prompt` answers. */
export function readPromptResult(value: unknown): PromptResult {
  const found = promptResult.safeParse(value).data;
  return {
    stopReason: found?.stopReason ?? "end_turn",
    usage: found?.usage ?? quota.parse(found?._meta["quota"])?.token_count,
  };
}

const permissionRequest = z.object({
  toolCall,
  options: listOf(
    z.object({
      optionId: text,
      name: text.catch(""),
      kind: z.enum(["allow_once", "allow_always", "reject_once", "reject_always"]),
    }),
  ),
});

/** `session/request_permission`. */
export function readPermissionRequest(params: unknown): PermissionRequest | undefined {
  const found = permissionRequest.safeParse(params).data;
  if (found === undefined) return undefined;
  const options = found.options.map(({ optionId, name, kind }) => ({ id: optionId, name: name || optionId, kind }));
  return { call: found.toolCall, options };
}

/** What a permission request is answered with. `extra` stands beside the outcome. */
export function permissionResult(optionId: string | undefined, extra: Readonly<Record<string, unknown>> = {}): unknown {
  const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  return { outcome, ...extra };
}

const readRequest = z.object({ path: file, line: count, limit: count });

/** `fs/read_text_file`. */
export function readReadRequest(params: unknown): ReadRequest | undefined {
  return readRequest.safeParse(params).data;
}

/** One agent writes without returns, and says beside it that the file has them. */
const writeRequest = z.object({ path: file, content: text, _meta: meta }).transform(({ path, content, _meta }) => ({
  path,
  text: _meta["lineEnding"] === "crlf" ? content.replaceAll(/\r?\n/gu, "\r\n") : content,
}));

/** `fs/write_text_file`. */
export function readWriteRequest(params: unknown): WriteRequest | undefined {
  return writeRequest.safeParse(params).data;
}

const elicitation = z.object({
  mode: text.catch("form"),
  message: text.catch(""),
  toolCallId: maybe(text),
  requestedSchema: z.object({ properties: z.record(z.string(), z.unknown()), required: z.array(text).catch([]) }),
});

/** `elicitation/create`; undefined for what is not a form. */
export function readElicitation(params: unknown): ElicitationRequest | undefined {
  const found = elicitation.safeParse(params).data;
  if (found === undefined || found.mode !== "form") return undefined;
  const { message, toolCallId, requestedSchema } = found;
  return { message, toolId: toolCallId, ...requestedSchema };
}
