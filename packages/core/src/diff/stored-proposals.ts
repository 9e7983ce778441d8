import * as z from "zod";
import { jsonPieces, type PiecedText } from "../support/json-pieces.ts";
import type { DecidedHunks } from "./hunks.ts";
import { type DiffOutcome, proposalKeyPrefix } from "./model.ts";
import type { KeptFacts, ProposalBase, ProposalFacts } from "./proposal.ts";

/**
 * PORT: where drafts and undelivered outcomes are kept across a reload and a crash. Implemented over the host's private
 * directory (0600 files); a host without storage keeps nothing.
 */
export interface ProposalStore {
  /** Replaces what is kept of a proposal. Rejects when it could not be written (full disk); the old value then stays. */
  save(record: StoredProposal): Promise<void>;
  remove(id: string): Promise<void>;
  load(): Promise<readonly StoredProposal[]>;
  /** What is kept of one proposal; undefined where nothing is, or nothing that can be read. Absent: nothing can be read back in this run. */
  read?(id: string): Promise<StoredProposal | undefined>;
}

export interface StoredProposal {
  readonly facts: ProposalFacts;
  readonly draft: string | undefined;
  /** What the review compared with; undefined where it was not shown yet. */
  readonly base: ProposalBase | undefined;
  /** The agent is done with it; only the text the user typed is kept, for the user. */
  readonly detached: boolean;
  /** What is known of a detached one. */
  readonly kept?: KeptFacts | undefined;
  /** Set when the user has decided and the agent does not know yet. */
  readonly outcome: DiffOutcome | undefined;
  /** The event id under which the outcome was sent, 0 for none: an agent that has that event is not told again. */
  readonly sentAs: number;
  /** See `Proposal.aside`. */
  readonly aside?: "held" | "listed" | undefined;
  /** See `Proposal.isWritten`. */
  readonly isWritten?: boolean | undefined;
}

/** Keeps nothing. */
export const emptyProposalStore: ProposalStore = {
  save: async () => {},
  remove: async () => {},
  load: async () => [],
};

/** What the store needs of a private storage (storage/private-storage.ts). */
export interface TextStorage {
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string | PiecedText): Promise<void>;
  remove(key: string): Promise<void>;
  list(prefix: string): Promise<readonly string[]>;
}

/** What is older than this was abandoned, ms (seven days). */
const abandonedAfterMs = 7 * 24 * 60 * 60 * 1000;

/** Keeps proposals in a private storage, one value each. */
export function createStoredProposals(storage: TextStorage, now: () => number): ProposalStore {
  const written = new Set<string>();
  return {
    save: async (record) => {
      written.add(record.facts.id);
      await storage.write(proposalKeyPrefix + record.facts.id, jsonPieces(withTextsOnce(record)));
    },
    remove: async (id) => {
      // Most proposals are decided before anything of them was written.
      if (written.delete(id)) await storage.remove(proposalKeyPrefix + id);
    },
    read: async (id) => {
      const text = await storage.read(proposalKeyPrefix + id);
      return text === undefined ? undefined : parseStoredProposal(text);
    },
    load: async () => {
      const keys = await storage.list(proposalKeyPrefix);
      if (keys.length === 0) return [];
      const records: StoredProposal[] = [];
      for (const key of keys) {
        const text = await storage.read(key);
        const record = text === undefined ? undefined : parseStoredProposal(text);
        if (record === undefined || now() - record.facts.createdAt > abandonedAfterMs) await storage.remove(key);
        else {
          written.add(record.facts.id);
          records.push(record);
        }
      }
      return records;
    },
  };
}

/** Shorter texts stand where they belong, UTF-16 units. */
const shortText = 256;

/**
 * What is stored of a record: a long text stands there once, in `texts`, and `{ "of": 0 }` wherever the record has it. What was
 * proposed, accepted and shown is mostly the same text, and there is only so much room.
 */
export function withTextsOnce(record: StoredProposal): Readonly<Record<string, unknown>> {
  const places = new Map<string, number>();
  const replace = (value: unknown): unknown => {
    if (typeof value === "string") {
      if (value.length < shortText) return value;
      const of = places.get(value) ?? places.size;
      places.set(value, of);
      return { of };
    }
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member)]));
  };
  const members = Object.entries(record).map(([key, member]) => [key, replace(member)]);
  return { ...Object.fromEntries(members), texts: Array.from(places.keys()) };
}

const storedTexts = z.object({ texts: z.array(z.string()).default([]) });

/** What `withTextsOnce` was made of. */
function withTextsInPlace(value: unknown): unknown {
  const parsed = storedTexts.safeParse(value);
  const texts = parsed.success ? parsed.data.texts : [];
  const place = (member: unknown): unknown => {
    if (Array.isArray(member)) return member.map(place);
    if (typeof member !== "object" || member === null) return member;
    const members = Object.entries(member);
    const [first] = members;
    if (members.length === 1 && first?.[0] === "of" && typeof first[1] === "number") return texts[first[1]];
    return Object.fromEntries(members.map(([key, one]) => [key, place(one)]));
  };
  return place(value);
}

const owner = z.object({
  sessionId: z.string(),
  conversationId: z.string().optional(),
  agent: z.string().optional(),
  isOfHook: z.boolean().optional(),
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

const lineNumber = z.number().int().nonnegative();

const storedHunks = z.object({
  left: z.string().optional(),
  right: z.string().optional(),
  steps: z.array(
    z.object({
      verdict: z.enum(["accept", "reject"]),
      span: z.object({ start: lineNumber, end: lineNumber }),
      before: z.object({ lines: z.array(z.string()), end: z.string().optional() }),
    }),
  ),
  undecided: lineNumber,
});

const storedBase = z.object({
  file: z.object({ text: z.string(), unsaved: z.boolean(), readable: z.boolean(), stamp: z.string().optional() }),
  proposedOn: z.string(),
  shown: z.string().optional(),
  isRebased: z.boolean(),
  conflict: z.object({ base: z.string(), ours: z.string(), shown: z.string() }).optional(),
  // A review whose verdicts cannot be read is the whole review again.
  hunks: storedHunks.optional().catch(undefined),
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
      reason: z.enum([
        "agent-exited",
        "withdrawn",
        "superseded",
        "answered-in-terminal",
        "not-delivered",
        "not-written",
      ]),
      since: z.number(),
      isShown: z.boolean(),
      isUntold: z.boolean().optional(),
    })
    .optional(),
  outcome: outcome.optional(),
  sentAs: z.number().int().nonnegative().default(0),
  aside: z.enum(["held", "listed"]).optional(),
  isWritten: z.boolean().optional(),
});

/** Reads a stored proposal; undefined for anything else. */
export function parseStoredProposal(text: string): StoredProposal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A half-written or foreign file is as good as none.
    return undefined;
  }
  const parsed = stored.safeParse(withTextsInPlace(value));
  if (!parsed.success) return undefined;
  const { base, draft, outcome: decided, ...rest } = parsed.data;
  return { ...rest, draft, outcome: decided, base: base === undefined ? undefined : baseOf(base) };
}

function baseOf({ file, hunks, ...base }: z.infer<typeof storedBase>): ProposalBase {
  const { stamp, ...facts } = file;
  const { proposedOn, shown, isRebased, conflict } = base;
  return {
    file: stamp === undefined ? facts : { ...facts, stamp },
    proposedOn,
    shown,
    isRebased,
    conflict,
    ...(hunks === undefined ? {} : { hunks: hunksOf(hunks) }),
  };
}

function hunksOf({ left, right, steps, undecided }: z.infer<typeof storedHunks>): DecidedHunks {
  const known = steps.map(({ before: { lines, end }, ...step }) => ({ ...step, before: { lines, end } }));
  return { left, right, steps: known, undecided };
}
