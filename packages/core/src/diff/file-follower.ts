import type { DiffUpdate } from "../editor-host.ts";
import type { Disposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import { type Clock, withTimeout } from "../support/time.ts";
import type { AskingProposal, AwaitedWrites, UnwrittenText } from "./awaited-writes.ts";
import type { DraftKeeper } from "./drafts.ts";
import { type AcceptRefusal, hasConflict } from "./model.ts";
import { type OpenProposals } from "./open-proposals.ts";
import type { Proposal } from "./proposal.ts";
import { firstBase, type RebasedProposal, rebaseProposal } from "./decided-hunks.ts";
import { currentText } from "./review-views.ts";
import { type FilePlace, type FileText, isSameFile, type ReviewedFiles } from "./reviewed-files.ts";
import { sameLines } from "./text-fidelity.ts";

/** How long an editor may take to put an update into a view, ms. */
const updateMs = 2_000;

/** A view in which the user is typing is tried again after this, ms. */
const retryMs = 150;

/** How often a change of the user's is tried on a view in which they are typing. */
const mostTries = 12;

/** What the last look before an accept found. */
export type AcceptCheck =
  /** `text` may be written: `file` is what it takes the place of, and `onto` that with what was accepted for it before. */
  | {
      readonly kind: "clear";
      readonly text: string;
      readonly file: FileText;
      readonly onto: string;
      readonly place: FilePlace;
    }
  | { readonly kind: "refused"; readonly because: AcceptRefusal };

export interface FileFollowerOptions {
  readonly files: ReviewedFiles;
  readonly writes: AwaitedWrites;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly drafts: DraftKeeper;
  readonly proposals: OpenProposals;
  /** Shows a proposal whose view is gone once more. */
  readonly showAgain: (proposal: Proposal) => Promise<void>;
  /** The file of a proposal that only its agent's terminal can decide holds the proposal. */
  readonly onAgentWrote: (proposal: Proposal) => void;
}

/**
 * Keeps reviews true to their files: while one is open its left side follows the file and its right side is rebased; before
 * an accept counts, what it would overwrite is looked at once more.
 */
export class FileFollower {
  readonly #options: FileFollowerOptions;
  readonly #watched: Map<string, Disposable> = new Map();
  // oxlint-disable-next-line patchbay/no-kept-promise -- the next turn comes whether this one failed or not
  readonly #turns: Map<string, Promise<unknown>> = new Map();

  /** Updates of which their views did not say that they are in: the text may be there nevertheless. */
  readonly #doubtful: Map<string, RebasedProposal> = new Map();

  constructor(options: FileFollowerOptions) {
    this.#options = options;
  }

  /** Reads the file before the review is shown, and follows it from then on. Never rejects. */
  async begin(proposal: Proposal): Promise<void> {
    const { files } = this.#options;
    await this.#inTurn(proposal, async () => {
      const place = (proposal.filePlace ??= await files.placeOf(proposal.facts.input.path));
      if (!this.#watched.has(proposal.id) && this.#isFollowed(proposal)) {
        this.#watched.set(
          proposal.id,
          files.watch(
            place,
            () => void this.#follow(proposal),
            () => proposal.base?.file,
          ),
        );
      }
      if (proposal.base !== undefined) {
        await this.#rebase(proposal, await this.#read(proposal, place));
        return;
      }
      // The agent made its proposal from what is on disk; what the editor holds unsaved came after that.
      const asked = files.readUnsaved(place);
      const { checked } = proposal;
      proposal.checked = undefined;
      const onDisk = checked === undefined ? files.readDisk(place) : files.readAfterCheck(place, checked);
      await this.#rebase(proposal, this.#ahead(proposal, place, await onDisk));
      const unsaved = await asked;
      if (unsaved !== undefined) await this.#rebase(proposal, this.#ahead(proposal, place, unsaved));
    });
  }

  /** The review is over. */
  end(proposal: Proposal): void {
    this.#watched.get(proposal.id)?.dispose();
    this.#watched.delete(proposal.id);
    this.#doubtful.delete(proposal.id);
  }

  endAll(): void {
    for (const watching of this.#watched.values()) watching.dispose();
    this.#watched.clear();
  }

  /** Waits for what was accepted for the file before. True where there was something to wait for: the user may have typed meanwhile. */
  async waitForWrites(proposal: Proposal): Promise<boolean> {
    const { filePlace } = proposal;
    if (filePlace === undefined || !this.#options.writes.isBeingWritten(filePlace)) return false;
    await this.#options.writes.whenWritten(filePlace, askingOf(proposal));
    return true;
  }

  /** The file as the proposal's agent is going to find it. */
  async #read(proposal: Proposal, place: FilePlace): Promise<FileText> {
    return this.#ahead(proposal, place, await this.#options.files.read(place));
  }

  #ahead({ facts: { owner } }: Proposal, place: FilePlace, now: FileText): FileText {
    return owner.asksAhead === true ? this.#options.writes.ahead(owner.sessionId, place, now) : now;
  }

  /**
   * The last look before an accept: a change of the file that nobody has seen yet is merged into the text, or the accept is
   * refused and the review goes on, with what stands in its way. `isOneOfAll`: the user accepts several at once.
   */
  async check(proposal: Proposal, text: string, isOneOfAll: boolean): Promise<AcceptCheck> {
    if (proposal.base === undefined) await this.begin(proposal);
    const place = proposal.filePlace ?? (await this.#options.files.placeOf(proposal.facts.input.path));
    const unwritten = this.#options.writes.unwritten(place, askingOf(proposal, isOneOfAll));
    const { because, next, file, onto } = await this.#look(proposal, text, unwritten);
    if (because === undefined) return { kind: "clear", text: next.text, file, onto, place };
    if (because === "changed-read-only") proposal.isWarned = true;
    await this.#goOn(proposal, text, next);
    return { kind: "refused", because };
  }

  /** Reads a view after the update that may be on its way to it: the text of before would take back what the update brings. */
  async readStill(proposal: Proposal, read: () => Promise<string>): Promise<string> {
    const text = read();
    const turn = this.#turns.get(proposal.id);
    if (turn === undefined) return await text;
    await Promise.allSettled([turn]);
    // An editor that could not say it has failed the accept, whatever it says later.
    await text;
    return await read();
  }

  /** The accept does not count, whatever the file holds: the review goes on. */
  async resume(proposal: Proposal, text: string): Promise<void> {
    const { base } = proposal;
    if (base !== undefined) await this.#goOn(proposal, text, { base, text, isConflict: false });
  }

  /**
   * Changes what a review shows, in turn with what its file brings. `make` is given what the right side holds, and once more where
   * the user typed meanwhile. False where it makes nothing, the review is over, or the editor could not show it.
   */
  async change(proposal: Proposal, make: (text: string) => Promise<RebasedProposal | undefined>): Promise<boolean> {
    const { clock, drafts, proposals } = this.#options;
    if (proposal.base === undefined) await this.begin(proposal);
    return await this.#inTurn(proposal, async () => {
      for (let tries = 1; tries <= mostTries && this.#isFollowed(proposal); tries += 1) {
        const shown = proposal.view === undefined ? undefined : await currentText(proposal, clock);
        const text = shown ?? proposal.draft ?? proposal.shownText;
        // An update of before that is in after all.
        let isMade = this.#takeDoubtful(proposal, text) && tries > 1;
        if (!isMade) {
          const next = await make(text);
          if (next === undefined || !this.#isFollowed(proposal)) return false;
          if (proposal.view === undefined) proposal.rebase(next.base, next.text);
          isMade = proposal.view === undefined || (await this.#update(proposal, text, next));
        }
        if (isMade) {
          drafts.touch(proposal);
          proposals.changed();
          return true;
        }
        // Most often one key was pressed: whoever goes on typing is waited for.
        if (tries > 1) await new Promise<void>((resolve) => void clock.setTimeout(resolve, retryMs));
      }
      return false;
    });
  }

  /** What an agent whose terminal has decided is told that its proposal holds: on the file as it is now, and never conflict markers. */
  async textForAgent(proposal: Proposal, text: string): Promise<string> {
    const { next } = await this.#look(proposal, text, undefined, proposal.base?.file);
    if (!hasConflict(next.text)) return next.text;
    return next.base.conflict?.ours ?? proposal.base?.conflict?.ours ?? text;
  }

  /**
   * `unwritten` was accepted before this one and is not on disk yet: it is what this one would otherwise take back. `known`: see
   * `ReviewedFiles.readDisk`.
   */
  async #look(
    proposal: Proposal,
    text: string,
    unwritten: UnwrittenText | undefined,
    known?: FileText,
  ): Promise<{
    readonly because: AcceptRefusal | undefined;
    readonly next: RebasedProposal;
    /** What is there to be replaced. */
    readonly file: FileText;
    /** What `next` was made from. */
    readonly onto: string;
  }> {
    const { files } = this.#options;
    const place = proposal.filePlace ?? (await files.placeOf(proposal.facts.input.path));
    return await this.#inTurn(proposal, async () => {
      const file = await files.read(place, known);
      this.#takeDoubtful(proposal, text);
      if (unwritten !== undefined) {
        const found = await this.#lookAt(proposal, text, { ...file, text: unwritten.text });
        const onto = unwritten.text;
        if (unwritten.mayComeLater) return { ...found, because: "not-written-yet", file, onto };
        // What was not written in time, and cannot be had together with this, does not stand in its way.
        if (found.because === undefined) return { ...found, file, onto };
      }
      const ahead = this.#ahead(proposal, place, file);
      return { ...(await this.#lookAt(proposal, text, ahead)), file, onto: ahead.text };
    });
  }

  async #lookAt(
    proposal: Proposal,
    text: string,
    file: FileText,
  ): Promise<{ readonly because: AcceptRefusal | undefined; readonly next: RebasedProposal }> {
    const { base } = proposal;
    const isSame = base !== undefined && isSameFile(base.file, file);
    const next = isSame
      ? { base, text, isConflict: false }
      : await rebaseProposal(proposal, text, file, this.#options.clock);
    if (next.base.conflict !== undefined && hasConflict(next.text)) return { because: "conflict", next };
    if (proposal.needsWarning(next.text)) return { because: "changed-read-only", next };
    return { because: isSame || file.readable ? undefined : "changed-unreadable", next };
  }

  async #follow(proposal: Proposal): Promise<void> {
    await this.#inTurn(proposal, async () => {
      const place = proposal.filePlace;
      if (place === undefined || !this.#isFollowed(proposal)) return;
      await this.#rebase(proposal, await this.#read(proposal, place));
    });
  }

  #isFollowed(proposal: Proposal): boolean {
    return proposal.isOpen && proposal.deciding === undefined && this.#options.proposals.ending === undefined;
  }

  async #rebase(proposal: Proposal, now: FileText): Promise<void> {
    const { clock, drafts, proposals } = this.#options;
    const { base } = proposal;
    if (base !== undefined && isSameFile(base.file, now)) return;
    if (base !== undefined && proposal.terminalOnly && !now.unsaved && sameLines(now.text, proposal.body)) {
      // What is left to compare is what the user has typed on top.
      const typed = proposal.view === undefined ? undefined : await currentText(proposal, clock);
      const text = typed ?? proposal.draft ?? proposal.shownText;
      const next = { base: firstBase(now), text, isConflict: false };
      if (!(await this.#update(proposal, text, next))) proposal.rebase(next.base, text);
      this.#options.onAgentWrote(proposal);
      return;
    }
    const right = proposal.view === undefined ? undefined : await currentText(proposal, clock);
    const text = right ?? proposal.draft ?? proposal.shownText;
    this.#takeDoubtful(proposal, text);
    const next = await rebaseProposal(proposal, text, now, clock);
    // Decided meanwhile: the last look before the accept takes it from here. What was accepted and not written is shown beside the file as it is.
    const isUnwritten = proposal.kept?.reason === "not-written" && proposal.view === undefined;
    if (base !== undefined && !isUnwritten && !this.#isFollowed(proposal)) return;
    if (proposal.view === undefined) proposal.rebase(next.base, next.text);
    else if (!(await this.#update(proposal, text, next))) {
      clock.setTimeout(() => void this.#follow(proposal), retryMs);
      return;
    }
    if (base === undefined) return;
    drafts.touch(proposal);
    proposals.changed();
  }

  /** A right side that holds the text of a doubtful update was made from what that was made from: merged once more, it would be at odds with itself. */
  #takeDoubtful(proposal: Proposal, text: string): boolean {
    const doubtful = this.#doubtful.get(proposal.id);
    this.#doubtful.delete(proposal.id);
    if (doubtful === undefined || !sameLines(doubtful.text, text)) return false;
    proposal.rebase(doubtful.base, text);
    return true;
  }

  /** The review goes on with what was found; where its view has gone with the accept, it is shown again. */
  async #goOn(proposal: Proposal, text: string, next: RebasedProposal): Promise<void> {
    const { drafts, proposals, showAgain } = this.#options;
    if (!(await this.#update(proposal, text, next))) {
      const { view } = proposal;
      proposal.view = undefined;
      proposal.rebase(next.base, next.text);
      await view?.close("superseded").catch(() => {});
      await showAgain(proposal);
    }
    drafts.touch(proposal);
    proposals.changed();
  }

  /** False where the view holds another text by now, or is gone. */
  async #update(proposal: Proposal, expectedText: string, next: RebasedProposal): Promise<boolean> {
    const { view } = proposal;
    const { base, text } = next;
    if (view === undefined) return false;
    const before = proposal.base;
    const held = proposal.draft ?? proposal.shownText;
    // The standing is part of the update.
    proposal.rebase(base, text);
    const update: DiffUpdate = {
      originalText: proposal.leftText,
      unsaved: base.file.unsaved,
      expectedText,
      text,
      proposedText: proposal.shownText,
      standing: proposal.standing,
    };
    try {
      if ((await withTimeout(updateMs, this.#options.clock, view.update(update))) === "applied") return true;
    } catch (error) {
      this.#options.logger.warn("A review could not follow its file", {
        proposal: proposal.id,
        reason: messageOf(error),
      });
    }
    if (before === undefined) return false;
    proposal.rebase(before, held);
    if (!sameLines(text, expectedText)) this.#doubtful.set(proposal.id, next);
    return false;
  }

  /** One look at a time for each proposal. */
  async #inTurn<T>(proposal: Proposal, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(proposal.id) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(proposal.id, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(proposal.id) === turn) this.#turns.delete(proposal.id);
    }
  }
}

function askingOf({ id, facts }: Proposal, isOneOfAll = false): AskingProposal {
  const { sessionId, asksAhead = false } = facts.owner;
  return { id, sessionId, asksAhead, isOneOfAll };
}
