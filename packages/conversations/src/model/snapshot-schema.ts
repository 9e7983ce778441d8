import * as z from "zod/mini";
import {
  backgroundTaskSchema,
  entrySchema,
  promptBlockSchema,
  sessionCapabilitiesSchema,
  sessionOptionSchema,
  sessionStateSchema,
  slashCommandSchema,
  usageSchema,
} from "./schema.ts";
import type { ConversationPatch, ConversationSnapshot, Draft, PlacedEntry } from "./snapshot.ts";

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

const changedFile = z.object({
  path: z.string(),
  kind: z.enum(["created", "changed", "deleted"]),
  state: z.enum(["applied", "undone"]),
  isAsked: z.boolean(),
  obstacle: z.exactOptional(z.string()),
});

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
  turns: z.array(z.object({ turn: z.string(), files: z.array(changedFile), ranCommands: z.boolean() })),
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
