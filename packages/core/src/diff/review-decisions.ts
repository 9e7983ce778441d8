import type { DiffCloseReason, DiffViewEvents } from "../editor-host.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import type { AwaitedWrites } from "./awaited-writes.ts";
import type { DraftKeeper } from "./drafts.ts";
import type { FileFollower } from "./file-follower.ts";
import type { ByteOrderMarks } from "./file-on-disk.ts";
import type { KeptTexts } from "./kept-texts.ts";
import type { DiffOutcome, KeptReason } from "./model.ts";
import type { OpenProposals } from "./open-proposals.ts";
import type { OutcomeDelivery } from "./outcome-delivery.ts";
import type { FinalText, Proposal, ProposalOwner } from "./proposal.ts";
import { textForEdits } from "./decided-hunks.ts";
import type { ReviewMessages } from "./review-messages.ts";
import type { ReviewViews } from "./review-views.ts";
import type { FilePlace, FileText, ReviewedFiles } from "./reviewed-files.ts";
import { sameLines, splitByteOrderMark } from "./text-fidelity.ts";
import type { UnwrittenTexts } from "./unwritten-texts.ts";
import type { UndeliveredAccepts } from "./undelivered-accepts.ts";

/** How long after its answer in the terminal an agent may take to write, ms. */
const writtenWithinMs = 3_000;

export interface ReviewDecisionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly marks: ByteOrderMarks;
  readonly messages: ReviewMessages;
  readonly drafts: DraftKeeper;
  readonly kept: KeptTexts;
  readonly outcomes: OutcomeDelivery;
  readonly proposals: OpenProposals;
  readonly views: ReviewViews;
  readonly follower: FileFollower;
  readonly files: ReviewedFiles;
  readonly writes: AwaitedWrites;
  readonly undelivered: UndeliveredAccepts;
  readonly unwritten: UnwrittenTexts;
  /** See `DiffOptions.beforeWrite`. */
  readonly beforeWrite?: ((owner: ProposalOwner, path: string, text: string) => Promise<void>) | undefined;
}

/**
 * Settles proposals. The user, the agent's terminal, a newer proposal or the agent's end decides, whoever is first; what
 * comes after that changes nothing.
 */
export class ReviewDecisions {
  readonly #options: ReviewDecisionsOptions;

  constructor(options: ReviewDecisionsOptions) {
    this.#options = options;
  }

  /** What the user does in the view of a proposal. */
  events(proposal: Proposal): DiffViewEvents {
    return {
      edited: () => this.#edited(proposal),
      accepted: (text) => void this.accept(proposal, text),
      rejected: () => void this.decline(proposal, "rejected"),
      closed: () => void this.decline(proposal, "closed"),
    };
  }

  /** The accept counts from now on: a view that closes while its text is worked out takes nothing back. */
  async accept(proposal: Proposal, text: string | (() => Promise<string>), isOneOfAll = false): Promise<boolean> {
    // Written down as open by now: the user is asked again by the next run, and an answer now would be a second one.
    if (this.#options.proposals.ending !== undefined) return false;
    if ((!proposal.isOpen && !proposal.detached) || proposal.deciding !== undefined) return false;
    proposal.deciding = this.#decide(proposal, text, isOneOfAll).catch((error: unknown) => {
      this.#options.logger.error("A proposal could not be accepted", {
        proposal: proposal.id,
        reason: messageOf(error),
      });
      return false;
    });
    const accepted = await proposal.deciding;
    proposal.deciding = undefined;
    return accepted;
  }

  /** The user said no, or closed the view without a verdict. */
  decline(proposal: Proposal, kind: "rejected" | "closed", reason?: string): boolean {
    if (this.#options.proposals.ending !== undefined || proposal.deciding !== undefined) return false;
    if (proposal.detached) {
      if (kind === "rejected") return this.#options.kept.discard(proposal.id);
      void this.#options.kept.hide(proposal);
      return true;
    }
    // The end of a view that was taken away because the user holds the review is no answer.
    if (!proposal.isOpen || (kind === "closed" && proposal.aside === "held")) return false;
    if (proposal.terminalOnly) return this.#declineForTerminal(proposal, kind);
    if (kind === "closed" && proposal.isAskedElsewhere && !proposal.isTrial) return this.#options.views.hide(proposal);
    const outcome: DiffOutcome = kind === "rejected" && reason !== undefined ? { kind, reason } : { kind };
    if (!this.#end(proposal, outcome, "rejected", true)) return false;
    this.#send(proposal, outcome);
    return true;
  }

  /** The agent's terminal decided. See `SessionDiffs.close`. */
  async closeByAgent(
    owner: ProposalOwner,
    handle: string,
    options: { readonly notify: boolean },
  ): Promise<FinalText | undefined> {
    const { clock, proposals, outcomes, views, messages, marks, follower } = this.#options;
    const proposal = proposals.find(owner.sessionId, handle);
    if (proposal === undefined) {
      for (const left of proposals.leftTo(owner, handle)) this.answeredInTerminal(left);
      await this.#options.undelivered.bringUpToDate(
        (other, about) => other.dialect === owner.dialect && about === handle,
      );
      return outcomes.collect(owner, handle);
    }
    // An accept that waits for another agent's write has not decided anything yet.
    if (!proposal.isWaiting) await proposal.deciding;
    const shown = await views.read(proposal);
    const isChecked = proposal.isOpen && proposal.base !== undefined;
    const text = isChecked ? await follower.textForAgent(proposal, shown) : shown;
    const mark = marks.needed(proposal);
    const finishing = proposal.finalText(text, typeof mark === "boolean" ? mark : await mark, clock);
    const final = finishing instanceof Promise ? await finishing : finishing;
    // The user may have decided in the view while it was read.
    if (!proposal.isOpen) return outcomes.collect(owner, handle) ?? final;
    this.#end(proposal, { kind: "decided-in-terminal", ...final }, "decided-in-terminal", options.notify);
    if (final.edited && !owner.outlivesConnection) {
      this.#options.kept.keep(proposal, "answered-in-terminal", text);
      messages.editsNotUsed(proposal, this.#options.kept.saving(proposal));
    }
    if (options.notify) this.#send(proposal, { kind: "rejected" });
    return final;
  }

  /**
   * The terminal has answered what an earlier run had shown. What the user typed is theirs: whether the answer was yes shows in the
   * file, a moment later.
   */
  answeredInTerminal(proposal: Proposal): void {
    const { clock, messages } = this.#options;
    if (proposal.isEdited) {
      clock.setTimeout(() => this.#keepForTerminal(proposal, messages.editsNotUsed), writtenWithinMs);
    } else {
      this.#end(proposal, { kind: "decided-in-terminal", text: proposal.body, edited: false }, "decided-in-terminal");
    }
  }

  /** The terminal has answered yes: the agent has written its proposal. */
  writtenByTerminal(proposal: Proposal): void {
    if (proposal.isEdited) this.#keepForTerminal(proposal, this.#options.messages.writtenWithoutEdits);
    else this.answeredInTerminal(proposal);
  }

  #keepForTerminal(proposal: Proposal, tell: ReviewMessages["editsNotUsed"]): void {
    const { follower, kept } = this.#options;
    const text = proposal.draft ?? proposal.body;
    if (!proposal.settle({ kind: "decided-in-terminal", text, edited: true })) return;
    follower.end(proposal);
    kept.keep(proposal, "answered-in-terminal");
    tell(proposal, kept.saving(proposal));
  }

  /** Nobody is told. What was typed stays where only the view was closed. */
  #declineForTerminal(proposal: Proposal, kind: "rejected" | "closed"): boolean {
    if (kind === "rejected" || !proposal.isEdited) return this.#end(proposal, { kind }, "rejected");
    proposal.settle({ kind });
    this.#options.kept.keep(proposal, "answered-in-terminal");
    void this.#options.kept.hide(proposal);
    return true;
  }

  /** A newer proposal of the same agent takes its place. */
  supersede(proposal: Proposal): void {
    this.#part(proposal, { kind: "superseded" }, "superseded", "superseded");
    if (proposal.detached) this.#options.messages.superseded(proposal);
  }

  /** The agent will not come back, or has taken its question back. */
  orphan(proposal: Proposal, reason: "agent-exited" | "withdrawn" = "agent-exited"): void {
    this.#part(proposal, { kind: "agent-gone" }, "agent-gone", reason);
  }

  #edited(proposal: Proposal): void {
    if (!proposal.isOpen && !proposal.detached) return;
    const first = !proposal.isEdited;
    proposal.noteEdit();
    this.#options.drafts.touch(proposal);
    if (first) this.#options.proposals.changed();
  }

  async #decide(proposal: Proposal, text: string | (() => Promise<string>), isOneOfAll: boolean): Promise<boolean> {
    const { clock, follower, messages, marks } = this.#options;
    proposal.isWaiting = !proposal.detached;
    const hasWaited = !proposal.detached && (await follower.waitForWrites(proposal));
    proposal.isWaiting = false;
    // The agent's terminal has decided meanwhile.
    if (!proposal.isOpen && !proposal.detached) return false;
    const given =
      typeof text === "string"
        ? await this.#given(proposal, text, hasWaited)
        : await follower.readStill(proposal, text);
    if (proposal.terminalOnly && !proposal.detached) {
      proposal.noteText(given);
      messages.answerInTerminal(proposal);
      await this.#options.follower.resume(proposal, given);
      return false;
    }
    const checked = proposal.detached ? undefined : await this.#options.follower.check(proposal, given, isOneOfAll);
    if (checked?.kind === "refused") {
      messages.notAccepted(proposal, checked.because);
      return false;
    }
    const documentText = checked?.text ?? given;
    const mark = proposal.detached ? false : marks.needed(proposal);
    const finishing = proposal.finalText(documentText, typeof mark === "boolean" ? mark : await mark, clock);
    const final = finishing instanceof Promise ? await finishing : finishing;
    if (proposal.detached) {
      await this.#options.kept.hide(proposal, documentText);
      messages.notWritten(proposal, this.#options.kept.saving(proposal));
      return true;
    }
    const told = checked === undefined ? undefined : await this.#toldInstead(proposal, documentText, checked.place);
    // What the accepted text takes the place of, should it wait for its agent.
    if (checked !== undefined && proposal.base !== undefined) proposal.base = { ...proposal.base, file: checked.file };
    if (checked !== undefined && proposal.isOpen) {
      await this.#options.beforeWrite?.(proposal.facts.owner, checked.place.real, final.text);
    }
    const outcome: DiffOutcome = { kind: "accepted", ...final, ...(told === undefined ? {} : { told }) };
    if (!this.#end(proposal, outcome, "accepted", true)) return false;
    this.#send(proposal, outcome);
    // One that is away writes when it has come back, and is told of what has changed until then.
    if (checked !== undefined && !proposal.isTrial) {
      if (proposal.agentPresent) this.#awaitWrite(proposal, checked, final);
      else proposal.isAnsweredLater = true;
    }
    if (!proposal.agentPresent) this.#options.undelivered.tellKept(proposal.facts.owner.sessionId);
    else if (final.edited && documentText === "" && final.text !== "") messages.emptied(proposal);
    return true;
  }

  /** What the user accepts: what was typed while the accept waited for another one's write is not left out. */
  async #given(proposal: Proposal, text: string, hasWaited: boolean): Promise<string> {
    const now = hasWaited && proposal.view !== undefined ? await this.#options.views.textToAccept(proposal) : text;
    return sameLines(now, text) ? text : now;
  }

  /** What an agent that makes edits is told where others have changed the file, too. */
  async #toldInstead(proposal: Proposal, accepted: string, place: FilePlace): Promise<string | undefined> {
    if (proposal.facts.owner.writes !== "edits") return undefined;
    const { files, clock } = this.#options;
    const told = await textForEdits(proposal, accepted, await files.readDisk(place), clock);
    return told === accepted ? undefined : (await proposal.finalText(told, false, clock)).text;
  }

  /** The agent has an answer that it could not be given when the user accepted, or in an earlier run: its write is waited for from now on. */
  async delivered(proposal: Proposal, outcome: DiffOutcome): Promise<void> {
    if (!proposal.isAnsweredLater || outcome.kind !== "accepted" || proposal.base === undefined) return;
    proposal.isAnsweredLater = false;
    const { base } = proposal;
    const place = (proposal.filePlace ??= await this.#options.files.placeOf(proposal.facts.input.path));
    this.#awaitWrite(proposal, { place, file: base.file, onto: base.file.text }, outcome);
  }

  #awaitWrite(
    proposal: Proposal,
    { place, file, onto }: { place: FilePlace; file: FileText; onto: string },
    { text, edited }: FinalText,
  ): void {
    const { writes, unwritten, undelivered, proposals, drafts, clock } = this.#options;
    const { sessionId, isOfHook, dialect, asksAhead = false } = proposal.facts.owner;
    const { body } = splitByteOrderMark(text);
    writes.awaitWrite({
      place,
      before: file,
      onto,
      text,
      isEdited: edited,
      sessionId,
      byHookOf: isOfHook === true ? dialect : undefined,
      isAhead: asksAhead,
      beside: new Set(proposals.all.filter((other) => other.filePlace?.real === place.real).map(({ id }) => id)),
      mayBeRefused: proposal.base !== undefined && !sameLines(proposal.base.proposedOn, file.text) && !file.unsaved,
      mayComeLater: () => proposals.ofSession(sessionId).length > 0,
      onDelayed: () => {
        proposal.awaited ??= { text: body, since: clock.now() };
        void drafts.save(proposal);
      },
      onSettled: (isWritten) => {
        const wasKept = proposal.awaited !== undefined;
        proposal.awaited = undefined;
        if (isWritten) undelivered.noteWritten(proposal);
        if (wasKept) drafts.forget(proposal);
      },
      onUnwritten: (because) => {
        proposal.awaited = undefined;
        // The user knows: its agent has not even got the answer.
        if (proposal.detached) proposal.isAnsweredLater = true;
        else unwritten.keep(proposal, because, body);
      },
    });
  }

  /** The agent is done with the proposal; text the user typed stays in its view until the user is done with it, too. */
  #part(proposal: Proposal, outcome: DiffOutcome, reason: DiffCloseReason, kept: KeptReason): void {
    if (!proposal.isEdited || proposal.isTrial) {
      this.#end(proposal, outcome, reason);
      return;
    }
    proposal.settle(outcome);
    this.#options.follower.end(proposal);
    this.#options.kept.keep(proposal, kept);
  }

  /** With `isSent` an outcome is sent next, which takes the place of what is kept on disk. */
  #end(proposal: Proposal, outcome: DiffOutcome, reason: DiffCloseReason, isSent = false): boolean {
    if (!proposal.settle(outcome)) return false;
    this.#release(proposal, reason, isSent);
    return true;
  }

  #send(proposal: Proposal, outcome: DiffOutcome): void {
    this.#options.outcomes.send(proposal, outcome);
    this.#options.proposals.changed();
  }

  #release(proposal: Proposal, reason: DiffCloseReason, isSent = false): void {
    const { proposals, drafts, views } = this.#options;
    proposal.detached = false;
    proposals.remove(proposal);
    this.#options.follower.end(proposal);
    if (!isSent) drafts.forget(proposal);
    void views.close(proposal, reason);
    // What is sent next is told of with it: in between it would look as if nobody waited.
    if (!isSent) proposals.changed();
  }
}
