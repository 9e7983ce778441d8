import * as z from "zod";
import type { ProposalInfo } from "../diff/model.ts";
import { handoverSecrets } from "../endpoint/give-back.ts";
import { inheritedDescriptor, type Platform } from "../platform/platform.ts";
import type { PrivateStorage } from "../storage/private-storage.ts";
import {
  type EarlierNote,
  type HeldAgents,
  type HeldProposal,
  type HeldSession,
  type HolderNote,
  holderNoteKey,
  type HolderVerdict,
  type HoldOrder,
  type Listening,
  listenMs,
  patience,
  stragglersMs,
} from "./order.ts";
import { portHolderProgram } from "./program.ts";
import type { ProposalStore, StoredProposal, TextStorage } from "../diff/stored-proposals.ts";

/** Agents are told to come back to a port holder no later than this, ms: it holds their streams, however long the editor takes. */
const longestRetryMs = 2_000;

export interface PortHolderOptions {
  readonly platform: Platform;
  readonly storage: PrivateStorage;
  readonly listening: Listening;
  readonly comeBackMs: number;
  /** Undefined: no agent came to this run. */
  readonly agents: HeldAgents | undefined;
  readonly earlier: EarlierNote | undefined;
}

/**
 * Starts the process that holds the port while the editor is away, and in the end tells agents that nobody decides (see
 * `holdPort`). Does nothing where no agent is connected. Says when agents may come back to it, ms; undefined: none was
 * started.
 */
export async function startPortHolder(options: PortHolderOptions): Promise<number | undefined> {
  const { platform, storage, listening, comeBackMs, agents, earlier } = options;
  const { identity, tokens } = listening;
  const { address, descriptor } = listening.endpoint;
  const { clock, processes, random } = platform;
  const sessions = sessionsToHold(agents, earlier, clock.monotonic());
  if (processes === undefined || sessions.length === 0) return undefined;
  const ticket = random.token(12);
  await storage.write(holderNoteKey, JSON.stringify({ ticket, told: [], sessions } satisfies HolderNote));
  const noteFile = await storage.locate(holderNoteKey);
  if (noteFile === undefined) return undefined;
  const now = clock.now();
  const retryMs = Math.min(comeBackMs, longestRetryMs);
  const holdMs = patience * comeBackMs;
  const idleUntil = now + listenMs(sessions, holdMs);
  const { ask, proofKey } = handoverSecrets(identity.sessionKey, random);
  const order: HoldOrder = {
    address,
    tokens: Object.values(tokens),
    giveBackSecret: ask,
    proofKey,
    descriptor: descriptor === undefined ? undefined : inheritedDescriptor,
    tellAt: now + holdMs,
    idleUntil,
    endAt: idleUntil + stragglersMs,
    comeBackMs: retryMs,
    noteFile,
    ticket,
    sessions,
  };
  return (await processes.startDetached(portHolderProgram(order), descriptor)) ? retryMs : undefined;
}

/** An agent whose stream went longer ago has come back or given up by now, ms: two attempts, each after the stream's `retry`. */
const stillTryingMs = 3_000;

/** How long after its start a run expects agents of the run before, ms. */
const expectedMs = 5_000;

const noteSchema = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      proposals: z.array(z.object({ id: z.string(), path: z.string(), rejection: z.string() })),
    }),
  ),
});

/**
 * The agents that come back to a port, with what they wait for: those that are connected, and those that were cut off just
 * now and are about to try. Idle ones too: the first attempt of Gemini CLI that finds nobody disconnects it until the user
 * types `/ide enable`.
 */
function sessionsToHold(
  agents: HeldAgents | undefined,
  earlier: EarlierNote | undefined,
  monotonicMs: number,
): readonly HeldSession[] {
  const known = agents === undefined ? [] : knownSessions(agents, agents.diffs.undecided, monotonicMs);
  if (earlier === undefined || monotonicMs - earlier.readAtMs > expectedMs) return known;
  // A window that is reloaded twice: whoever has not come back to this run waits for the next one.
  const came = new Set(agents?.sessions.all.map(({ id }) => id));
  const open = new Set(agents?.diffs.undecided.map(({ id }) => id));
  const missing = readSessions(earlier.text)
    .filter(({ sessionId }) => !came.has(sessionId))
    .map(({ sessionId, proposals }) => ({ sessionId, proposals: proposals.filter(({ id }) => open.has(id)) }));
  return [...known, ...missing];
}

function readSessions(note: string): readonly HeldSession[] {
  try {
    return noteSchema.parse(JSON.parse(note)).sessions;
  } catch {
    // Not written by a run of ours: as good as none.
    return [];
  }
}

/** The agents that would come back to the port if the run ended now, with what those wait for that are `guarded`, by session. */
export function presentSessions(
  agents: HeldAgents,
  monotonicMs: number,
  guarded: ReadonlySet<string>,
): readonly HeldSession[] {
  const open = guarded.size === 0 ? [] : agents.diffs.proposals.filter(({ sessionId }) => guarded.has(sessionId));
  return knownSessions(agents, open, monotonicMs);
}

function knownSessions(
  { sessions }: Pick<HeldAgents, "sessions">,
  undecided: readonly ProposalInfo[],
  monotonicMs: number,
): readonly HeldSession[] {
  return sessions.all
    .filter(({ awaySince }) => awaySince === undefined || monotonicMs - awaySince < stillTryingMs)
    .map((session): HeldSession => {
      const own = undecided.filter(({ sessionId, state }) => sessionId === session.id && state !== "kept");
      const proposals = own.flatMap(({ id, path }): HeldProposal[] => {
        const rejection = session.encodeRejection(path);
        return rejection === undefined ? [] : [{ id, path, rejection }];
      });
      return { sessionId: session.id, proposals };
    });
}

/** A store that has heard what a port holder told agents meanwhile: such a proposal is not open any more. */
export function withVerdicts(store: ProposalStore, storage: TextStorage): ProposalStore {
  return {
    ...store,
    load: async () => {
      const verdicts = await readVerdicts(storage);
      const records = await store.load();
      if (verdicts.size === 0) return records;
      const heard = await Promise.all(
        records.map(async (record) => {
          const verdict = verdicts.get(record.facts.id);
          if (verdict === undefined || record.outcome !== undefined) return [record];
          const decided = applyVerdict(record, verdict);
          if (decided === undefined) await store.remove(record.facts.id);
          else await store.save(decided);
          return decided === undefined ? [] : [decided];
        }),
      );
      return heard.flat();
    },
  };
}

/** Text the user typed stays, for the user. An agent that does not have the event is told again when it comes. */
function applyVerdict(record: StoredProposal, { eventId }: HolderVerdict): StoredProposal | undefined {
  const detached = record.draft !== undefined;
  if (eventId !== 0) return { ...record, detached, outcome: { kind: "rejected" }, sentAs: eventId };
  return detached ? { ...record, detached } : undefined;
}

async function readVerdicts(storage: TextStorage): Promise<ReadonlyMap<string, HolderVerdict>> {
  const text = await storage.read(holderNoteKey);
  if (text === undefined) return new Map();
  return new Map(parseTold(text).map((verdict) => [verdict.proposalId, verdict]));
}

/** Narrows by hand: nearly always there is nothing to read. */
function parseTold(text: string): readonly HolderVerdict[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not written by a port holder: as good as none.
    return [];
  }
  if (typeof value !== "object" || value === null || !("told" in value) || !Array.isArray(value.told)) return [];
  const told: readonly unknown[] = value.told;
  return told.filter(isVerdict);
}

function isVerdict(value: unknown): value is HolderVerdict {
  if (typeof value !== "object" || value === null || !("proposalId" in value) || !("eventId" in value)) return false;
  return typeof value.proposalId === "string" && Number.isSafeInteger(value.eventId);
}
