import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import type { DraftKeeper } from "./drafts.ts";
import type { ProposalInfo, OutcomeCarrier } from "./model.ts";
import { type OpenProposals } from "./open-proposals.ts";
import type { OutcomeDelivery } from "./outcome-delivery.ts";
import type { ReviewOpenings } from "./openings.ts";
import { Proposal } from "./proposal.ts";
import type { UnwrittenTexts } from "./unwritten-texts.ts";
import { readView, type ReviewViews } from "./review-views.ts";
import type { ProposalStore, StoredProposal } from "./stored-proposals.ts";

export interface ProposalHandoverOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: ProposalStore;
  readonly carrier: OutcomeCarrier;
  readonly drafts: DraftKeeper;
  readonly outcomes: OutcomeDelivery;
  readonly proposals: OpenProposals;
  readonly views: ReviewViews;
  readonly openings: ReviewOpenings;
  readonly unwritten: UnwrittenTexts;
}

/** What passes from one run of the editor to the next: taken back at the start, left or settled at the end. */
export class ProposalHandover {
  readonly #options: ProposalHandoverOptions;
  /** What the end of this run has left open. */
  #kept: readonly Proposal[] = [];

  constructor(options: ProposalHandoverOptions) {
    this.#options = options;
  }

  /** After an end with `keep`: what owners still wait for. */
  get undecided(): readonly ProposalInfo[] {
    return this.#kept.filter((proposal) => proposal.isOpen).map((proposal) => proposal.info());
  }

  /** See `DiffRegistry.restore`. */
  async restore(): Promise<{ readonly shown: Promise<void> }> {
    const { store, proposals } = this.#options;
    const records = await store.load();
    if (proposals.ending !== undefined) return { shown: Promise.resolve() };
    const opening = records.flatMap((record) => {
      const proposal = this.#revive(record);
      if (proposal?.kept?.reason === "not-written") void this.#options.unwritten.takeBack(proposal);
      // One whose review the user had closed is in the list, and opened from there.
      return proposal === undefined || proposal.kept?.isShown === false ? [] : [this.#show(proposal)];
    });
    proposals.changed();
    return { shown: Promise.all(opening).then(() => {}) };
  }

  /** As it was: what was in the list only is opened when the user's setting says so. */
  async #show(proposal: Proposal): Promise<void> {
    const { views, openings } = this.#options;
    if (proposal.aside === undefined) await views.show(proposal);
    else await (proposal.aside === "held" ? openings.list(proposal) : openings.show(proposal));
  }

  /** It came while everything ends: the next run shows it, or its agent is told that nobody will. */
  takeLate(proposal: Proposal): void {
    if (this.#options.proposals.ending !== "keep") void this.#settle(proposal);
    else void this.#options.drafts.save(proposal);
  }

  /** See `DiffRegistry.stop`. */
  async stop(options: { readonly keep: boolean }): Promise<void> {
    const { proposals, outcomes, drafts } = this.#options;
    proposals.ending = options.keep ? "keep" : "settle";
    drafts.beginEnd();
    const { all } = proposals;
    const stays = (proposal: Proposal): boolean => options.keep && !proposal.isTrial;
    if (options.keep) this.#kept = all.filter(stays);
    await Promise.all(all.map((proposal) => (stays(proposal) ? this.#keep(proposal) : this.#settle(proposal))));
    // With `keep`, agents may go on until their connections end: what they close is closed, and not asked about again.
    if (!options.keep) proposals.clear();
    await outcomes.stop(options);
    await drafts.settled();
    proposals.changed();
  }

  /** See `DiffRegistry.settled`. */
  async settled(): Promise<void> {
    const { proposals, outcomes, drafts } = this.#options;
    await outcomes.finish();
    await drafts.settled();
    proposals.clear();
  }

  /** See `DiffRegistry.end`. */
  end(): void {
    this.#options.drafts.end();
  }

  /** A stored proposal as one of this run; undefined where there is nothing of it to show. */
  #revive(record: StoredProposal): Proposal | undefined {
    const { proposals, outcomes, drafts, carrier } = this.#options;
    const proposal = new Proposal(record.facts, record.draft);
    if (proposals.has(proposal.id)) return undefined;
    if (record.base !== undefined) proposal.rebase(record.base, record.draft ?? record.base.shown ?? proposal.body);
    const { owner } = proposal.facts;
    if (!record.detached) proposal.aside = record.aside;
    if (record.outcome !== undefined) {
      proposal.settle(record.outcome);
      proposal.detached = isKept(record);
      proposal.isWritten = record.isWritten === true;
      proposal.isAnsweredLater = !proposal.isWritten;
      outcomes.restore(proposal, record.outcome, record.sentAs);
    } else if (record.detached || owner.conversationId !== undefined || owner.isOfHook === true) {
      // The agent of a conversation has ended with the run that started it, and a hook waits no longer than its connection lasts.
      proposal.settle({ kind: "agent-gone" });
      proposal.detached = isKept(record) || record.draft !== undefined;
      if (!proposal.detached) drafts.forget(proposal);
    }
    if (!proposal.isOpen && !proposal.detached) return undefined;
    if (proposal.detached) {
      proposal.kept = record.kept ?? { reason: "agent-exited", since: proposal.facts.createdAt, isShown: true };
    }
    proposal.terminalOnly = proposal.isOpen && !owner.outlivesConnection;
    proposal.agentPresent = proposal.terminalOnly || (proposal.isOpen && carrier.isReachable(owner.sessionId));
    proposals.add(proposal);
    return proposal;
  }

  async #keep(proposal: Proposal): Promise<void> {
    await proposal.deciding;
    if (proposal.isOpen || proposal.detached) await this.#options.drafts.save(proposal);
  }

  async #settle(proposal: Proposal): Promise<void> {
    const { clock, logger, drafts, outcomes, views } = this.#options;
    await proposal.deciding;
    if (!proposal.isOpen && !proposal.detached) return;
    await readView(proposal, clock, logger);
    const settled = proposal.settle({ kind: "stopped" });
    if (settled && proposal.isEdited && !proposal.isTrial) {
      proposal.detached = true;
      proposal.kept = { reason: "agent-exited", since: clock.now(), isShown: proposal.place === "shown" };
    }
    if (settled) outcomes.send(proposal, { kind: "rejected" });
    if (proposal.detached) await drafts.save(proposal);
    else if (!settled) drafts.forget(proposal);
    await views.close(proposal, "stopped");
  }
}

/** A kept text that nobody has typed into is the proposal itself. */
function isKept({ detached, draft, kept }: StoredProposal): boolean {
  return detached && (draft !== undefined || kept !== undefined);
}
