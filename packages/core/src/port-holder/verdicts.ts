import type { ProposalStore, StoredProposal, TextStorage } from "../diff/stored-proposals.ts";
import { holderNoteKey, type HolderVerdict } from "./order.ts";

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
