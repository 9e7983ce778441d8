import type { Clock } from "../support/time.ts";
import type { Disposable } from "../support/disposable.ts";
import type { DraftKeeper, RestingTexts } from "./drafts.ts";
import type { DiffOutcome } from "./model.ts";
import type { Proposal, ProposalOwner } from "./proposal.ts";

/** How long an owner may be away before another session of its dialect may fetch its outcome by closeDiff, ms. */
const ownerGraceMs = 10_000;

/** Carries an outcome to the session that asked. */
export interface OutcomeCarrier {
  /**
   * Hands over to the owner's connection; undefined when the owner is not here now. `onDelivered` runs once the agent
   * has it; at once for agents that are not told. Disposing takes it back. `sentAs` is the event id under which it was
   * sent before, 0 for none: an owner that says it has that event is not told again.
   */
  carry(owner: CarriedTo, outcome: DiffOutcome, onDelivered: () => void): CarriedOutcome | undefined;
  /** Whether a stream to the session is open now. */
  isReachable(sessionId: string): boolean;
  /** Since when a session that is not reachable has been away, on the monotonic clock; undefined where it is not known at all. */
  awaySince(sessionId: string): number | undefined;
}

export interface CarriedTo {
  readonly sessionId: string;
  readonly path: string;
  readonly sentAs: number;
}

export interface CarriedOutcome extends Disposable {
  /** 0 where it was not sent yet. */
  readonly eventId: number;
}

interface Parcel {
  readonly proposal: Proposal;
  /** The earliest moment from which the owner's absence counts. */
  awayFrom: number;
  carrying: CarriedOutcome | undefined;
  /** The user knows that it waits. */
  told: boolean;
  /** It stands on disk. */
  kept: boolean;
}

/** What an agent fetches by closing its proposal. */
export interface CollectedText {
  readonly text: string;
  readonly edited: boolean;
}

/** An accepted outcome that waits for its owner without the user knowing. */
export interface UntoldOutcome {
  readonly proposal: Proposal;
  readonly text: string;
  readonly edited: boolean;
  /** It was written to a stream whose end came before the agent can be known to have it. */
  readonly sent: boolean;
}

/** Outcomes on their way: each is delivered exactly once to its owner, or stays here, on disk too, until it is fetched. */
export class OutcomeOffice {
  readonly #carrier: OutcomeCarrier;
  readonly #drafts: DraftKeeper;
  readonly #clock: Clock;
  readonly #texts: () => Pick<RestingTexts, "offer" | "wake">;
  readonly #onDelivered: (proposal: Proposal) => void;
  readonly #onLost: (proposal: Proposal) => void;
  readonly #parcels: Map<string, Parcel> = new Map();

  constructor(options: {
    readonly carrier: OutcomeCarrier;
    readonly drafts: DraftKeeper;
    readonly clock: Clock;
    /** What nobody comes for rests there. */
    readonly texts: () => Pick<RestingTexts, "offer" | "wake">;
    /** An agent has the outcome. */
    readonly onDelivered: (proposal: Proposal) => void;
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
    const parcel = this.#begin(proposal, outcome);
    if (!this.#parcels.has(proposal.id)) return;
    if (proposal.facts.owner.outlivesConnection) void this.#save(parcel);
    else this.#remove(parcel);
  }

  /** An outcome of an earlier run that its owner does not know yet. */
  restore(proposal: Proposal, outcome: DiffOutcome, sentAs: number): void {
    proposal.sentAs = sentAs;
    this.#begin(proposal, outcome, true);
  }

  redeliver(sessionId: string): void {
    const own = Array.from(this.#parcels.values()).filter(
      (parcel) => parcel.proposal.facts.owner.sessionId === sessionId,
    );
    // What the connection held is on its way with the stream that has just opened.
    for (const parcel of own) this.#noteSending(parcel);
    const waiting = own.filter((parcel) => parcel.carrying === undefined);
    // In the order in which they were sent first: event ids only go up.
    const inOrder = waiting.toSorted((a, b) => a.proposal.sentAs - b.proposal.sentAs);
    if (inOrder.some(({ proposal }) => proposal.isResting)) void this.#wakeAndCarry(inOrder);
    else for (const parcel of inOrder) this.#carry(parcel);
  }

  /** What rests is on disk, and its owner has come back for it. */
  async #wakeAndCarry(parcels: readonly Parcel[]): Promise<void> {
    for (const parcel of parcels) {
      const isHere = await this.#wake(parcel);
      if (!isHere || this.#parcels.get(parcel.proposal.id) !== parcel || parcel.carrying !== undefined) continue;
      this.#carry(parcel);
    }
  }

  async #wake(parcel: Parcel): Promise<boolean> {
    try {
      await this.#texts().wake(parcel.proposal);
      return true;
    } catch {
      // Dropped for room, or taken away by somebody: there is no answer any more.
      this.#remove(parcel);
      this.#onLost(parcel.proposal);
      return false;
    }
  }

  /** What was accepted and has left for nobody yet: its file may have changed since. */
  unsent(matches: (owner: ProposalOwner, handle: string) => boolean): readonly Proposal[] {
    return Array.from(this.#parcels.values())
      .filter((parcel) => parcel.carrying === undefined && parcel.proposal.sentAs === 0)
      .filter((parcel) => outcomeOf(parcel).kind === "accepted")
      .map(({ proposal }) => proposal)
      .filter(({ facts }) => matches(facts.owner, facts.input.handle));
  }

  /** Brings the texts of such an accept into memory. False: there are none any more, and the user knows. */
  async wakeUnsent(proposal: Proposal): Promise<boolean> {
    const parcel = this.#parcels.get(proposal.id);
    return parcel !== undefined && (!proposal.isResting || (await this.#wake(parcel)));
  }

  /** Another outcome takes the place of one that has left for nobody yet. */
  replace(proposal: Proposal, outcome: DiffOutcome): void {
    const parcel = this.#parcels.get(proposal.id);
    if (parcel === undefined) return;
    proposal.undelivered = outcome;
    void this.#save(parcel);
  }

  /**
   * Fetched by closeDiff: the owner's own outcome, or one whose owner of the same dialect has been away for ten seconds.
   * Undefined: nothing undelivered, or it was not accepted.
   */
  collect(owner: ProposalOwner, handle: string): CollectedText | undefined | Promise<CollectedText | undefined> {
    const parcel =
      this.#find(
        (one) => one.proposal.facts.owner.sessionId === owner.sessionId && one.proposal.facts.input.handle === handle,
      ) ?? this.#find((one) => one.proposal.facts.input.handle === handle && this.#isAbandoned(one, owner));
    if (parcel === undefined) return undefined;
    if (!parcel.proposal.isResting) return this.#fetch(parcel);
    return this.#wake(parcel).then((isHere) => (isHere ? this.#fetch(parcel) : undefined));
  }

  #fetch(parcel: Parcel): CollectedText | undefined {
    const outcome = outcomeOf(parcel);
    this.#remove(parcel);
    this.#onDelivered(parcel.proposal);
    return outcome.kind === "accepted" ? { text: outcome.text, edited: outcome.edited } : undefined;
  }

  /** Whether an answer may not rest: it is on its way, its user does not know that it waits, or it would be the user's again. */
  isInUse(proposal: Proposal): boolean {
    const parcel = this.#parcels.get(proposal.id);
    if (parcel === undefined) return false;
    const outcome = outcomeOf(parcel);
    const isUsersAgain = outcome.kind === "accepted" && outcome.edited && !isSent(parcel) && !proposal.detached;
    return parcel.carrying !== undefined || (outcome.kind === "accepted" && !parcel.told) || isUsersAgain;
  }

  /** Takes back what was not delivered for a handle that begins a new round; gives what the user had typed in those. */
  withdraw(sessionId: string, handle: string): readonly { readonly proposal: Proposal; readonly text: string }[] {
    const typed: { readonly proposal: Proposal; readonly text: string }[] = [];
    for (const parcel of Array.from(this.#parcels.values())) {
      const { proposal } = parcel;
      const outcome = outcomeOf(parcel);
      const { owner, input } = proposal.facts;
      if (owner.sessionId !== sessionId || input.handle !== handle) continue;
      if (proposal.isResting) {
        this.#forgetResting(parcel);
        continue;
      }
      // What was sent has arrived: an agent that is still without an answer does not propose for the same file again.
      const wasSent = isSent(parcel);
      this.#remove(parcel);
      if (!wasSent && outcome.kind === "accepted" && outcome.edited) typed.push({ proposal, text: outcome.text });
    }
    return typed;
  }

  /** Accepted outcomes that wait for a session and that the user has not been told of; they count as told from now on. */
  takeUntold(sessionId: string): readonly UntoldOutcome[] {
    const untold: UntoldOutcome[] = [];
    for (const parcel of this.#parcels.values()) {
      const { proposal } = parcel;
      const outcome = outcomeOf(parcel);
      if (parcel.told || outcome.kind !== "accepted" || proposal.facts.owner.sessionId !== sessionId) continue;
      parcel.told = true;
      untold.push({ proposal, text: outcome.text, edited: outcome.edited, sent: isSent(parcel) });
    }
    return untold;
  }

  /** The user has taken back an accept that its owner does not know yet: it was not written, and is not to be. */
  retract(proposal: Proposal): void {
    const parcel = this.#parcels.get(proposal.id);
    if (parcel === undefined) return;
    this.#remove(parcel);
    this.send(proposal, { kind: "rejected" });
  }

  /** What is on disk of a proposal was dropped for room. True: an accept that waited there for its agent goes with it, and the user knows. */
  droppedForRoom(id: string): boolean {
    const parcel = this.#parcels.get(id);
    // One that is on its way still arrives.
    if (parcel === undefined || parcel.carrying !== undefined) return false;
    const isAccept = outcomeOf(parcel).kind === "accepted";
    this.#remove(parcel);
    if (isAccept) this.#onLost(parcel.proposal);
    return isAccept;
  }

  get owners(): readonly ProposalOwner[] {
    return Array.from(this.#parcels.values(), ({ proposal }) => proposal.facts.owner);
  }

  concerns(sessionId: string): boolean {
    return this.#find((parcel) => parcel.proposal.facts.owner.sessionId === sessionId) !== undefined;
  }

  /** The owner's connection was let go of; the owner may come back and gets them on another one. */
  ownerPutAway(sessionId: string): void {
    for (const parcel of this.#parcels.values()) {
      if (parcel.proposal.facts.owner.sessionId !== sessionId) continue;
      const saved = this.#save(parcel);
      parcel.carrying?.dispose();
      parcel.carrying = undefined;
      void saved;
    }
  }

  /** Rejections nobody waits for any more go; accepted text stays until someone fetches it. */
  ownerEnded(sessionId: string): void {
    for (const parcel of Array.from(this.#parcels.values())) {
      if (parcel.proposal.facts.owner.sessionId !== sessionId) continue;
      parcel.awayFrom = this.#clock.monotonic();
      if (outcomeOf(parcel).kind === "accepted" && parcel.proposal.facts.owner.outlivesConnection) {
        const saved = this.#save(parcel);
        parcel.carrying?.dispose();
        parcel.carrying = undefined;
        void saved.then(() => this.#texts().offer(parcel.proposal));
      } else this.#remove(parcel);
    }
  }

  /**
   * Writes down what is not confirmed yet, for the next run. Without `keep` (nobody is about to come back) only what could
   * not be sent: the rest is in the stream that ends now.
   */
  async stop(options: { readonly keep: boolean }): Promise<void> {
    await Promise.all(
      Array.from(this.#parcels.values(), async (parcel) => {
        const { owner } = parcel.proposal.facts;
        if (owner.outlivesConnection && (options.keep || !this.#carrier.isReachable(owner.sessionId))) {
          await this.#save(parcel);
          return;
        }
        this.#parcels.delete(parcel.proposal.id);
        parcel.proposal.undelivered = undefined;
        this.#drafts.forget(parcel.proposal);
      }),
    );
  }

  /** After the connections have ended: what was still sent or confirmed meanwhile is written down, too. */
  async finish(): Promise<void> {
    const changed = Array.from(this.#parcels.values()).filter(
      ({ carrying, proposal }) => carrying !== undefined && carrying.eventId !== proposal.sentAs,
    );
    await Promise.all(changed.map((parcel) => this.#save(parcel)));
    this.#parcels.clear();
  }

  #begin(proposal: Proposal, outcome: DiffOutcome, kept = false): Parcel {
    proposal.undelivered = outcome;
    const parcel: Parcel = {
      proposal,
      awayFrom: this.#clock.monotonic(),
      carrying: undefined,
      told: false,
      kept,
    };
    this.#parcels.set(proposal.id, parcel);
    this.#carry(parcel);
    return parcel;
  }

  #carry(parcel: Parcel): void {
    const { proposal } = parcel;
    const outcome = outcomeOf(parcel);
    const { owner, input } = proposal.facts;
    const { sentAs } = proposal;
    let delivered = false;
    const carrying = this.#carrier.carry({ sessionId: owner.sessionId, path: input.path, sentAs }, outcome, () => {
      delivered = true;
      this.#remove(parcel);
      this.#onDelivered(proposal);
    });
    parcel.carrying = delivered ? undefined : carrying;
    this.#noteSending(parcel);
  }

  /** What is on disk must name the event that was sent last: by an older one, or none, an owner that has it would be told again. */
  #noteSending(parcel: Parcel): void {
    const eventId = parcel.carrying?.eventId ?? 0;
    if (parcel.kept && eventId !== 0 && eventId !== parcel.proposal.sentAs) void this.#save(parcel);
  }

  async #save(parcel: Parcel): Promise<void> {
    const { carrying, proposal } = parcel;
    if (carrying !== undefined && carrying.eventId !== 0) proposal.sentAs = carrying.eventId;
    parcel.kept = true;
    await this.#drafts.save(proposal);
  }

  /** What rests is in the list of kept texts, and stays there; only the answer goes. */
  #forgetResting({ proposal }: Parcel): void {
    this.#parcels.delete(proposal.id);
    const forget = (): void => {
      proposal.undelivered = undefined;
      this.#drafts.forget(proposal);
    };
    void this.#texts().wake(proposal).then(forget, forget);
  }

  #remove(parcel: Parcel): void {
    parcel.carrying?.dispose();
    parcel.carrying = undefined;
    if (this.#parcels.get(parcel.proposal.id) !== parcel) return;
    this.#parcels.delete(parcel.proposal.id);
    parcel.proposal.undelivered = undefined;
    this.#drafts.forget(parcel.proposal);
  }

  #isAbandoned(parcel: Parcel, owner: ProposalOwner): boolean {
    const { dialect, sessionId } = parcel.proposal.facts.owner;
    if (dialect !== owner.dialect || this.#carrier.isReachable(sessionId)) return false;
    const since = Math.max(parcel.awayFrom, this.#carrier.awaySince(sessionId) ?? 0);
    return this.#clock.monotonic() - since >= ownerGraceMs;
  }

  #find(matches: (parcel: Parcel) => boolean): Parcel | undefined {
    for (const parcel of this.#parcels.values()) if (matches(parcel)) return parcel;
    return undefined;
  }
}

function outcomeOf({ proposal }: Parcel): DiffOutcome {
  return proposal.undelivered ?? { kind: "rejected" };
}

function isSent({ proposal, carrying }: Parcel): boolean {
  return proposal.sentAs !== 0 || (carrying !== undefined && carrying.eventId !== 0);
}
