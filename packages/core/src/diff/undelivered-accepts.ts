import type { Clock } from "../support/time.ts";
import type { DraftKeeper } from "./drafts.ts";
import type { WrittenFiles } from "./file-on-disk.ts";
import type { KeptTexts } from "./kept-texts.ts";
import { mergeTexts } from "./merge-texts.ts";
import type { OutcomeDelivery, UntoldOutcome } from "./outcome-delivery.ts";
import type { Proposal, ProposalOwner } from "./proposal.ts";
import type { ReviewMessages } from "./review-messages.ts";
import { isSameFile, type ReviewedFiles } from "./reviewed-files.ts";
import { restoreLineEnds, sameLines, splitByteOrderMark } from "./text-fidelity.ts";

export interface UndeliveredAcceptsOptions {
  readonly clock: Clock;
  readonly messages: ReviewMessages;
  readonly drafts: DraftKeeper;
  readonly kept: KeptTexts;
  readonly outcomes: OutcomeDelivery;
  readonly written: WrittenFiles;
  readonly files: ReviewedFiles;
}

/** Accepts that their owners have not got: the file may change until they come for them, and the user may have to know. */
export class UndeliveredAccepts {
  readonly #options: UndeliveredAcceptsOptions;

  constructor(options: UndeliveredAcceptsOptions) {
    this.#options = options;
  }

  /**
   * Looks at the files of those that have left for nobody yet, before they do: what has changed since is merged in, or where that
   * cannot be, the accept is taken back and the text kept. Never rejects.
   */
  async bringUpToDate(matches: (owner: ProposalOwner, handle: string) => boolean): Promise<void> {
    const { outcomes } = this.#options;
    for (const proposal of outcomes.unsent(matches)) {
      const wasResting = proposal.isResting;
      if (!(await outcomes.wakeUnsent(proposal))) continue;
      await this.#bringOneUpToDate(proposal);
      // Of many, not all are in memory at once.
      if (wasResting) outcomes.restAgain(proposal);
    }
  }

  async #bringOneUpToDate(proposal: Proposal): Promise<void> {
    const { files, clock, outcomes, kept, messages } = this.#options;
    const { base, undelivered: outcome } = proposal;
    if (outcome?.kind !== "accepted" || base?.file.readable !== true) return;
    const place = (proposal.filePlace ??= await files.placeOf(proposal.facts.input.path));
    const now = await files.read(place);
    const { mark, body } = splitByteOrderMark(outcome.text);
    if (isSameFile(base.file, now) || !now.readable || sameLines(now.text, body)) return;
    const merged = await mergeTexts(base.file.text, body, now.text, clock);
    const text = await restoreLineEnds(merged.text, body, clock);
    // Fetched or sent while the file was read.
    if (proposal.undelivered !== outcome) return;
    if (merged.kind === "clean") {
      proposal.base = { ...base, file: now };
      outcomes.replace(proposal, { ...outcome, text: mark + text });
    } else {
      outcomes.replace(proposal, { kind: "rejected" });
      kept.keep(proposal, "not-written", body);
      messages.outdatedAccept(proposal, kept.saving(proposal));
    }
  }

  /** Says once of each accepted outcome that it waits for its owner, unless the owner most likely has it. */
  tellKept(sessionId: string): void {
    for (const untold of this.#options.outcomes.takeUntold(sessionId)) {
      void this.#keepUndelivered(untold, this.#options.messages.keptUntilReturn);
    }
  }

  /** The same of an owner that will not come back. */
  tellLost(sessionId: string): void {
    for (const untold of this.#options.outcomes.takeUntold(sessionId)) {
      void this.#keepUndelivered(untold, this.#options.messages.notDelivered);
    }
  }

  /**
   * An agent whose user accepts and closes the terminal at once has its answer: only words of the user that were never in
   * the file are worth a message then. It stays kept in all cases.
   */
  async #keepUndelivered(
    { proposal, edited, sent }: UntoldOutcome,
    tell: ReviewMessages["keptUntilReturn"],
  ): Promise<void> {
    const { kept, written, outcomes } = this.#options;
    const text = (): string => (proposal.undelivered?.kind === "accepted" ? proposal.undelivered.text : "");
    // At once where it is in memory.
    if (proposal.isResting && !(await outcomes.wakeUnsent(proposal))) return;
    if (edited && !proposal.isWritten && (await written.holds(proposal.facts.input.path, text()))) {
      this.noteWritten(proposal);
    }
    if (sent && (!edited || proposal.isWritten)) return;
    // It may rest again by now.
    if (proposal.isResting && !(await outcomes.wakeUnsent(proposal))) return;
    // Its agent may have come for it meanwhile.
    if (proposal.undelivered?.kind !== "accepted") return;
    kept.keep(proposal, "not-delivered", splitByteOrderMark(text()).body);
    tell(proposal, kept.saving(proposal));
  }

  /** The file may change again before a later run of the editor looks at it: that run is to know, too. */
  noteWritten(proposal: Proposal): void {
    proposal.isWritten = true;
    this.#options.drafts.touch(proposal);
  }
}
