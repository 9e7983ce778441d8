import * as z from "zod";
import type { Usage } from "../../model/index.ts";
import { count, listOf, maybe, meta, text } from "../lenient.ts";
import type { Heard, PromptResult } from "../wire.ts";
import { configOptions } from "./setup.ts";
import { contentBlock, toolCall, wordsOf } from "./tool-call.ts";

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
