import type { Random } from "../platform/platform.ts";
import type { Event } from "../support/emitter.ts";
import { PatchbayError } from "../support/errors.ts";
import type { Clock } from "../support/time.ts";
import { createDiffServices, type DiffOptions, type DiffServices } from "./diff-services.ts";
import type { HunkVerdicts } from "./hunk-verdicts.ts";
import type { KeptTexts, TakenText } from "./kept-texts.ts";
import type { DiffOutcome, ProposalInfo, ProposalInput } from "./model.ts";
import type { ReviewOpenings } from "./openings.ts";
import { type FinalText, Proposal, type ProposalOwner } from "./proposal.ts";
import { firstBase } from "./decided-hunks.ts";
import type { CheckedFile } from "./reviewed-files.ts";
import { splitByteOrderMark } from "./text-fidelity.ts";

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
  readonly #services: DiffServices;
  #isRefusalTold = false;

  constructor(options: DiffOptions) {
    this.#random = options.random;
    this.#clock = options.clock;
    this.#services = createDiffServices(options);
  }

  get onDidChange(): Event<void> {
    return this.#services.proposals.onDidChange;
  }

  get proposals(): readonly ProposalInfo[] {
    const { proposals, counts } = this.#services;
    return proposals.infos((proposal) => counts.of(proposal));
  }

  /** What no agent takes any more; see `Companion.keptTexts` and what belongs to it. */
  get kept(): Pick<KeptTexts, "list" | "read" | "save" | "discard"> {
    return this.#services.kept;
  }

  /** When reviews open by themselves, and which are set aside. */
  get openings(): Pick<ReviewOpenings, "hold" | "reconsider"> {
    return this.#services.openings;
  }

  /** Verdicts on single hunks; see `Companion.decideHunk` and what belongs to it. */
  get hunks(): HunkVerdicts {
    return this.#services.hunks;
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
      /** See `ProposalFacts.isReadOnly`. */
      readonly isReadOnly?: boolean;
      /** See `DiffRequest.patchFiles`. */
      readonly patchFiles?: number | undefined;
      /** What the agent made its proposal from, where that is known; else what is on disk now. */
      readonly base?: string | undefined;
      /** See `takeUp`. */
      readonly taken?: TakenText | undefined;
      /** What has just been found of the file; asked where it is absent. */
      readonly checked?: CheckedFile;
    },
  ): OpenedDiff {
    const earlier = this.#services.proposals.find(owner.sessionId, input.handle);
    if (earlier !== undefined) {
      const { path, text } = earlier.facts.input;
      if (path === input.path && text === input.text) return this.#opened(earlier);
      this.#services.decisions.supersede(earlier);
    }
    const noRoom = this.#services.proposals.whyNoRoom(owner, input);
    if (noRoom !== undefined) throw this.#refusal(owner, input, noRoom);
    this.#isRefusalTold = false;
    // It asks one thing at a time: what an earlier run has left to its terminal is answered by now.
    for (const left of this.#services.proposals.leftTo(owner)) this.#services.decisions.answeredInTerminal(left);
    // An outcome nobody fetched is about an earlier round: sent now, it would answer this one.
    for (const { proposal, text } of this.#services.outcomes.withdraw(owner.sessionId, input.handle)) {
      this.#services.kept.keep(proposal, "not-delivered", splitByteOrderMark(text).body);
      this.#services.messages.answerNotUsed(proposal, this.#services.kept.saving(proposal));
    }
    const { kind, real, fileState, base, taken, isReadOnly = false, patchFiles } = facts;
    const proposal = new Proposal(
      { id: this.#random.token(12), owner, input, kind, createdAt: this.#clock.now(), real, isReadOnly, patchFiles },
      taken?.text,
    );
    proposal.fileState = fileState;
    // Whoever is asked first may take their time.
    proposal.checked = facts.inside ? facts.checked : undefined;
    if (taken?.base !== undefined) proposal.rebase(taken.base, taken.text);
    else if (base !== undefined) {
      proposal.base = firstBase({ text: splitByteOrderMark(base).body, unsaved: false, readable: true });
    }
    this.#services.writes.proposedAnew(owner.sessionId, input.path, input.text);
    this.#services.kept.proposedAnew(owner.sessionId, input.path);
    this.#services.proposals.add(proposal);
    if (this.#services.proposals.ending !== undefined) this.#services.handover.takeLate(proposal);
    else {
      void this.#ask(proposal, facts.inside);
      this.#services.drafts.touch(proposal);
    }
    this.#services.proposals.changed();
    return this.#opened(proposal);
  }

  /** What the user has just said yes to when the agent's hook asked is not asked again. */
  async #ask(proposal: Proposal, inside: boolean): Promise<void> {
    const { owner, real, input } = proposal.facts;
    const isAnswered =
      owner.isOfHook !== true &&
      real !== undefined &&
      this.#services.writes.takeFromHook(real, input.text, owner.dialect);
    if (isAnswered && (await this.#services.decisions.accept(proposal, proposal.body))) return;
    if (!proposal.isOpen) return;
    await (inside ? this.#services.openings.show(proposal) : this.#services.views.showAfterAsking(proposal));
  }

  /** The user hears of the first one only, until there is room again: an agent may go on trying. */
  #refusal({ agentName }: ProposalOwner, { path }: ProposalInput, sentence: string): PatchbayError {
    if (!this.#isRefusalTold) this.#services.messages.noRoom(agentName, path);
    this.#isRefusalTold = true;
    return new PatchbayError("too-large", sentence);
  }

  /** What the user typed into this very proposal before its agent exited: for a review that goes on with it. It is kept no longer. */
  async takeUp({ sessionId }: ProposalOwner, input: ProposalInput): Promise<TakenText | undefined> {
    return await this.#services.kept.takeUp(sessionId, input);
  }

  /** The agent's terminal decided. See `SessionDiffs.close`. */
  closeByAgent(
    owner: ProposalOwner,
    handle: string,
    options: { readonly notify: boolean },
  ): Promise<FinalText | undefined> {
    return this.#services.decisions.closeByAgent(owner, handle, options);
  }

  async closeAllOfSession(owner: ProposalOwner): Promise<number> {
    for (const proposal of this.#services.proposals.leftTo(owner))
      this.#services.decisions.answeredInTerminal(proposal);
    const own = this.#services.proposals.ofSession(owner.sessionId);
    await Promise.all(own.map((proposal) => this.closeByAgent(owner, proposal.facts.input.handle, { notify: false })));
    return own.length;
  }

  /** The user's accept by a command; the text is what the view holds. */
  async accept(id: string): Promise<boolean> {
    const proposal = this.#services.proposals.get(id);
    return proposal !== undefined && this.#accept(proposal, false);
  }

  async #accept(proposal: Proposal, isOneOfAll: boolean): Promise<boolean> {
    return await this.#services.decisions.accept(
      proposal,
      () => this.#services.views.textToAccept(proposal),
      isOneOfAll,
    );
  }

  /**
   * Accepts proposals one by one, all where none are named: each is rebased on what the one before made of their file, and waits
   * until that is written. What was not shown to the user is left alone, and what they hold unless it is named. Gives the ids of those that were not accepted: their
   * reviews say why.
   */
  async acceptAll(ids: readonly string[] = this.#services.proposals.acceptable): Promise<readonly string[]> {
    const left: string[] = [];
    let waiting = ids.flatMap((id) => this.#services.proposals.get(id) ?? []).filter(({ place }) => place !== "asking");
    while (waiting.length > 0) {
      // An agent may write the files of one answer only when all of them are decided: those that need not wait go first.
      const next = waiting.find(
        ({ filePlace }) => filePlace === undefined || !this.#services.writes.isBeingWritten(filePlace),
      );
      const proposal = next ?? waiting[0];
      if (proposal === undefined) break;
      waiting = waiting.filter((one) => one !== proposal);
      // Decided meanwhile by somebody else.
      if (!this.#services.proposals.has(proposal.id)) continue;
      if (!(await this.#accept(proposal, ids.length > 1))) left.push(proposal.id);
    }
    return left.filter((id) => this.#services.proposals.has(id));
  }

  async reject(id: string, reason?: string): Promise<boolean> {
    const proposal = this.#services.proposals.get(id);
    return proposal !== undefined && this.#services.decisions.decline(proposal, "rejected", reason);
  }

  /** Whether the user has just accepted this very text for the file, and it is not on disk yet. */
  isAccepted(real: string, text: string): boolean {
    return this.#services.writes.isAwaited(real, text);
  }

  /**
   * What a session that asks ahead was told to write into the file and has not written yet; undefined: nothing, or the file has changed since.
   * `onDisk`: what it holds.
   */
  aheadText(sessionId: string, real: string, onDisk: string | undefined): string | undefined {
    const { body: text } = splitByteOrderMark(onDisk ?? "");
    return this.#services.writes.aheadText(sessionId, real, { text, unsaved: false, readable: true });
  }

  /** A tool of an agent has ended, for the file alone where one is given, or else its whole turn: what it was to write is there, or never comes. */
  toolEnded(sessionId: string, real?: string): void {
    this.#services.writes.toolEnded(sessionId, real);
  }

  /** The model was told to write what the user accepted by itself: nothing else brings it to the disk. */
  toldAnew(sessionId: string, real: string): void {
    this.#services.writes.toldAnew(sessionId, real);
  }

  async reveal(id: string): Promise<boolean> {
    const proposal = this.#services.proposals.get(id);
    return proposal !== undefined && this.#services.views.reveal(proposal);
  }

  /** Whether a session still has something here that it may come back for. */
  concerns(sessionId: string): boolean {
    return this.openCount(sessionId) > 0 || this.#services.outcomes.concerns(sessionId);
  }

  /** Who waits here for a verdict, or has one on its way; each session once. */
  get owners(): readonly ProposalOwner[] {
    const owners = new Map<string, ProposalOwner>();
    for (const { isOpen, facts } of this.#services.proposals.all)
      if (isOpen) owners.set(facts.owner.sessionId, facts.owner);
    for (const owner of this.#services.outcomes.owners) owners.set(owner.sessionId, owner);
    return Array.from(owners.values());
  }

  /** What is on disk of a proposal was dropped to make room for newer ones. */
  droppedForRoom(id: string): void {
    const proposal = this.#services.proposals.get(id);
    const isAnswer = this.#services.outcomes.droppedForRoom(id);
    if (proposal === undefined) return;
    if (proposal.isResting) this.#services.kept.lost(proposal);
    if (isAnswer) return;
    if (proposal.isResting) this.#services.messages.answerLost(proposal);
    else if (proposal.isEdited) this.#services.messages.draftNotKept(proposal);
  }

  /** An earlier run has left proposals that only a terminal can decide: who is connected matters for them. */
  get hasLeft(): boolean {
    return this.#services.proposals.all.some(({ isOpen, terminalOnly }) => isOpen && terminalOnly);
  }

  /** More is known of the owner than is on disk. */
  ownerChanged(sessionId: string): void {
    for (const proposal of this.#services.proposals.ofSession(sessionId)) this.#services.drafts.touch(proposal);
  }

  /** Whether a proposal still waits for a decision. */
  isOpen(id: string): boolean {
    return this.#services.proposals.get(id)?.isOpen === true;
  }

  openCount(sessionId: string): number {
    return this.#services.proposals.ofSession(sessionId).length;
  }

  /** The owner came back or is missed: views say so; what it has not got yet is sent. */
  setAgentPresent(sessionId: string, present: boolean): void {
    for (const proposal of this.#services.proposals.ofSession(sessionId)) {
      if (proposal.agentPresent === present) continue;
      proposal.agentPresent = present;
      this.#services.views.tellPresence(proposal);
    }
    if (present) this.#redeliver(sessionId);
    else {
      this.#services.undelivered.tellKept(sessionId);
      this.#services.outcomes.ownerPutAway(sessionId);
    }
    this.#services.proposals.changed();
  }

  #redeliver(sessionId: string): void {
    const isOwn = (owner: ProposalOwner): boolean => owner.sessionId === sessionId;
    if (this.#services.outcomes.unsent(isOwn).length === 0) this.#services.outcomes.redeliver(sessionId);
    // It may have gone again while files were looked at: then it comes back for the rest.
    else void this.#services.undelivered.bringUpToDate(isOwn).then(() => this.#services.outcomes.redeliver(sessionId));
  }

  /** The owner's connection made room for others; it may come back by its id, to what it has left here. */
  sessionPutAway(sessionId: string): void {
    this.#services.outcomes.ownerPutAway(sessionId);
    if (this.concerns(sessionId)) this.setAgentPresent(sessionId, false);
  }

  /** The owner will not come back: edited views stay with their text, the others go. */
  sessionEnded(sessionId: string): void {
    for (const proposal of this.#services.proposals.ofSession(sessionId)) {
      // Its connection ends with this run, and its terminal goes on asking: the next run shows it.
      const isLeft = this.#services.proposals.ending === "keep" && !proposal.facts.owner.outlivesConnection;
      if (!isLeft) this.#services.decisions.orphan(proposal);
    }
    this.#services.undelivered.tellLost(sessionId);
    this.#services.outcomes.ownerEnded(sessionId);
    this.#services.writes.agentExited(sessionId);
  }

  /**
   * Takes back what an earlier run left. Resolves when agents can be answered about it; `shown` resolves when the editor
   * has shown it.
   */
  restore(): Promise<{ readonly shown: Promise<void> }> {
    return this.#services.handover.restore();
  }

  /** After a stop with `keep`: what owners still wait for. */
  get undecided(): readonly ProposalInfo[] {
    return this.#services.handover.undecided;
  }

  /** Ends everything. With `keep` (an editor reload) proposals and drafts stay on disk and owners get no verdict. */
  stop(options: { readonly keep: boolean }): Promise<void> {
    this.#services.follower.endAll();
    this.#services.openings.dispose();
    this.#services.writes.end();
    this.#services.unwritten.end();
    return this.#services.handover.stop(options);
  }

  /** Resolves when what agents still did while everything ended is on disk, too: the next run must not read what is about to go. */
  settled(): Promise<void> {
    return this.#services.handover.settled();
  }

  /** The last step: what the editor still says of its views is not written any more. */
  end(): void {
    this.#services.handover.end();
  }

  #opened(proposal: Proposal): OpenedDiff {
    return {
      id: proposal.id,
      outcome: proposal.outcome,
      shown: this.#services.views.whenShown(proposal),
      abandon: () => {
        // Connections that end with the run cancel their calls, too.
        if (!proposal.isOpen || this.#services.proposals.ending !== undefined) return;
        this.#services.decisions.orphan(proposal, "withdrawn");
      },
    };
  }
}
