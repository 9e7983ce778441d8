import type { DiffOutcome } from "./model.ts";
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
}

/** Keeps nothing. */
export const emptyProposalStore: ProposalStore = {
  save: async () => {},
  remove: async () => {},
  load: async () => [],
};
