import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import type { Proposal } from "./proposal.ts";
import type { ProposalStore } from "./proposal-store.ts";

/** Texts of proposals that nobody looks at take this much memory at most, UTF-16 units: 64 MB. What is more is on disk only. */
export const maximumHeldUnits: number = 32 * 1024 * 1024;

export interface RestingTextsOptions {
  readonly store: ProposalStore;
  readonly drafts: DraftKeeper;
  readonly logger: Logger;
  /** Whether the editor shows the proposal, or its outcome is on its way just now. */
  readonly isInUse: (proposal: Proposal) => boolean;
}

/**
 * Keeps settled proposals of which something is left (an answer that its agent never fetched, a text that the user typed)
 * from filling the memory of a window that is open for weeks: beyond a bound their texts are on disk until someone wants them.
 */
export class RestingTexts {
  readonly #options: RestingTextsOptions;
  /** What may rest, the one longest unused first. */
  readonly #idle: Map<string, Proposal> = new Map();

  constructor(options: RestingTextsOptions) {
    this.#options = options;
  }

  /** Nobody looks at the proposal any more. Resolves, never rejects, when what is too much rests. */
  async offer(proposal: Proposal): Promise<void> {
    const { drafts, store } = this.#options;
    if (store.read === undefined || proposal.isResting || !(await drafts.save(proposal))) return;
    this.#idle.delete(proposal.id);
    if (this.#mayRest(proposal)) this.#idle.set(proposal.id, proposal);
    let held = 0;
    for (const one of Array.from(this.#idle.values()).reverse()) {
      // In use again, or over, without having said so.
      if (!this.#mayRest(one)) this.#idle.delete(one.id);
      else if (held + one.textUnits <= maximumHeldUnits) held += one.textUnits;
      else {
        this.#idle.delete(one.id);
        one.rest();
      }
    }
  }

  /** The texts are wanted: they are in memory when this resolves. Rejects where they are not on disk any more. */
  async wake(proposal: Proposal): Promise<void> {
    this.#idle.delete(proposal.id);
    if (!proposal.isResting) return;
    const { store, logger } = this.#options;
    try {
      const record = await store.read?.(proposal.id);
      if (record !== undefined) proposal.wake(record);
    } catch (error) {
      logger.warn("What is kept of a proposal could not be read", { proposal: proposal.id, reason: messageOf(error) });
    }
    if (proposal.isResting) throw new PatchbayError("storage-failed", "The text is not on disk any more.");
  }

  #mayRest(proposal: Proposal): boolean {
    const isLeft = proposal.detached || proposal.undelivered !== undefined;
    return isLeft && !proposal.isOpen && !proposal.isResting && !this.#options.isInUse(proposal);
  }
}
