import type { DiffCloseReason, DiffView, DiffViewEvents, EditorHost } from "../editor-host.ts";
import type { Clock, Files, Random } from "../platform/platform.ts";
import { Emitter, type Event } from "../support/emitter.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { type Logger, reportListenerFailure } from "../support/logger.ts";
import { ByteOrderMarks } from "./byte-order-marks.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import type { DiffOutcome, ProposalInfo, ProposalInput } from "./model.ts";
import { OutcomeOffice, type OutcomeCarrier } from "./outcome-office.ts";
import { Proposal, type ProposalOwner } from "./proposal.ts";
import type { ProposalStore, StoredProposal } from "./proposal-store.ts";
import { currentText, readView } from "./read-view.ts";
import { within } from "./within.ts";
import { createReviewMessages, type ReviewMessages } from "./review-messages.ts";

/** Proposals one session may have open at once; more is a runaway agent. */
const maximumOpenPerSession = 200;

/** How long a stop waits for the editor to take a view away, ms. */
const closeMs = 1_000;

export interface DiffRegistryOptions {
  readonly host: Pick<EditorHost, "diffs" | "messages" | "documents">;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly logger: Logger;
  readonly store: ProposalStore;
  readonly carrier: OutcomeCarrier;
}

export interface OpenedDiff {
  readonly id: string;
  readonly outcome: Promise<DiffOutcome>;
  readonly shown: Promise<void>;
}

export interface FinalText {
  readonly text: string;
  readonly edited: boolean;
}

/**
 * All proposals under review, by owner. Whoever decides first (the user in the view, the agent's terminal, the end of a
 * session) settles a proposal; its outcome goes to the session that asked and to nobody else.
 */
export class DiffRegistry {
  readonly #host: Pick<EditorHost, "diffs" | "messages" | "documents">;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #marks: ByteOrderMarks;
  readonly #logger: Logger;
  readonly #store: ProposalStore;
  readonly #drafts: DraftKeeper;
  readonly #outcomes: OutcomeOffice;
  readonly #messages: ReviewMessages;
  readonly #open: Map<string, Proposal> = new Map();
  readonly #shown: Map<string, Promise<void>> = new Map();
  readonly #carrier: OutcomeCarrier;
  readonly #change: Emitter<void>;
  #stopped = false;
  /** Whether the stop leaves open what is open, for the next run. */
  #keeps = false;
  /** What a stop has left open. */
  #kept: readonly Proposal[] = [];

  constructor(options: DiffRegistryOptions) {
    this.#host = options.host;
    this.#random = options.random;
    this.#clock = options.clock;
    this.#marks = new ByteOrderMarks(options.files);
    this.#logger = options.logger;
    this.#store = options.store;
    this.#carrier = options.carrier;
    this.#change = new Emitter(reportListenerFailure(options.logger));
    this.#messages = createReviewMessages(options.host, options.logger);
    this.#drafts = new DraftKeeper({
      clock: options.clock,
      store: options.store,
      logger: options.logger,
      onFailure: (proposal) => this.#messages.draftNotKept(proposal),
    });
    this.#outcomes = new OutcomeOffice({ carrier: options.carrier, drafts: this.#drafts, clock: options.clock });
  }

  get onDidChange(): Event<void> {
    return this.#change.event;
  }

  get proposals(): readonly ProposalInfo[] {
    return [...this.#open.values()].map((proposal) => proposal.info());
  }

  /** Registers a proposal at once and shows it in the background. See `SessionDiffs.open`. */
  open(
    owner: ProposalOwner,
    input: ProposalInput,
    facts: {
      readonly inside: boolean;
      readonly kind: "create" | "change" | "delete";
      /** Tells apart the states of the file on disk. */
      readonly fileState?: string | undefined;
    },
  ): OpenedDiff {
    const earlier = this.#find(owner.sessionId, input.handle);
    if (earlier !== undefined) {
      const { path, text } = earlier.facts.input;
      if (path === input.path && text === input.text) return this.#opened(earlier);
      this.#supersede(earlier);
    }
    if (this.#ofSession(owner.sessionId).length >= maximumOpenPerSession) {
      throw new PatchbayError(
        "too-large",
        `${maximumOpenPerSession} proposals of this agent are already open; decide some of them first.`,
      );
    }
    // An outcome nobody fetched is about an earlier round: sent now, it would answer this one.
    for (const { proposal, text } of this.#outcomes.withdraw(owner.sessionId, input.handle)) {
      this.#messages.answerNotUsed(proposal, text);
    }
    const proposal = new Proposal({
      id: this.#random.token(12),
      owner,
      input,
      kind: facts.kind,
      createdAt: this.#clock.now(),
    });
    proposal.fileState = facts.fileState;
    this.#open.set(proposal.id, proposal);
    if (this.#stopped) this.#takeLate(proposal);
    else {
      void this.#track(proposal, facts.inside ? this.#show(proposal) : this.#ask(proposal));
      this.#drafts.touch(proposal);
    }
    this.#change.fire();
    return this.#opened(proposal);
  }

  /** It came while everything ends: the next run shows it, or its agent is told that nobody will. */
  #takeLate(proposal: Proposal): void {
    if (!this.#keeps) void this.#settleForStop(proposal);
    else if (proposal.facts.owner.outlivesConnection) void this.#drafts.save(proposal);
  }

  /** The agent's terminal decided. See `SessionDiffs.close`. */
  async closeByAgent(
    owner: ProposalOwner,
    handle: string,
    options: { readonly notify: boolean },
  ): Promise<FinalText | undefined> {
    const proposal = this.#find(owner.sessionId, handle);
    if (proposal === undefined) return this.#outcomes.collect(owner, handle);
    await proposal.deciding;
    const text = await this.#read(proposal);
    const mark = this.#marks.needed(proposal);
    const final = proposal.finalText(text, typeof mark === "boolean" ? mark : await mark);
    // The user may have decided in the view while it was read.
    if (!proposal.isOpen) return this.#outcomes.collect(owner, handle) ?? final;
    if (final.edited && !owner.outlivesConnection)
      this.#messages.editsNotUsed(proposal, proposal.draft ?? proposal.body);
    this.#end(proposal, { kind: "decided-in-terminal", ...final }, "decided-in-terminal");
    if (options.notify) this.#outcomes.send(proposal, { kind: "rejected" });
    return final;
  }

  async closeAllOfSession(owner: ProposalOwner): Promise<number> {
    const own = this.#ofSession(owner.sessionId);
    await Promise.all(own.map((proposal) => this.closeByAgent(owner, proposal.facts.input.handle, { notify: false })));
    return own.length;
  }

  /** The user's accept by a command; the text is what the view holds. */
  async accept(id: string): Promise<boolean> {
    const proposal = this.#open.get(id);
    if (proposal === undefined) return false;
    return this.#accept(proposal, async () => {
      await this.#shownIfEdited(proposal);
      // What the user typed must not be replaced by what the agent proposed because the editor cannot say it.
      return proposal.view === undefined ? this.#read(proposal) : currentText(proposal, this.#clock);
    });
  }

  async reject(id: string): Promise<boolean> {
    const proposal = this.#open.get(id);
    return proposal !== undefined && this.#decline(proposal, "rejected");
  }

  async reveal(id: string): Promise<boolean> {
    const proposal = this.#open.get(id);
    if (proposal === undefined) return false;
    // A view that is on its way is waited for, not opened twice; one that waits for the user's answer has it now.
    if (proposal.place === "shown") await this.#shown.get(proposal.id)?.catch(() => {});
    if (proposal.view === undefined) await this.#track(proposal, this.#show(proposal));
    await proposal.view?.reveal();
    return proposal.view !== undefined;
  }

  /** Whether a session still has something here that it may come back for. */
  concerns(sessionId: string): boolean {
    return this.#ofSession(sessionId).length > 0 || this.#outcomes.concerns(sessionId);
  }

  openCount(sessionId: string): number {
    return this.#ofSession(sessionId).length;
  }

  /** The owner came back or is missed: views say so; what it has not got yet is sent. */
  setAgentPresent(sessionId: string, present: boolean): void {
    for (const proposal of this.#ofSession(sessionId)) {
      if (proposal.agentPresent === present) continue;
      proposal.agentPresent = present;
      this.#tellPresence(proposal);
    }
    if (present) this.#outcomes.redeliver(sessionId);
    else this.#tellKept(sessionId);
    this.#change.fire();
  }

  /** The owner's connection made room for others; it may come back by its id, to what it has left here. */
  sessionPutAway(sessionId: string): void {
    this.#outcomes.ownerPutAway(sessionId);
    if (this.concerns(sessionId)) this.setAgentPresent(sessionId, false);
  }

  /** The owner will not come back: edited views stay with their text, the others go. */
  sessionEnded(sessionId: string): void {
    for (const proposal of this.#ofSession(sessionId)) this.#orphan(proposal);
    this.#outcomes.ownerEnded(sessionId);
  }

  /**
   * Takes back what an earlier run left. Resolves when agents can be answered about it; `shown` resolves when the editor
   * has shown it.
   */
  async restore(): Promise<{ readonly shown: Promise<void> }> {
    const records = await this.#store.load();
    if (this.#stopped) return { shown: Promise.resolve() };
    const opening = records.flatMap((record) => {
      const proposal = this.#revive(record);
      return proposal === undefined ? [] : [this.#track(proposal, this.#show(proposal))];
    });
    this.#change.fire();
    return { shown: Promise.all(opening).then(() => {}) };
  }

  /** A stored proposal as one of this run; undefined where there is nothing of it to show. */
  #revive(record: StoredProposal): Proposal | undefined {
    const proposal = new Proposal(record.facts, record.draft);
    if (this.#open.has(proposal.id)) return undefined;
    const { owner } = proposal.facts;
    if (record.outcome !== undefined) {
      proposal.settle(record.outcome);
      proposal.detached = record.detached && record.draft !== undefined;
      this.#outcomes.restore(proposal, record.outcome, record.sentAs);
    } else if (record.detached || !owner.outlivesConnection) {
      proposal.settle({ kind: "agent-gone" });
      proposal.detached = record.draft !== undefined;
      if (!proposal.detached) this.#drafts.forget(proposal);
    }
    if (!proposal.isOpen && !proposal.detached) return undefined;
    proposal.agentPresent = proposal.isOpen && this.#carrier.isReachable(owner.sessionId);
    this.#open.set(proposal.id, proposal);
    return proposal;
  }

  /** After a stop with `keep`: what owners still wait for. */
  get undecided(): readonly ProposalInfo[] {
    return this.#kept.filter((proposal) => proposal.isOpen).map((proposal) => proposal.info());
  }

  /** Ends everything. With `keep` (an editor reload) proposals and drafts stay on disk and owners get no verdict. */
  async stop(options: { readonly keep: boolean }): Promise<void> {
    this.#stopped = true;
    this.#keeps = options.keep;
    const all = [...this.#open.values()];
    if (options.keep) this.#kept = all;
    await Promise.all(all.map((proposal) => (options.keep ? this.#keep(proposal) : this.#settleForStop(proposal))));
    // With `keep`, agents may go on until their connections end: what they close is closed, and not asked about again.
    if (!options.keep) this.#open.clear();
    await this.#outcomes.stop(options);
    await this.#drafts.settled();
    this.#drafts.dispose();
    this.#change.fire();
  }

  /** Resolves when what agents still did while everything ended is on disk, too: the next run must not read what is about to go. */
  async settled(): Promise<void> {
    await this.#outcomes.finish();
    await this.#drafts.settled();
    this.#open.clear();
  }

  async #keep(proposal: Proposal): Promise<void> {
    await proposal.deciding;
    if (proposal.isOpen || proposal.detached) await this.#drafts.save(proposal);
  }

  async #settleForStop(proposal: Proposal): Promise<void> {
    await proposal.deciding;
    if (!proposal.isOpen && !proposal.detached) return;
    await readView(proposal, this.#clock, this.#logger);
    const settled = proposal.settle({ kind: "stopped" });
    proposal.detached = proposal.isEdited;
    if (settled) this.#outcomes.send(proposal, { kind: "rejected" });
    if (proposal.detached) await this.#drafts.save(proposal);
    else this.#drafts.forget(proposal);
    await this.#closeView(proposal, "stopped");
  }

  /** The text of the view; an edit may come before the editor has said that the view is there. */
  async #read(proposal: Proposal): Promise<string> {
    await this.#shownIfEdited(proposal);
    return readView(proposal, this.#clock, this.#logger);
  }

  async #shownIfEdited(proposal: Proposal): Promise<void> {
    if (proposal.view === undefined && proposal.isEdited) await this.#shown.get(proposal.id)?.catch(() => {});
  }

  #opened(proposal: Proposal): OpenedDiff {
    return { id: proposal.id, outcome: proposal.outcome, shown: this.#shown.get(proposal.id) ?? Promise.resolve() };
  }

  #find(sessionId: string, handle: string): Proposal | undefined {
    return this.#ofSession(sessionId).find((proposal) => proposal.facts.input.handle === handle);
  }

  #ofSession(sessionId: string): readonly Proposal[] {
    return [...this.#open.values()].filter(
      (proposal) => proposal.isOpen && proposal.facts.owner.sessionId === sessionId,
    );
  }

  #track(proposal: Proposal, shown: Promise<void>): Promise<void> {
    this.#shown.set(proposal.id, shown);
    return shown.catch((error: unknown) => {
      this.#logger.error("The editor could not show a proposal", { proposal: proposal.id, reason: messageOf(error) });
    });
  }

  async #ask(proposal: Proposal): Promise<void> {
    proposal.place = "asking";
    const yes = await this.#messages.outsideWorkspace(proposal);
    if (!proposal.isOpen || proposal.place !== "asking") return;
    proposal.place = "hidden";
    if (yes) await this.#show(proposal);
    else this.#change.fire();
  }

  async #show(proposal: Proposal): Promise<void> {
    proposal.place = "shown";
    const { input, kind, owner } = proposal.facts;
    let opening: Awaited<ReturnType<EditorHost["diffs"]["open"]>>;
    try {
      opening = await this.#host.diffs.open(
        {
          id: proposal.id,
          agentName: owner.agentName,
          path: input.path,
          kind,
          proposedText: proposal.body,
          agentPresent: proposal.agentPresent,
          ...(proposal.draft === undefined ? {} : { draftText: proposal.draft }),
        },
        this.#events(proposal),
      );
    } catch (error) {
      proposal.place = "hidden";
      this.#change.fire();
      throw new PatchbayError(
        "host-failed",
        `The editor could not show the proposal for ${input.path}: ${messageOf(error)}`,
        { cause: error },
      );
    }
    if (opening.kind === "declined") proposal.place = "hidden";
    else await this.#attach(proposal, opening.view);
    this.#change.fire();
  }

  async #attach(proposal: Proposal, view: DiffView): Promise<void> {
    const isWanted = (proposal.isOpen || proposal.detached) && this.#open.has(proposal.id);
    if (isWanted) {
      proposal.view = view;
      // The agent may have gone or come back while the view was opening.
      this.#tellPresence(proposal);
    } else await view.close(this.#stopped ? "stopped" : closeReasonOf(proposal.settled));
  }

  #events(proposal: Proposal): DiffViewEvents {
    return {
      edited: () => {
        if (!proposal.isOpen && !proposal.detached) return;
        const first = !proposal.isEdited;
        proposal.noteEdit();
        this.#drafts.touch(proposal);
        if (first) this.#change.fire();
      },
      accepted: (text) => void this.#accept(proposal, text),
      rejected: () => void this.#decline(proposal, "rejected"),
      closed: () => void this.#decline(proposal, "closed"),
    };
  }

  /** The accept counts from now on: a view that closes while its text is worked out takes nothing back. */
  async #accept(proposal: Proposal, text: string | (() => Promise<string>)): Promise<boolean> {
    // Written down as open by now: the user is asked again by the next run, and an answer now would be a second one.
    if (this.#stopped) return false;
    if ((!proposal.isOpen && !proposal.detached) || proposal.deciding !== undefined) return false;
    proposal.deciding = this.#decide(proposal, text).catch((error: unknown) => {
      this.#logger.error("A proposal could not be accepted", { proposal: proposal.id, reason: messageOf(error) });
      return false;
    });
    const accepted = await proposal.deciding;
    proposal.deciding = undefined;
    return accepted;
  }

  async #decide(proposal: Proposal, text: string | (() => Promise<string>)): Promise<boolean> {
    const documentText = typeof text === "string" ? text : await text();
    const mark = proposal.detached ? false : this.#marks.needed(proposal);
    const final = proposal.finalText(documentText, typeof mark === "boolean" ? mark : await mark);
    if (proposal.detached) {
      proposal.noteText(documentText);
      this.#messages.handBack(proposal, documentText);
      this.#release(proposal, "accepted");
      return true;
    }
    const outcome: DiffOutcome = { kind: "accepted", ...final };
    if (!this.#end(proposal, outcome, "accepted")) return false;
    this.#outcomes.send(proposal, outcome);
    if (!proposal.agentPresent) this.#tellKept(proposal.facts.owner.sessionId);
    else if (final.edited && documentText === "" && final.text !== "") this.#messages.emptied(proposal);
    return true;
  }

  #tellKept(sessionId: string): void {
    for (const { proposal, text } of this.#outcomes.takeUntold(sessionId))
      this.#messages.keptUntilReturn(proposal, text);
  }

  #decline(proposal: Proposal, kind: "rejected" | "closed"): boolean {
    if (this.#stopped || proposal.deciding !== undefined) return false;
    if (proposal.detached) {
      this.#release(proposal, "rejected");
      return true;
    }
    if (!proposal.isOpen) return false;
    if (!this.#end(proposal, { kind }, "rejected")) return false;
    this.#outcomes.send(proposal, { kind });
    return true;
  }

  #supersede(proposal: Proposal): void {
    this.#part(proposal, { kind: "superseded" }, "superseded");
    if (proposal.detached) this.#messages.superseded(proposal);
  }

  #orphan(proposal: Proposal): void {
    this.#part(proposal, { kind: "agent-gone" }, "agent-gone");
  }

  /** The agent is done with the proposal; text the user typed stays in its view until the user is done with it, too. */
  #part(proposal: Proposal, outcome: DiffOutcome, reason: DiffCloseReason): void {
    if (!proposal.isEdited) {
      this.#end(proposal, outcome, reason);
      return;
    }
    proposal.detached = true;
    proposal.settle(outcome);
    this.#tellPresence(proposal);
    this.#drafts.touch(proposal);
    this.#change.fire();
  }

  #tellPresence(proposal: Proposal): void {
    try {
      proposal.view?.setAgentPresent(proposal.agentPresent && !proposal.detached);
    } catch (error) {
      this.#logger.warn("A review could not be told about its agent", {
        proposal: proposal.id,
        reason: messageOf(error),
      });
    }
  }

  #end(proposal: Proposal, outcome: DiffOutcome, reason: DiffCloseReason): boolean {
    if (!proposal.settle(outcome)) return false;
    this.#release(proposal, reason);
    return true;
  }

  #release(proposal: Proposal, reason: DiffCloseReason): void {
    proposal.detached = false;
    this.#open.delete(proposal.id);
    this.#shown.delete(proposal.id);
    this.#drafts.forget(proposal);
    void this.#closeView(proposal, reason);
    this.#change.fire();
  }

  async #closeView(proposal: Proposal, reason: DiffCloseReason): Promise<void> {
    const view = proposal.view;
    proposal.view = undefined;
    if (view === undefined) return;
    try {
      await within(closeMs, this.#clock, view.close(reason));
    } catch (error) {
      this.#logger.warn("A review could not be closed", { proposal: proposal.id, reason: messageOf(error) });
    }
  }
}

function closeReasonOf(outcome: DiffOutcome | undefined): DiffCloseReason {
  if (outcome === undefined || outcome.kind === "closed") return "rejected";
  return outcome.kind;
}
