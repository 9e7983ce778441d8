import * as z from "zod";
import type { StoredProposal } from "./proposal-store.ts";

const owner = z.object({
  sessionId: z.string(),
  dialect: z.string(),
  agentName: z.string(),
  byteOrderMark: z.enum(["as-proposed", "as-on-disk"]),
  emptiedText: z.enum(["", "\n"]),
  outlivesConnection: z.boolean(),
  process: z.object({ pid: z.number().int().positive(), mark: z.string() }).optional(),
});

const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("accepted"), text: z.string(), edited: z.boolean() }),
  z.object({ kind: z.literal("rejected") }),
  z.object({ kind: z.literal("closed") }),
  z.object({ kind: z.literal("superseded") }),
  z.object({ kind: z.literal("decided-in-terminal"), text: z.string(), edited: z.boolean() }),
  z.object({ kind: z.literal("agent-gone") }),
  z.object({ kind: z.literal("stopped") }),
]);

const stored = z.object({
  facts: z.object({
    id: z.string().regex(/^[A-Za-z0-9_-]+$/u),
    owner,
    input: z.object({ path: z.string(), text: z.string(), handle: z.string() }),
    kind: z.enum(["create", "change", "delete"]),
    createdAt: z.number(),
  }),
  draft: z.string().optional(),
  detached: z.boolean().default(false),
  kept: z
    .object({
      reason: z.enum(["agent-exited", "superseded", "answered-in-terminal", "not-delivered"]),
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
  const { facts, draft, detached, kept, outcome: decided, sentAs } = parsed.data;
  return { facts, draft, detached, kept, outcome: decided, sentAs };
}
