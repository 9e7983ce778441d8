import type { EditorHost } from "../editor-host.ts";
import type { Files, Random } from "../platform/platform.ts";
import type { Clock } from "../support/time.ts";
import type { Event } from "../support/emitter.ts";
import { PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import { ByteOrderMarks, WrittenFiles } from "./file-on-disk.ts";
import { DraftKeeper, RestingTexts } from "./drafts.ts";
import { KeptTexts } from "./kept-texts.ts";
import { FileFollower } from "./file-follower.ts";
import type { DiffOutcome, ProposalInfo, ProposalInput } from "./model.ts";
import { OpenProposals, ReviewViews } from "./review-views.ts";
import { OutcomeDelivery, type OutcomeCarrier } from "./outcome-delivery.ts";
import { type FinalText, Proposal, type ProposalOwner } from "./proposal.ts";
import { ProposalHandover } from "./proposal-handover.ts";
import type { ProposalStore } from "./stored-proposals.ts";
import { ReviewDecisions } from "./review-decisions.ts";
import { createReviewMessages, type ReviewMessages } from "./review-messages.ts";
import { splitByteOrderMark } from "./text-fidelity.ts";
import { ReviewedFiles } from "./reviewed-files.ts";
import { AwaitedWrites } from "./awaited-writes.ts";

/** Proposals one session may have open at once; more is a runaway agent. */
const maximumOpenPerSession = 200;

/** Open proposals hold this much text at most, UTF-16 units; one alone may always be open. The editor holds each several times over. */
const maximumOpenUnits = 256 * 1024 * 1024;

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
  /** See `OpenedProposal.abandon`. */
  readonly abandon: () => void;
}

/**
 * All proposals under review, by owner. Whoever decides first (the user in the view, the agent's terminal, the end of a
 * session) settles a proposal; its outcome goes to the session that asked and to nobody else.
 */
export class DiffRegistry {
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #proposals: OpenProposals;
  readonly #messages: ReviewMessages;
  readonly #drafts: DraftKeeper;
  readonly #outcomes: OutcomeDelivery;
  readonly #views: ReviewViews;
  readonly #decisions: ReviewDecisions;
  readonly #handover: ProposalHandover;
  readonly #kept: KeptTexts;
  readonly #writes: AwaitedWrites;
  #isRefusalTold = false;
  readonly #follower: FileFollower;

  constructor(options: DiffRegistryOptions) {
    const { host, clock, logger, store, carrier } = options;
    this.#random = options.random;
    this.#clock = clock;
    const proposals = new OpenProposals(logger);
    const messages = createReviewMessages(host, logger);
    const onFailure = (proposal: Proposal): void => messages.draftNotKept(proposal);
    const drafts = new DraftKeeper({ clock, store, logger, onFailure });
    const outcomes: OutcomeDelivery = new OutcomeDelivery({
      carrier,
      drafts,
      clock,
      texts: () => texts,
      onLost: (proposal) => messages.answerLost(proposal),
      onDelivered: (proposal) => {
        this.#kept.delivered(proposal);
        // Nothing of it waits any more.
        this.#proposals.changed();
      },
    });
    const events = (proposal: Proposal): ReturnType<ReviewDecisions["events"]> => this.#decisions.events(proposal);
    const beforeShown = (proposal: Proposal): Promise<void> => this.#follower.begin(proposal);
    const isInUse = (proposal: Proposal): boolean =>
      proposal.view !== undefined || (proposal.detached && proposal.place !== "hidden") || outcomes.isInUse(proposal);
    const texts: RestingTexts = new RestingTexts({ store, drafts, logger, isInUse });
    const wake = (proposal: Proposal): Promise<void> => texts.wake(proposal);
    const views = new ReviewViews({ host, clock, logger, messages, proposals, wake, events, beforeShown });
    const files = new ReviewedFiles({ host, files: options.files, clock, logger });
    const writes = new AwaitedWrites({ host, files, clock, logger });
    const showAgain = (proposal: Proposal): Promise<void> => views.show(proposal);
    const onAgentWrote = (proposal: Proposal): void => this.#decisions.writtenByTerminal(proposal);
    const follower = new FileFollower({ files, writes, clock, logger, drafts, proposals, showAgain, onAgentWrote });
    const marks = new ByteOrderMarks(options.files);
    this.#proposals = proposals;
    this.#messages = messages;
    this.#drafts = drafts;
    this.#outcomes = outcomes;
    this.#views = views;
    this.#writes = writes;
    this.#follower = follower;
    const kept = new KeptTexts({
      host,
      clock,
      files: options.files,
      logger,
      messages,
      drafts,
      outcomes,
      proposals,
      views,
      texts,
    });
    this.#kept = kept;
    const written = new WrittenFiles(options.files, logger);
    this.#decisions = new ReviewDecisions({
      clock,
      logger,
      marks,
      messages,
      drafts,
      kept,
      outcomes,
      proposals,
      views,
      written,
      follower,
      files,
      writes,
    });
    this.#handover = new ProposalHandover({ clock, logger, store, carrier, drafts, outcomes, proposals, views });
  }

  get onDidChange(): Event<void> {
    return this.#proposals.onDidChange;
  }

  get proposals(): readonly ProposalInfo[] {
    return this.#proposals.infos;
  }

  /** What no agent takes any more; see `Companion.keptTexts` and what belongs to it. */
  get kept(): Pick<KeptTexts, "list" | "read" | "save" | "discard"> {
    return this.#kept;
  }

  /** Registers a proposal at once and shows it in the background. See `SessionDiffs.open`. */
  open(
    owner: ProposalOwner,
    input: ProposalInput,
    facts: {
      readonly inside: boolean;
      readonly kind: "create" | "change" | "delete";
      /** The path with links resolved; looked up where it is absent. */
      readonly real?: string;
      /** Tells apart the states of the file on disk. */
      readonly fileState?: string | undefined;
    },
  ): OpenedDiff {
    const earlier = this.#proposals.find(owner.sessionId, input.handle);
    if (earlier !== undefined) {
      const { path, text } = earlier.facts.input;
      if (path === input.path && text === input.text) return this.#opened(earlier);
      this.#decisions.supersede(earlier);
    }
    if (this.openCount(owner.sessionId) >= maximumOpenPerSession) {
      throw this.#refusal(
        owner,
        input,
        `${maximumOpenPerSession} proposals of this agent are already open; decide some of them first.`,
      );
    }
    const open = this.#proposals.all.filter((proposal) => proposal.isOpen);
    const units = open.reduce((sum, { facts: { input: one } }) => sum + one.text.length, input.text.length);
    if (open.length > 0 && units > maximumOpenUnits) {
      throw this.#refusal(
        owner,
        input,
        "The proposals that are open already fill the memory there is for them; decide some of them first.",
      );
    }
    this.#isRefusalTold = false;
    // It asks one thing at a time: what an earlier run has left to its terminal is answered by now.
    for (const left of this.#proposals.leftTo(owner)) this.#decisions.answeredInTerminal(left);
    // An outcome nobody fetched is about an earlier round: sent now, it would answer this one.
    for (const { proposal, text } of this.#outcomes.withdraw(owner.sessionId, input.handle)) {
      this.#kept.keep(proposal, "not-delivered", splitByteOrderMark(text).body);
      this.#messages.answerNotUsed(proposal, this.#kept.saving(proposal));
    }
    const proposal = new Proposal({
      id: this.#random.token(12),
      owner,
      input,
      kind: facts.kind,
      createdAt: this.#clock.now(),
      real: facts.real,
    });
    proposal.fileState = facts.fileState;
    this.#writes.proposedAnew(owner.sessionId, input.path);
    this.#proposals.add(proposal);
    if (this.#proposals.ending !== undefined) this.#handover.takeLate(proposal);
    else {
      void (facts.inside ? this.#views.show(proposal) : this.#views.showAfterAsking(proposal));
      this.#drafts.touch(proposal);
    }
    this.#proposals.changed();
    return this.#opened(proposal);
  }

  /** The user hears of the first one only, until there is room again: an agent may go on trying. */
  #refusal({ agentName }: ProposalOwner, { path }: ProposalInput, sentence: string): PatchbayError {
    if (!this.#isRefusalTold) this.#messages.noRoom(agentName, path);
    this.#isRefusalTold = true;
    return new PatchbayError("too-large", sentence);
  }

  /** The agent's terminal decided. See `SessionDiffs.close`. */
  closeByAgent(
    owner: ProposalOwner,
    handle: string,
    options: { readonly notify: boolean },
  ): Promise<FinalText | undefined> {
    return this.#decisions.closeByAgent(owner, handle, options);
  }

  async closeAllOfSession(owner: ProposalOwner): Promise<number> {
    for (const proposal of this.#proposals.leftTo(owner)) this.#decisions.answeredInTerminal(proposal);
    const own = this.#proposals.ofSession(owner.sessionId);
    await Promise.all(own.map((proposal) => this.closeByAgent(owner, proposal.facts.input.handle, { notify: false })));
    return own.length;
  }

  /** The user's accept by a command; the text is what the view holds. */
  async accept(id: string): Promise<boolean> {
    const proposal = this.#proposals.get(id);
    return proposal !== undefined && this.#accept(proposal, false);
  }

  async #accept(proposal: Proposal, isOneOfAll: boolean): Promise<boolean> {
    return await this.#decisions.accept(proposal, () => this.#views.textToAccept(proposal), isOneOfAll);
  }

  /**
   * Accepts proposals one by one, all where none are named: each is rebased on what the one before made of their file, and waits
   * until that is written. What was not shown to the user is left alone. Gives the ids of those that were not accepted: their
   * reviews say why.
   */
  async acceptAll(ids: readonly string[] = this.#acceptable()): Promise<readonly string[]> {
    const left: string[] = [];
    let waiting = ids.flatMap((id) => this.#proposals.get(id) ?? []).filter(({ place }) => place !== "asking");
    while (waiting.length > 0) {
      // An agent may write the files of one answer only when all of them are decided: those that need not wait go first.
      const next = waiting.find(({ filePlace }) => filePlace === undefined || !this.#writes.isBeingWritten(filePlace));
      const proposal = next ?? waiting[0];
      if (proposal === undefined) break;
      waiting = waiting.filter((one) => one !== proposal);
      // Decided meanwhile by somebody else.
      if (!this.#proposals.has(proposal.id)) continue;
      if (!(await this.#accept(proposal, ids.length > 1))) left.push(proposal.id);
    }
    return left.filter((id) => this.#proposals.has(id));
  }

  #acceptable(): readonly string[] {
    const open = this.#proposals.all.filter((proposal) => proposal.isOpen && !proposal.terminalOnly);
    return open.map((proposal) => proposal.id);
  }

  async reject(id: string): Promise<boolean> {
    const proposal = this.#proposals.get(id);
    return proposal !== undefined && this.#decisions.decline(proposal, "rejected");
  }

  async reveal(id: string): Promise<boolean> {
    const proposal = this.#proposals.get(id);
    return proposal !== undefined && this.#views.reveal(proposal);
  }

  /** Whether a session still has something here that it may come back for. */
  concerns(sessionId: string): boolean {
    return this.openCount(sessionId) > 0 || this.#outcomes.concerns(sessionId);
  }

  /** Who waits here for a verdict, or has one on its way; each session once. */
  get owners(): readonly ProposalOwner[] {
    const open = this.#proposals.all.filter((proposal) => proposal.isOpen).map(({ facts }) => facts.owner);
    const all = [...open, ...this.#outcomes.owners];
    return Array.from(new Map(all.map((owner) => [owner.sessionId, owner])).values());
  }

  /** What is on disk of a proposal was dropped to make room for newer ones. */
  droppedForRoom(id: string): void {
    const proposal = this.#proposals.get(id);
    const isAnswer = this.#outcomes.droppedForRoom(id);
    if (proposal === undefined) return;
    if (proposal.isResting) this.#kept.lost(proposal);
    if (isAnswer) return;
    if (proposal.isResting) this.#messages.answerLost(proposal);
    else if (proposal.isEdited) this.#messages.draftNotKept(proposal);
  }

  /** An earlier run has left proposals that only a terminal can decide: who is connected matters for them. */
  get hasLeft(): boolean {
    return this.#proposals.all.some(({ isOpen, terminalOnly }) => isOpen && terminalOnly);
  }

  /** More is known of the owner than is on disk. */
  ownerChanged(sessionId: string): void {
    for (const proposal of this.#proposals.ofSession(sessionId)) this.#drafts.touch(proposal);
  }

  openCount(sessionId: string): number {
    return this.#proposals.ofSession(sessionId).length;
  }

  /** The owner came back or is missed: views say so; what it has not got yet is sent. */
  setAgentPresent(sessionId: string, present: boolean): void {
    for (const proposal of this.#proposals.ofSession(sessionId)) {
      if (proposal.agentPresent === present) continue;
      proposal.agentPresent = present;
      this.#views.tellPresence(proposal);
    }
    if (present) this.#redeliver(sessionId);
    else this.#decisions.tellKept(sessionId);
    this.#proposals.changed();
  }

  #redeliver(sessionId: string): void {
    const isOwn = (owner: ProposalOwner): boolean => owner.sessionId === sessionId;
    if (this.#outcomes.unsent(isOwn).length === 0) this.#outcomes.redeliver(sessionId);
    // It may have gone again while files were looked at: then it comes back for the rest.
    else void this.#decisions.bringUpToDate(isOwn).then(() => this.#outcomes.redeliver(sessionId));
  }

  /** The owner's connection made room for others; it may come back by its id, to what it has left here. */
  sessionPutAway(sessionId: string): void {
    this.#outcomes.ownerPutAway(sessionId);
    if (this.concerns(sessionId)) this.setAgentPresent(sessionId, false);
  }

  /** The owner will not come back: edited views stay with their text, the others go. */
  sessionEnded(sessionId: string): void {
    for (const proposal of this.#proposals.ofSession(sessionId)) {
      // Its connection ends with this run, and its terminal goes on asking: the next run shows it.
      const isLeft = this.#proposals.ending === "keep" && !proposal.facts.owner.outlivesConnection;
      if (!isLeft) this.#decisions.orphan(proposal);
    }
    this.#decisions.tellLost(sessionId);
    this.#outcomes.ownerEnded(sessionId);
    this.#writes.forgetWritesOf(sessionId);
  }

  /**
   * Takes back what an earlier run left. Resolves when agents can be answered about it; `shown` resolves when the editor
   * has shown it.
   */
  restore(): Promise<{ readonly shown: Promise<void> }> {
    return this.#handover.restore();
  }

  /** After a stop with `keep`: what owners still wait for. */
  get undecided(): readonly ProposalInfo[] {
    return this.#handover.undecided;
  }

  /** Ends everything. With `keep` (an editor reload) proposals and drafts stay on disk and owners get no verdict. */
  stop(options: { readonly keep: boolean }): Promise<void> {
    this.#follower.endAll();
    this.#writes.end();
    return this.#handover.stop(options);
  }

  /** Resolves when what agents still did while everything ended is on disk, too: the next run must not read what is about to go. */
  settled(): Promise<void> {
    return this.#handover.settled();
  }

  /** The last step: what the editor still says of its views is not written any more. */
  end(): void {
    this.#handover.end();
  }

  #opened(proposal: Proposal): OpenedDiff {
    return {
      id: proposal.id,
      outcome: proposal.outcome,
      shown: this.#views.whenShown(proposal),
      abandon: () => {
        // Connections that end with the run cancel their calls, too.
        if (proposal.isOpen && this.#proposals.ending === undefined) this.#decisions.orphan(proposal);
      },
    };
  }
}
