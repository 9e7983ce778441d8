import type { Clock } from "../support/time.ts";
import type { DraftKeeper, RestingTexts } from "./drafts.ts";
import type { DiffOutcome, CarriedOutcome, OutcomeCarrier } from "./model.ts";
import type { FinalText, Proposal, ProposalOwner } from "./proposal.ts";

/** How long an owner may be away before another session of its dialect may fetch its outcome by closeDiff, ms. */
const ownerGraceMs = 10_000;

interface PendingOutcome {
  readonly proposal: Proposal;
  /** The earliest moment from which the owner's absence counts. */
  awayFrom: number;
  carrying: CarriedOutcome | undefined;
  /** The user knows that it waits. */
  told: boolean;
  /** It stands on disk. */
  kept: boolean;
}

/** An accepted outcome that waits for its owner without the user knowing. */
export interface UntoldOutcome {
  readonly proposal: Proposal;
  readonly edited: boolean;
  /** It was written to a stream whose end came before the agent can be known to have it. */
  readonly sent: boolean;
}

/** Outcomes on their way: each is delivered exactly once to its owner, or stays here, on disk too, until it is fetched. */
export class OutcomeDelivery {
  readonly #carrier: OutcomeCarrier;
  readonly #drafts: DraftKeeper;
  readonly #clock: Clock;
  readonly #texts: () => Pick<RestingTexts, "offer" | "wake" | "forget">;
  readonly #onDelivered: (proposal: Proposal, outcome: DiffOutcome) => void;
  readonly #onLost: (proposal: Proposal) => void;
  readonly #pending: Map<string, PendingOutcome> = new Map();

  constructor(options: {
    readonly carrier: OutcomeCarrier;
    readonly drafts: DraftKeeper;
    readonly clock: Clock;
    /** What nobody comes for rests there. */
    readonly texts: () => Pick<RestingTexts, "offer" | "wake" | "forget">;
    /** An agent has the outcome. */
    readonly onDelivered: (proposal: Proposal, outcome: DiffOutcome) => void;
    /** An accepted answer is gone before its agent came for it. */
    readonly onLost: (proposal: Proposal) => void;
  }) {
    this.#carrier = options.carrier;
    this.#drafts = options.drafts;
    this.#clock = options.clock;
    this.#texts = options.texts;
    this.#onDelivered = options.onDelivered;
    this.#onLost = options.onLost;
  }

  /**
   * Takes the place of what is kept of the proposal, at once: neither a killed editor nor one that ends in a hurry may lose
   * a decision, and an open stream is no proof that somebody reads it.
   */
  send(proposal: Proposal, outcome: DiffOutcome): void {
    const pending = this.#begin(proposal, outcome);
    if (!this.#pending.has(proposal.id)) return;
    if (proposal.facts.owner.outlivesConnection) void this.#save(pending);
    else this.#remove(pending);
  }

  /** An outcome of an earlier run that its owner does not know yet. */
  restore(proposal: Proposal, outcome: DiffOutcome, sentAs: number): void {
    proposal.sentAs = sentAs;
    this.#begin(proposal, outcome, true);
  }

  redeliver(sessionId: string): void {
    const own = Array.from(this.#pending.values()).filter(
      (pending) => pending.proposal.facts.owner.sessionId === sessionId,
    );
    // What the connection held is on its way with the stream that has just opened.
    for (const pending of own) this.#noteSending(pending);
    const waiting = own.filter((pending) => pending.carrying === undefined);
    // In the order in which they were sent first: event ids only go up.
    const inOrder = waiting.toSorted((a, b) => a.proposal.sentAs - b.proposal.sentAs);
    if (inOrder.some(({ proposal }) => proposal.isResting)) void this.#wakeAndCarry(inOrder);
    else for (const pending of inOrder) this.#carry(pending);
  }

  /** What rests is on disk, and its owner has come back for it. */
  async #wakeAndCarry(waiting: readonly PendingOutcome[]): Promise<void> {
    for (const pending of waiting) {
      const isHere = await this.#wake(pending);
      if (!isHere || this.#pending.get(pending.proposal.id) !== pending || pending.carrying !== undefined) continue;
      this.#carry(pending);
      void this.#texts().offer(pending.proposal);
    }
  }

  async #wake(pending: PendingOutcome): Promise<boolean> {
    try {
      await this.#texts().wake(pending.proposal);
      return true;
    } catch {
      // Dropped for room, or taken away by somebody: there is no answer any more.
      this.#remove(pending);
      this.#onLost(pending.proposal);
      return false;
    }
  }

  /** What was accepted and has left for nobody yet: its file may have changed since. */
  unsent(matches: (owner: ProposalOwner, handle: string) => boolean): readonly Proposal[] {
    return Array.from(this.#pending.values())
      .filter((pending) => pending.carrying === undefined && pending.proposal.sentAs === 0)
      .filter((pending) => outcomeOf(pending).kind === "accepted")
      .map(({ proposal }) => proposal)
      .filter(({ facts }) => matches(facts.owner, facts.input.handle));
  }

  /** Brings the texts of an accept that waits into memory. False: there are none any more, and the user knows. */
  async wakeUnsent(proposal: Proposal): Promise<boolean> {
    const pending = this.#pending.get(proposal.id);
    return pending !== undefined && (!proposal.isResting || (await this.#wake(pending)));
  }

  /** Nobody needs the texts just now. */
  restAgain(proposal: Proposal): void {
    if (this.#pending.has(proposal.id)) void this.#texts().offer(proposal);
  }

  /** Another outcome takes the place of one that has left for nobody yet. */
  replace(proposal: Proposal, outcome: DiffOutcome): void {
    const pending = this.#pending.get(proposal.id);
    if (pending === undefined) return;
    proposal.undelivered = outcome;
    void this.#save(pending);
  }

  /**
   * Fetched by closeDiff: the owner's own outcome, or one whose owner of the same dialect has been away for ten seconds.
   * Undefined: nothing undelivered, or it was not accepted.
   */
  collect(owner: ProposalOwner, handle: string): FinalText | undefined | Promise<FinalText | undefined> {
    const pending =
      this.#find(
        (one) => one.proposal.facts.owner.sessionId === owner.sessionId && one.proposal.facts.input.handle === handle,
      ) ?? this.#find((one) => one.proposal.facts.input.handle === handle && this.#isAbandoned(one, owner));
    if (pending === undefined) return undefined;
    if (!pending.proposal.isResting) return this.#fetch(pending);
    return this.#wake(pending).then((isHere) => {
      // The owner may have been told meanwhile.
      const isLeft = isHere && this.#pending.get(pending.proposal.id) === pending;
      return isLeft ? this.#fetch(pending) : undefined;
    });
  }

  #fetch(pending: PendingOutcome): FinalText | undefined {
    const outcome = outcomeOf(pending);
    this.#remove(pending);
    this.#onDelivered(pending.proposal, outcome);
    return outcome.kind === "accepted" ? { text: outcome.text, edited: outcome.edited } : undefined;
  }

  /**
   * Whether an answer may not rest: it is on its way to somebody who reads, or its write is waited for, or its user does not know that it
   * waits, or it would be the user's again. One that is kept for the user and not read by its agent may: whoever carries it has its text.
   */
  isInUse(proposal: Proposal): boolean {
    const pending = this.#pending.get(proposal.id);
    if (pending === undefined) return false;
    const outcome = outcomeOf(pending);
    const { carrying, told } = pending;
    if (carrying !== undefined) return carrying.isTaken || !proposal.detached;
    const isUsersAgain = outcome.kind === "accepted" && outcome.edited && !isSent(pending) && !proposal.detached;
    return (outcome.kind === "accepted" && !told) || isUsersAgain;
  }

  /** Takes back what was not delivered for a handle that begins a new round; gives what the user had typed in those. */
  withdraw(sessionId: string, handle: string): readonly { readonly proposal: Proposal; readonly text: string }[] {
    const typed: { readonly proposal: Proposal; readonly text: string }[] = [];
    for (const pending of Array.from(this.#pending.values())) {
      const { proposal } = pending;
      const outcome = outcomeOf(pending);
      const { owner, input } = proposal.facts;
      if (owner.sessionId !== sessionId || input.handle !== handle) continue;
      if (proposal.isResting) {
        this.#forgetResting(pending);
        continue;
      }
      // What was sent has arrived: an agent that is still without an answer does not propose for the same file again.
      const wasSent = isSent(pending);
      this.#remove(pending);
      if (!wasSent && outcome.kind === "accepted" && outcome.edited) typed.push({ proposal, text: outcome.text });
    }
    return typed;
  }

  /** Accepted outcomes that wait for a session and that the user has not been told of; they count as told from now on. */
  takeUntold(sessionId: string): readonly UntoldOutcome[] {
    const untold: UntoldOutcome[] = [];
    for (const pending of this.#pending.values()) {
      const { proposal } = pending;
      const outcome = outcomeOf(pending);
      if (pending.told || outcome.kind !== "accepted" || proposal.facts.owner.sessionId !== sessionId) continue;
      pending.told = true;
      untold.push({ proposal, edited: outcome.edited, sent: isSent(pending) });
    }
    return untold;
  }

  /** The user has taken back an accept, whose texts are in memory, that its owner does not know yet: it was not written, and is not to be. */
  retract(proposal: Proposal): void {
    const pending = this.#pending.get(proposal.id);
    if (pending === undefined) return;
    this.#remove(pending);
    this.send(proposal, { kind: "rejected" });
  }

  /** What is on disk of a proposal was dropped for room. True: an accept that waited there for its agent goes with it, and the user knows. */
  droppedForRoom(id: string): boolean {
    const pending = this.#pending.get(id);
    // One that is on its way still arrives.
    if (pending === undefined || pending.carrying !== undefined) return false;
    const isAccept = outcomeOf(pending).kind === "accepted";
    this.#remove(pending);
    if (isAccept) this.#onLost(pending.proposal);
    return isAccept;
  }

  get owners(): readonly ProposalOwner[] {
    return Array.from(this.#pending.values(), ({ proposal }) => proposal.facts.owner);
  }

  concerns(sessionId: string): boolean {
    return this.#find((pending) => pending.proposal.facts.owner.sessionId === sessionId) !== undefined;
  }

  /** The owner's connection was let go of, or its stream is missed; the owner may come back and gets them anew. */
  ownerPutAway(sessionId: string): void {
    for (const pending of this.#pending.values())
      if (pending.proposal.facts.owner.sessionId === sessionId) this.#putAway(pending);
  }

  /** Nothing of it is on its way any more; its texts may rest on disk. */
  #putAway(pending: PendingOutcome): void {
    const saved = this.#save(pending);
    pending.carrying?.dispose();
    pending.carrying = undefined;
    void saved.then((isSaved) => this.#texts().offer(pending.proposal, isSaved));
  }

  /** Rejections nobody waits for any more go; accepted text stays until someone fetches it. */
  ownerEnded(sessionId: string): void {
    for (const pending of Array.from(this.#pending.values())) {
      if (pending.proposal.facts.owner.sessionId !== sessionId) continue;
      pending.awayFrom = this.#clock.monotonic();
      if (outcomeOf(pending).kind === "accepted" && pending.proposal.facts.owner.outlivesConnection)
        this.#putAway(pending);
      else this.#remove(pending);
    }
  }

  /**
   * Writes down what is not confirmed yet, for the next run. Without `keep` (nobody is about to come back) only what could
   * not be sent: the rest is in the stream that ends now.
   */
  async stop(options: { readonly keep: boolean }): Promise<void> {
    await Promise.all(
      Array.from(this.#pending.values(), async (pending) => {
        const { owner } = pending.proposal.facts;
        if (owner.outlivesConnection && (options.keep || !this.#carrier.isReachable(owner.sessionId))) {
          await this.#save(pending);
          return;
        }
        this.#pending.delete(pending.proposal.id);
        pending.proposal.undelivered = undefined;
        this.#drafts.forget(pending.proposal);
      }),
    );
  }

  /** After the connections have ended: what was still sent or confirmed meanwhile is written down, too. */
  async finish(): Promise<void> {
    const changed = Array.from(this.#pending.values()).filter(
      ({ carrying, proposal }) => carrying !== undefined && carrying.eventId !== proposal.sentAs,
    );
    await Promise.all(changed.map((pending) => this.#save(pending)));
    // What carried them has nobody to carry them to any more.
    for (const { carrying } of this.#pending.values()) carrying?.dispose();
    this.#pending.clear();
  }

  #begin(proposal: Proposal, outcome: DiffOutcome, kept = false): PendingOutcome {
    proposal.undelivered = outcome;
    const pending: PendingOutcome = {
      proposal,
      awayFrom: this.#clock.monotonic(),
      carrying: undefined,
      told: false,
      kept,
    };
    this.#pending.set(proposal.id, pending);
    this.#carry(pending);
    return pending;
  }

  #carry(pending: PendingOutcome): void {
    const { proposal } = pending;
    const outcome = outcomeOf(pending);
    const { owner, input } = proposal.facts;
    const { sentAs } = proposal;
    let delivered = false;
    // Holds no text: this one may wait for long.
    const carrying = this.#carrier.carry({ sessionId: owner.sessionId, path: input.path, sentAs }, outcome, () => {
      delivered = true;
      this.#delivered(pending);
    });
    pending.carrying = delivered ? undefined : carrying;
    this.#noteSending(pending);
  }

  #delivered(pending: PendingOutcome): void {
    const { proposal } = pending;
    if (!proposal.isResting) {
      const outcome = outcomeOf(pending);
      this.#remove(pending);
      this.#onDelivered(proposal, outcome);
      return;
    }
    // It is nobody's any more, and what came of it has still to be looked for in its file.
    pending.carrying = undefined;
    this.#pending.delete(proposal.id);
    const end = (): void => {
      const outcome = outcomeOf(pending);
      proposal.undelivered = undefined;
      this.#drafts.forget(proposal);
      if (!proposal.isResting) this.#onDelivered(proposal, outcome);
    };
    void this.#texts().wake(proposal).then(end, end);
  }

  /** What is on disk must name the event that was sent last: by an older one, or none, an owner that has it would be told again. */
  #noteSending(pending: PendingOutcome): void {
    const eventId = pending.carrying?.eventId ?? 0;
    if (pending.kept && eventId !== 0 && eventId !== pending.proposal.sentAs) void this.#save(pending);
  }

  async #save(pending: PendingOutcome): Promise<boolean> {
    const { carrying, proposal } = pending;
    const sentAs = carrying?.eventId ?? 0;
    const isNews = sentAs !== 0 && sentAs !== proposal.sentAs;
    if (isNews) proposal.sentAs = sentAs;
    pending.kept = true;
    // What rests is on disk as it was.
    if (isNews && proposal.isResting)
      await this.#texts()
        .wake(proposal)
        .catch(() => undefined);
    return await this.#drafts.save(proposal);
  }

  /** What rests is in the list of kept texts, and stays there; only the answer goes. */
  #forgetResting({ proposal, carrying }: PendingOutcome): void {
    carrying?.dispose();
    this.#pending.delete(proposal.id);
    const forget = (): void => {
      proposal.undelivered = undefined;
      this.#drafts.forget(proposal);
    };
    void this.#texts().wake(proposal).then(forget, forget);
  }

  #remove(pending: PendingOutcome): void {
    pending.carrying?.dispose();
    pending.carrying = undefined;
    if (this.#pending.get(pending.proposal.id) !== pending) return;
    this.#pending.delete(pending.proposal.id);
    pending.proposal.undelivered = undefined;
    this.#texts().forget(pending.proposal);
    this.#drafts.forget(pending.proposal);
  }

  #isAbandoned(pending: PendingOutcome, owner: ProposalOwner): boolean {
    const { dialect, sessionId } = pending.proposal.facts.owner;
    if (dialect !== owner.dialect || this.#carrier.isReachable(sessionId)) return false;
    const since = Math.max(pending.awayFrom, this.#carrier.awaySince(sessionId) ?? 0);
    return this.#clock.monotonic() - since >= ownerGraceMs;
  }

  #find(matches: (pending: PendingOutcome) => boolean): PendingOutcome | undefined {
    for (const pending of this.#pending.values()) if (matches(pending)) return pending;
    return undefined;
  }
}

function outcomeOf({ proposal }: PendingOutcome): DiffOutcome {
  return proposal.undelivered ?? { kind: "rejected" };
}

function isSent({ proposal, carrying }: PendingOutcome): boolean {
  return proposal.sentAs !== 0 || (carrying !== undefined && carrying.eventId !== 0);
}
