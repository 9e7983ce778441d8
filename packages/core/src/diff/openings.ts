import type { EditorHost } from "../editor-host.ts";
import { type Disposable, DisposableStore } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import { type Clock, finish, finishInTurns } from "../support/time.ts";
import type { DraftKeeper } from "./drafts.ts";
import type { FileFollower } from "./file-follower.ts";
import type { KeptTexts } from "./kept-texts.ts";
import { lineHunkSteps, lineSteps } from "./line-diff.ts";
import type { ChangedLines, OpenReviews } from "./model.ts";
import type { OpenProposals } from "./open-proposals.ts";
import type { Proposal } from "./proposal.ts";
import { currentText, type ReviewViews } from "./review-views.ts";
import { lineFeedSteps } from "./text-fidelity.ts";

/** A user who has not typed or moved the cursor for so long is not interrupted by a review, ms. */
const idleMs = 3_000;

export interface ReviewOpeningsOptions {
  readonly host: Pick<EditorHost, "editors" | "documents">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The user's setting now. */
  readonly openReviews: () => OpenReviews;
  readonly kept: KeptTexts;
  readonly views: ReviewViews;
  readonly follower: FileFollower;
  readonly proposals: OpenProposals;
  readonly drafts: DraftKeeper;
}

/** Decides when a review opens by itself, and takes it away again if the user sets it aside. */
export class ReviewOpenings implements Disposable {
  readonly #options: ReviewOpeningsOptions;
  readonly #following: DisposableStore = new DisposableStore();
  /** On the monotonic clock. What the user did before the first agent came is not known: they count as busy. */
  #lastActive: number;
  #timer: Disposable | undefined;

  constructor(options: ReviewOpeningsOptions) {
    const { host, clock } = options;
    this.#options = options;
    this.#lastActive = clock.monotonic();
    this.#following.add(
      host.editors.onDidChange(({ kind }) => {
        // Agents open and close files, too.
        if (kind === "selection" || kind === "focused") this.userActed();
      }),
    );
    const typed = host.documents?.onDidChangeUnsaved?.(() => this.userActed());
    if (typed !== undefined) this.#following.add(typed);
  }

  /** The user has typed or moved the cursor. */
  userActed(): void {
    this.#lastActive = this.#options.clock.monotonic();
  }

  /** Shows a proposal of this workspace, now or when the user's setting says so. Never rejects: `ReviewViews.whenShown` does. */
  async show(proposal: Proposal): Promise<void> {
    if (this.#mayOpen()) return await this.#options.views.show(proposal);
    proposal.aside = "listed";
    this.#waitForIdle();
    await this.list(proposal);
  }

  /** Follows the file of a proposal that is in the list only, which says what stands in its way. Never rejects. */
  async list(proposal: Proposal): Promise<void> {
    await this.#options.follower.begin(proposal);
    this.#options.proposals.changed();
  }

  /** The setting has changed: what waits in the list may be opened now. */
  reconsider(): void {
    if (this.#mayOpen()) this.#openListed();
    else this.#waitForIdle();
  }

  /**
   * Closes the view without a verdict: the agent goes on waiting, and `ReviewViews.reveal` opens the review again with what was typed.
   * False where it stays as it is, since it is being decided, or the editor cannot say what was typed. See `Companion.hold`.
   */
  async hold(id: string): Promise<boolean> {
    const { clock, logger, kept, views, follower, drafts, proposals } = this.#options;
    const proposal = proposals.get(id);
    if (proposal === undefined) return false;
    if (proposal.detached) {
      await kept.hide(proposal);
      return true;
    }
    const mayBeHeld = (): boolean =>
      proposal.isOpen && proposal.deciding === undefined && proposals.ending === undefined;
    if (proposal.place === "shown") await views.whenShown(proposal).catch(() => {});
    if (proposal.view !== undefined) {
      try {
        proposal.noteText(await follower.readStill(proposal, () => currentText(proposal, clock)));
      } catch (error) {
        logger.warn("A review could not be held", { proposal: proposal.id, reason: messageOf(error) });
        return false;
      }
    }
    if (!mayBeHeld()) return false;
    proposal.aside = "held";
    proposal.place = "hidden";
    const closed = views.close(proposal, "stopped");
    proposals.changed();
    await Promise.all([closed, drafts.save(proposal)]);
    return true;
  }

  dispose(): void {
    this.#following.dispose();
    this.#timer?.dispose();
  }

  #mayOpen(): boolean {
    const wanted = this.#options.openReviews();
    return wanted === "always" || (wanted === "whenIdle" && this.#idleIn() <= 0);
  }

  /** Ms. */
  #idleIn(): number {
    return this.#lastActive + idleMs - this.#options.clock.monotonic();
  }

  #waitForIdle(): void {
    if (this.#timer !== undefined || this.#options.openReviews() !== "whenIdle") return;
    this.#timer = this.#options.clock.setTimeout(
      () => {
        this.#timer = undefined;
        this.reconsider();
      },
      Math.max(1, this.#idleIn()),
    );
  }

  #openListed(): void {
    const { proposals, views } = this.#options;
    if (proposals.ending !== undefined) return;
    for (const proposal of proposals.all)
      if (proposal.isOpen && proposal.aside === "listed" && proposal.place === "hidden") void views.show(proposal);
  }
}

/** Texts of so many UTF-16 units together are counted at once. */
const countedAtOnce = 128 * 1024;

/** How many lines proposals add and remove, counted when somebody asks and then for as long as the texts stay. */
export class LineCounts {
  readonly #clock: Clock;
  readonly #onDidCount: () => void;
  /** By the version of the texts. */
  readonly #counts: WeakMap<Proposal, { readonly version: number; lines: ChangedLines | undefined }> = new WeakMap();

  constructor(clock: Clock, onDidCount: () => void) {
    this.#clock = clock;
    this.#onDidCount = onDidCount;
  }

  /** The last count known. Long texts are counted in turns with other work, and a change is told then. */
  of(proposal: Proposal): ChangedLines | undefined {
    const { base, textVersion: version, isResting } = proposal;
    const before = this.#counts.get(proposal);
    if (before?.version === version || isResting || base?.file.readable !== true) return before?.lines;
    const counted: { readonly version: number; lines: ChangedLines | undefined } = { version, lines: before?.lines };
    this.#counts.set(proposal, counted);
    const [left, right] = [base.file.text, proposal.draft ?? proposal.shownText];
    if (left.length + right.length <= countedAtOnce) counted.lines = finish(countingSteps(left, right));
    else {
      void finishInTurns(countingSteps(left, right), this.#clock).then((lines) => {
        counted.lines = lines;
        if (this.#counts.get(proposal) === counted) this.#onDidCount();
      });
    }
    return counted.lines;
  }
}

function* countingSteps(left: string, right: string): Generator<void, ChangedLines> {
  const before = yield* wholeLineSteps(left);
  const after = yield* wholeLineSteps(right);
  let [added, removed] = [0, 0];
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of yield* lineHunkSteps(before, after)) {
    removed += beforeEnd - beforeStart;
    added += afterEnd - afterStart;
  }
  return { added, removed };
}

/** As git counts: a last line without its end is another line, and nothing follows the last line end. */
function* wholeLineSteps(text: string): Generator<void, readonly string[]> {
  const lines = yield* lineSteps(yield* lineFeedSteps(text));
  const last = lines.at(-1) ?? "";
  return last === "" ? lines.slice(0, -1) : [...lines.slice(0, -1), `${last}\0`];
}
