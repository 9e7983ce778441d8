import * as z from "zod/mini";
import type { FileChange, LineRange, Location } from "./changes.ts";
import type { Entry, PromptBlock, Usage } from "./entries.ts";
import type { Answer, Choice, FormField, FormValue, ProposedChange, Question, QuestionOutcome } from "./questions.ts";
import type { BackgroundTask, SessionCapabilities, SessionOption, SessionState, SlashCommand } from "./session.ts";
import type { ConversationPatch, ConversationSnapshot, Draft, PlacedEntry } from "./snapshot.ts";

/**
 * The model as it is parsed: entries are read from transcripts on disk, and all of it arrives in the panel's page. Keys that are
 * not known are dropped, so that a newer version's transcript can be read.
 */

const lineRange: z.ZodMiniType<LineRange> = z.object({ start: z.number(), end: z.number() });

const location: z.ZodMiniType<Location> = z.object({ path: z.string(), line: z.exactOptional(z.number()) });

/** What a `FileChange` has; a proposed change has more. */
export const fileChangeSchema: z.ZodMiniType<FileChange> = z.object({
  path: z.string(),
  before: z.exactOptional(z.string()),
  after: z.exactOptional(z.string()),
  isFragment: z.exactOptional(z.boolean()),
});

/** Parses a part of a prompt. */
export const promptBlockSchema: z.ZodMiniType<PromptBlock> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("mention"), path: z.string(), lines: z.exactOptional(lineRange) }),
  z.object({
    type: z.literal("excerpt"),
    title: z.string(),
    path: z.exactOptional(z.string()),
    lines: z.exactOptional(lineRange),
    text: z.string(),
  }),
  z.object({
    type: z.literal("image"),
    mimeType: z.string(),
    data: z.string(),
    name: z.exactOptional(z.string()),
  }),
]);

/** Parses what was used. */
export const usageSchema: z.ZodMiniType<Usage> = z.object({
  inputTokens: z.exactOptional(z.number()),
  outputTokens: z.exactOptional(z.number()),
  contextTokens: z.exactOptional(z.number()),
  contextSize: z.exactOptional(z.number()),
  cost: z.exactOptional(z.number()),
  currency: z.exactOptional(z.string()),
});

const proposedChange: z.ZodMiniType<ProposedChange> = z.object({
  path: z.string(),
  before: z.exactOptional(z.string()),
  after: z.exactOptional(z.string()),
  isFragment: z.exactOptional(z.boolean()),
  isEditable: z.boolean(),
});

const choice: z.ZodMiniType<Choice> = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["allow-once", "allow-always", "reject-once", "reject-always"]),
  rule: z.exactOptional(z.string()),
});

const formValue: z.ZodMiniType<FormValue> = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const formField: z.ZodMiniType<FormField> = z.object({
  id: z.string(),
  label: z.string(),
  description: z.exactOptional(z.string()),
  input: z.enum(["text", "number", "boolean", "one-of", "many-of"]),
  isRequired: z.boolean(),
  options: z.exactOptional(
    z.array(z.object({ value: z.string(), label: z.string(), description: z.exactOptional(z.string()) })),
  ),
  allowsOther: z.exactOptional(z.boolean()),
  initial: z.exactOptional(formValue),
});

/** Parses a question of an agent. */
export const questionSchema: z.ZodMiniType<Question> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("permission"),
    toolId: z.string(),
    title: z.string(),
    reason: z.exactOptional(z.string()),
    command: z.exactOptional(z.string()),
    input: z.exactOptional(z.string()),
    change: z.exactOptional(proposedChange),
    choices: z.array(choice),
  }),
  z.object({ type: z.literal("form"), message: z.string(), fields: z.array(formField) }),
  z.object({ type: z.literal("plan"), plan: z.string(), choices: z.array(choice) }),
]);

/** Parses what the user answers; it comes from the panel's page. */
export const answerSchema: z.ZodMiniType<Answer> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("choice"), choiceId: z.string(), text: z.exactOptional(z.string()) }),
  z.object({ type: z.literal("reject"), message: z.exactOptional(z.string()) }),
  z.object({ type: z.literal("form"), values: z.record(z.string(), formValue) }),
  z.object({ type: z.literal("cancel") }),
]);

/** Parses how a question ended. */
export const questionOutcomeSchema: z.ZodMiniType<QuestionOutcome> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("answered"),
    summary: z.string(),
    isAllowed: z.boolean(),
    isEdited: z.exactOptional(z.boolean()),
  }),
  z.object({ type: z.literal("withdrawn") }),
]);

const base = { id: z.string(), at: z.number(), parent: z.exactOptional(z.string()) };

/** Parses an entry of a conversation. */
export const entrySchema: z.ZodMiniType<Entry> = z.discriminatedUnion("kind", [
  z.object({ ...base, kind: z.literal("prompt"), blocks: z.array(promptBlockSchema) }),
  z.object({ ...base, kind: z.literal("message"), text: z.string(), isComplete: z.boolean() }),
  z.object({ ...base, kind: z.literal("thought"), text: z.string(), isComplete: z.boolean() }),
  z.object({
    ...base,
    kind: z.literal("tool"),
    tool: z.enum(["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "subagent", "other"]),
    name: z.string(),
    title: z.string(),
    state: z.enum(["pending", "waiting", "running", "done", "failed", "rejected", "cancelled"]),
    command: z.exactOptional(z.string()),
    input: z.exactOptional(z.string()),
    output: z.exactOptional(z.string()),
    outputOmitted: z.exactOptional(z.number()),
    changes: z.exactOptional(z.array(fileChangeSchema)),
    locations: z.exactOptional(z.array(location)),
  }),
  z.object({
    ...base,
    kind: z.literal("plan"),
    steps: z.array(z.object({ text: z.string(), state: z.enum(["pending", "running", "done"]) })),
  }),
  z.object({
    ...base,
    kind: z.literal("question"),
    question: questionSchema,
    outcome: z.exactOptional(questionOutcomeSchema),
  }),
  z.object({
    ...base,
    kind: z.literal("notice"),
    level: z.enum(["info", "warning", "error"]),
    text: z.string(),
    detail: z.exactOptional(z.string()),
    action: z.exactOptional(z.enum(["restart", "sign-in", "retry", "install"])),
  }),
  z.object({
    ...base,
    kind: z.literal("turn-end"),
    prompt: z.exactOptional(z.string()),
    reason: z.enum(["done", "stopped", "refused", "limit", "failed", "exited"]),
    durationMs: z.exactOptional(z.number()),
    usage: z.exactOptional(usageSchema),
    cost: z.exactOptional(z.number()),
  }),
]);

const since = { since: z.number() };

/** Parses what a session is doing. */
export const sessionStateSchema: z.ZodMiniType<SessionState> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("starting") }),
  z.object({ kind: z.literal("idle") }),
  z.object({ kind: z.literal("running"), ...since }),
  z.object({ kind: z.literal("waiting"), ...since }),
  z.object({
    kind: z.literal("retrying"),
    attempt: z.number(),
    limit: z.exactOptional(z.number()),
    nextAt: z.number(),
    reason: z.string(),
  }),
  z.object({
    kind: z.literal("signed-out"),
    methods: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.exactOptional(z.string()),
        command: z.exactOptional(z.array(z.string())),
      }),
    ),
  }),
  z.object({ kind: z.literal("ended"), reason: z.exactOptional(z.string()) }),
]);

/** Parses an option that the user can choose. */
export const sessionOptionSchema: z.ZodMiniType<SessionOption> = z.object({
  id: z.string(),
  category: z.enum(["mode", "model", "effort", "other"]),
  name: z.string(),
  description: z.exactOptional(z.string()),
  value: z.union([z.string(), z.boolean()]),
  values: z.exactOptional(
    z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.exactOptional(z.string()),
        asks: z.exactOptional(z.enum(["always", "sometimes", "never"])),
      }),
    ),
  ),
});

/** Parses a slash command. */
export const slashCommandSchema: z.ZodMiniType<SlashCommand> = z.object({
  name: z.string(),
  description: z.string(),
  argumentHint: z.exactOptional(z.string()),
});

/** Parses what a session can do. */
export const sessionCapabilitiesSchema: z.ZodMiniType<SessionCapabilities> = z.object({
  images: z.boolean(),
  excerpts: z.boolean(),
  editableChanges: z.boolean(),
  rejectionMessages: z.boolean(),
  rejectsByPrompt: z.exactOptional(z.boolean()),
  fork: z.boolean(),
  forkBefore: z.boolean(),
  rewind: z.boolean(),
  resume: z.boolean(),
  facts: z.exactOptional(z.boolean()),
});

/** Parses something that goes on in the background. */
export const backgroundTaskSchema: z.ZodMiniType<BackgroundTask> = z.object({
  id: z.string(),
  kind: z.enum(["subagent", "command", "other"]),
  title: z.string(),
  since: z.number(),
});

/** A conversation as the panel's page parses it. */

/** Parses an entry at its place. */
export const placedEntrySchema: z.ZodMiniType<PlacedEntry> = z.object({ place: z.number(), entry: entrySchema });

/** Parses what the user has begun to write. */
export const draftSchema: z.ZodMiniType<Draft> = z.object({
  blocks: z.array(promptBlockSchema),
  caret: z.number(),
  at: z.exactOptional(z.number()),
  before: z.exactOptional(z.array(z.string())),
});

/** They are parsed where they are drawn, which a page loads by itself. */
const unparsedTurns: z.ZodMiniType<ConversationSnapshot["turns"]> = z.array(z.any());

const status = {
  title: z.string(),
  state: sessionStateSchema,
  options: z.array(sessionOptionSchema),
  commands: z.array(slashCommandSchema),
  queue: z.array(z.object({ id: z.string(), blocks: z.array(promptBlockSchema) })),
  waiting: z.number(),
  access: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("own") }),
    z.object({ kind: z.literal("read-only") }),
  ]),
  isKept: z.boolean(),
  turns: unparsedTurns,
};

const mayBeAbsent = {
  usage: z.exactOptional(usageSchema),
  tasks: z.exactOptional(z.array(backgroundTaskSchema)),
  capabilities: z.exactOptional(sessionCapabilitiesSchema),
};

/** Parses a whole conversation. */
export const conversationSnapshotSchema: z.ZodMiniType<ConversationSnapshot> = z.object({
  id: z.string(),
  agent: z.string(),
  folder: z.string(),
  at: z.number(),
  ...status,
  ...mayBeAbsent,
  sequence: z.number(),
  entries: z.array(placedEntrySchema),
  start: z.number(),
  draft: draftSchema,
});

/** Parses what has changed of one. */
export const conversationPatchSchema: z.ZodMiniType<ConversationPatch> = z.object({
  sequence: z.number(),
  status: z.object({
    title: z.exactOptional(status.title),
    state: z.exactOptional(status.state),
    options: z.exactOptional(status.options),
    commands: z.exactOptional(status.commands),
    queue: z.exactOptional(status.queue),
    waiting: z.exactOptional(status.waiting),
    access: z.exactOptional(status.access),
    isKept: z.exactOptional(status.isKept),
    turns: z.exactOptional(status.turns),
    ...mayBeAbsent,
  }),
  entries: z.array(placedEntrySchema),
  appends: z.array(z.object({ place: z.number(), text: z.string() })),
});
