import type { FileHunk, FileView, RestoredFile, Restoring, TurnChanges } from "@patchbay/conversations/model";
import * as z from "zod/mini";

/** Of what turns did to the files. In a file of its own: the page loads it with what draws it. */
export type ChangesMessage =
  /** What a page has asked for with `view`. Without a view: the turn did nothing to the file, or nobody knows what. */
  | { readonly kind: "view"; readonly turn: string; readonly path: string; readonly view?: PageView }
  /** What would become of the files; the user confirms it in the page. Reasons are in the user's language. */
  | { readonly kind: "restoring"; readonly prompt: string; readonly restoring: Restoring };

/** As much as a page draws. */
export interface PageView extends Omit<FileView, "hunks"> {
  readonly hunks?: readonly PageHunk[];
  /** How many hunks are left out. */
  readonly more: number;
}

export interface PageHunk extends FileHunk {
  /** How many of its lines are left out. */
  readonly more: number;
}

const fileKind = z.enum(["created", "changed", "deleted", "moved", "mode", "link", "binary", "large"]);
const text = z.string();
const mayText = z.exactOptional(text);
const number = z.number();
const isTrue = z.exactOptional(z.literal(true));
const texts = z.array(text);

const changedFile = z.object({
  path: text,
  kind: fileKind,
  movedFrom: mayText,
  mark: z.enum(["exact", "likely", "unknown"]),
  state: z.enum(["applied", "accepted", "kept", "undone", "partly", "queued"]),
  lines: z.exactOptional(z.object({ added: number, removed: number })),
  canRedo: z.boolean(),
  obstacle: mayText,
  isNew: isTrue,
  hasMode: isTrue,
  commands: z.exactOptional(texts),
  revision: mayText,
});

/** Parses the turns of a conversation, which its snapshot and its patches hold as they came. */
export const turnsSchema: z.ZodMiniType<readonly TurnChanges[]> = z.array(
  z.object({ turn: text, prompt: mayText, files: z.array(changedFile), more: number }),
);

const hunk: z.ZodMiniType<PageHunk> = z.object({
  id: text,
  state: z.enum(["open", "kept", "undone", "queued"]),
  beforeStart: number,
  afterStart: number,
  before: texts,
  after: texts,
  above: texts,
  below: texts,
  more: number,
});

const view: z.ZodMiniType<PageView> = z.object({
  hunks: z.exactOptional(z.array(hunk)),
  more: number,
  mode: z.exactOptional(z.object({ before: number, after: number })),
  target: z.exactOptional(z.object({ before: mayText, after: mayText })),
});

const restored: z.ZodMiniType<RestoredFile> = z.object({
  path: text,
  kind: fileKind,
  movedFrom: mayText,
  isNew: isTrue,
  fate: z.enum(["back", "partly", "yours", "lost"]),
  reason: mayText,
});

/** Parses what the host says of changes. */
export const changesMessageSchema: z.ZodMiniType<ChangesMessage> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("view"), turn: text, path: text, view: z.exactOptional(view) }),
  z.object({
    kind: z.literal("restoring"),
    prompt: text,
    restoring: z.object({ canRewind: z.boolean(), reason: mayText, files: z.array(restored) }),
  }),
]);
