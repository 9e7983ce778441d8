import * as z from "zod";
import type { ProposalBase } from "./proposal.ts";
import type { StoredProposal } from "./proposal-store.ts";

const owner = z.object({
  sessionId: z.string(),
  dialect: z.string(),
  agentName: z.string(),
  byteOrderMark: z.enum(["as-proposed", "as-on-disk"]),
  emptiedText: z.enum(["", "\n"]),
  writes: z.enum(["text", "edits"]).default("text"),
  outlivesConnection: z.boolean(),
  process: z.object({ pid: z.number().int().positive(), mark: z.string() }).optional(),
});

const outcome = z.discriminatedUnion("kind", [
  z
    .object({ kind: z.literal("accepted"), text: z.string(), edited: z.boolean(), told: z.string().optional() })
    .transform(({ told, ...accepted }) => (told === undefined ? accepted : { ...accepted, told })),
  z.object({ kind: z.literal("rejected") }),
  z.object({ kind: z.literal("closed") }),
  z.object({ kind: z.literal("superseded") }),
  z.object({ kind: z.literal("decided-in-terminal"), text: z.string(), edited: z.boolean() }),
  z.object({ kind: z.literal("agent-gone") }),
  z.object({ kind: z.literal("stopped") }),
]);

const storedBase = z.object({
  file: z.object({ text: z.string(), unsaved: z.boolean(), readable: z.boolean(), stamp: z.string().optional() }),
  proposedOn: z.string(),
  shown: z.string().optional(),
  isRebased: z.boolean(),
  conflict: z.object({ base: z.string(), ours: z.string(), shown: z.string() }).optional(),
});

const stored = z.object({
  facts: z.object({
    id: z.string().regex(/^[A-Za-z0-9_-]+$/u),
    owner,
    input: z.object({ path: z.string(), text: z.string(), handle: z.string() }),
    kind: z.enum(["create", "change", "delete"]),
    createdAt: z.number(),
    real: z.string().optional(),
  }),
  draft: z.string().optional(),
  base: storedBase.optional(),
  detached: z.boolean().default(false),
  kept: z
    .object({
      reason: z.enum(["agent-exited", "superseded", "answered-in-terminal", "not-delivered", "not-written"]),
      since: z.number(),
      isShown: z.boolean(),
    })
    .optional(),
  outcome: outcome.optional(),
  sentAs: z.number().int().nonnegative().default(0),
});

/** Reads a stored proposal; undefined for anything else. Loaded only when there is one. */
export function parseStoredProposal(text: string): StoredProposal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A half-written or foreign file is as good as none.
    return undefined;
  }
  const parsed = stored.safeParse(value);
  if (!parsed.success) return undefined;
  const { facts, draft, detached, kept, outcome: decided, sentAs, base: known } = parsed.data;
  const base = known === undefined ? undefined : baseOf(known);
  return { facts, draft, base, detached, kept, outcome: decided, sentAs };
}

function baseOf({ file, proposedOn, shown, isRebased, conflict }: z.infer<typeof storedBase>): ProposalBase {
  const { stamp, ...facts } = file;
  return { file: stamp === undefined ? facts : { ...facts, stamp }, proposedOn, shown, isRebased, conflict };
}
