import { jsonPieces, type PiecedText } from "../support/json-pieces.ts";
import { proposalKeyPrefix } from "./proposal-key.ts";
import type { ProposalStore, StoredProposal } from "./proposal-store.ts";

/** What the store needs of a private storage (discovery/private-storage.ts). */
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
      await storage.write(proposalKeyPrefix + record.facts.id, jsonPieces(record));
    },
    remove: async (id) => {
      // Most proposals are decided before anything of them was written.
      if (written.delete(id)) await storage.remove(proposalKeyPrefix + id);
    },
    read: async (id) => {
      const { parseStoredProposal } = await import("./parse-stored-proposal.ts");
      const text = await storage.read(proposalKeyPrefix + id);
      return text === undefined ? undefined : parseStoredProposal(text);
    },
    load: async () => {
      const keys = await storage.list(proposalKeyPrefix);
      if (keys.length === 0) return [];
      const { parseStoredProposal } = await import("./parse-stored-proposal.ts");
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
