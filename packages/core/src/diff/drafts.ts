import type { Disposable } from "../support/disposable.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import type { KeptFacts, Proposal } from "./proposal.ts";
import { readView } from "./review-views.ts";
import type { ProposalStore, StoredProposal } from "./stored-proposals.ts";

/** Time from the first unsaved key to the draft on disk, ms; leaves room for the write within the promised 500 ms. */
const draftDelayMs = 200;

/**
 * Keeps what the user types in a review on disk, so that neither a reload nor a killed editor loses more than half a
 * second of it. Reads the view at most every 200 ms while it changes, and never while it does not.
 */
export class DraftKeeper {
  readonly #clock: Clock;
  readonly #store: ProposalStore;
  readonly #logger: Logger;
  readonly #onFailure: (proposal: Proposal) => void;
  readonly #pending: Map<string, Disposable> = new Map();
  // oxlint-disable-next-line patchbay/no-kept-promise -- Tails that never reject.
  readonly #writes: Map<string, Promise<void>> = new Map();
  #failed = false;
  #phase: "running" | "ending" | "ended" = "running";

  constructor(options: {
    readonly clock: Clock;
    readonly store: ProposalStore;
    readonly logger: Logger;
    readonly onFailure: (proposal: Proposal) => void;
  }) {
    this.#clock = options.clock;
    this.#store = options.store;
    this.#logger = options.logger;
    this.#onFailure = options.onFailure;
  }

  /** Says that the proposal or its text changed. */
  touch(proposal: Proposal): void {
    if (this.#pending.has(proposal.id)) return;
    if (this.#phase !== "running") {
      // Nobody would be there any more when the time is over.
      void this.#save(proposal, proposal.isEdited);
      return;
    }
    this.#pending.set(
      proposal.id,
      this.#clock.setTimeout(() => {
        this.#pending.delete(proposal.id);
        void this.#save(proposal, proposal.isEdited);
      }, draftDelayMs),
    );
  }

  /** Reads the view and writes what is kept of the proposal now. Never rejects: a failure is told once. False where it is not on disk. */
  async save(proposal: Proposal): Promise<boolean> {
    return await this.#save(proposal, true);
  }

  /** A view in which nobody has typed is not asked: it holds the proposal, and to say so costs it as much as that is long. */
  async #save(proposal: Proposal, askView: boolean): Promise<boolean> {
    let isSaved = false;
    this.#cancel(proposal.id);
    if (proposal.isTrial) return true;
    await this.#chain(proposal.id, async () => {
      if (askView && (proposal.isOpen || proposal.detached)) await readView(proposal, this.#clock, this.#logger);
      // What rests is on disk as it is.
      if (proposal.isResting) {
        isSaved = true;
        return;
      }
      const record = recordOf(proposal);
      // Decided while its view was read: there is nothing left to keep. Or the view took so long that all is over.
      if (record === undefined || this.#hasEnded) return;
      await this.#store.save(record);
      this.#failed = false;
      isSaved = true;
    }).catch((error: unknown) => {
      this.#logger.error("A draft could not be kept", { proposal: proposal.id, reason: messageOf(error) });
      if (!this.#failed) this.#onFailure(proposal);
      this.#failed = true;
    });
    return isSaved;
  }

  /** Forgets what is kept of a proposal that has come to its end; an outcome still on its way stays. */
  forget(proposal: Proposal): void {
    this.#cancel(proposal.id);
    if (proposal.isTrial) return;
    if (recordOf(proposal) !== undefined && !proposal.isOpen) {
      void this.save(proposal);
      return;
    }
    void this.#chain(proposal.id, () => this.#store.remove(proposal.id)).catch((error: unknown) => {
      this.#logger.warn("An old draft could not be removed", { proposal: proposal.id, reason: messageOf(error) });
    });
  }

  /** Resolves when all writes under way have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writes.values());
  }

  /** Nothing is put off any more: what still changes is written at once. */
  beginEnd(): void {
    this.#phase = "ending";
    for (const timer of this.#pending.values()) timer.dispose();
    this.#pending.clear();
  }

  /** From now on what is kept is the next run's: a late write of this one would bring back what that one has settled. */
  end(): void {
    this.beginEnd();
    this.#phase = "ended";
  }

  get #hasEnded(): boolean {
    return this.#phase === "ended";
  }

  #cancel(id: string): void {
    this.#pending.get(id)?.dispose();
    this.#pending.delete(id);
  }

  /** One operation at a time for each proposal, in order: a late write must not bring back what was removed. */
  #chain(id: string, operation: () => Promise<void>): Promise<void> {
    const before = this.#writes.get(id) ?? Promise.resolve();
    const step = async (): Promise<void> => {
      if (!this.#hasEnded) await operation();
    };
    const next = before.then(step, step);
    const tail: Promise<void> = next.then(
      () => this.#release(id, tail),
      () => this.#release(id, tail),
    );
    this.#writes.set(id, tail);
    return next;
  }

  #release(id: string, tail: Promise<void>): void {
    if (this.#writes.get(id) === tail) this.#writes.delete(id);
  }
}

/** What is kept of a proposal; undefined where nothing is. */
function recordOf(proposal: Proposal): StoredProposal | undefined {
  const { facts, draft, base, detached, kept, isOpen, undelivered, sentAs, aside, isWritten, awaited } = proposal;
  const common = { facts, base, sentAs, aside, isWritten };
  if (isOpen || detached || undelivered !== undefined) {
    const typed = isOpen || detached ? draft : undefined;
    return { ...common, draft: typed, detached, kept, outcome: undelivered };
  }
  if (awaited === undefined) return undefined;
  const left: KeptFacts = { reason: "not-written", since: awaited.since, isShown: false, isUntold: true };
  return { ...common, draft: awaited.text, detached: true, kept: left, outcome: undefined };
}

/**
 * Texts of proposals that nobody looks at take this much memory at most, UTF-16 units: 32 MB. What is more is on disk only. Answers
 * that wait for slow readers may take as much (endpoint/waiting-texts.ts): 64 MB in all.
 */
export const maximumHeldUnits: number = 16 * 1024 * 1024;

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

  /** Nobody looks at the proposal any more. Resolves, never rejects, when what is too much rests. `isSaved`: it has just been written to disk. */
  async offer(proposal: Proposal, isSaved = false): Promise<void> {
    const { drafts, store } = this.#options;
    if (store.read === undefined || proposal.isResting || !(isSaved || (await drafts.save(proposal)))) return;
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

  /** No outcome of it waits any more. */
  forget(proposal: Proposal): void {
    if (!proposal.detached) this.#idle.delete(proposal.id);
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
      logger.warn("The stored text of a proposal could not be read", {
        proposal: proposal.id,
        reason: messageOf(error),
      });
    }
    if (proposal.isResting) throw new PatchbayError("storage-failed", "The text is no longer on disk.");
  }

  #mayRest(proposal: Proposal): boolean {
    const isLeft = proposal.detached || proposal.undelivered !== undefined;
    return isLeft && !proposal.isOpen && !proposal.isResting && !this.#options.isInUse(proposal);
  }
}
