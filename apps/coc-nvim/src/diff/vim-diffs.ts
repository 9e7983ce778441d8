import {
  type Clock,
  type DiffCloseReason,
  type DiffOpening,
  type DiffRequest,
  type DiffUpdate,
  type DiffView,
  type DiffViewEvents,
  type Disposable,
  DisposableStore,
  type HostDiffs,
  type Logger,
  messageOf,
  PatchbayError,
} from "@patchbay/core";
import { finishInTurns, lineHunkSteps } from "@patchbay/core/texts";
import { l10n } from "@patchbay/languages/spoken";
import { asBoolean, asShape, asText, plainLine, type Shape } from "../vim/shape.ts";
import { sendLines } from "../vim/long-text.ts";
import type { Vim } from "../vim/vim.ts";
import { BufferReader, type BufferText, fromBufferText, readBufferText, toBufferText } from "./buffer-reader.ts";
import { lineEdits } from "./line-edits.ts";
import { DiskFollower, fileMark } from "./disk-follower.ts";
import { reviewNames, shortPath } from "./review-names.ts";
import type { ReviewSettings } from "./review-settings.ts";

export interface VimDiffsOptions {
  readonly vim: Vim;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: () => ReviewSettings;
  readonly folders: () => readonly string[];
  /** Whether a file is open with unsaved changes. */
  readonly isDirty: (path: string) => boolean;
  /** Whether the cursor may go to a new review. */
  readonly isIdle: () => boolean;
  /** Tells a User autocommand. */
  readonly announce: (name: ReviewEvent, facts: Readonly<Record<string, string>>) => void;
}

type ReviewEvent = "PatchbayDiffOpened" | "PatchbayDiffAccepted" | "PatchbayDiffRejected" | "PatchbayDiffClosed";

interface Review {
  readonly request: DiffRequest;
  /** Reads the right side. */
  readonly reader: BufferReader;
  /** The left side. */
  original: string;
  /** Whether that is unsaved text. */
  unsaved: boolean;
  /** The right side as long as the user has not touched it. */
  proposed: string;
  readonly events: DiffViewEvents;
  /** The file's mark from before any verdict. */
  mark: string | undefined;
  ended: boolean;
  verdict: Verdict | undefined;
}

/** `closed`: the window of a review whose agent is not there. */
type Verdict = "accepted" | "rejected" | "closed";

/** While a prompt, a command line or a half-typed command is open no window can be made: look again after this long, ms. */
const busyRetryMs = 150;

/** So long after a restart of coc a review of the earlier run may take to be known again, ms. */
const comesBackWithin = 3_000;

const tooLate = (): string =>
  l10n.t("This review had ended before you accepted it, so nothing was sent. :Patchbay next goes to what waits.");

/** Shows proposals in Vim's diff mode; the windows and everything in them are autoload/patchbay/review.vim. */
export class VimDiffs implements HostDiffs, Disposable {
  readonly #options: VimDiffsOptions;
  readonly #reviews: Map<string, Review> = new Map();
  readonly #follower: DiskFollower;
  readonly #store: DisposableStore = new DisposableStore();
  #abandoned = false;

  constructor(options: VimDiffsOptions) {
    this.#options = options;
    this.#follower = new DiskFollower({
      clock: options.clock,
      mark: fileMark,
      onChange: (path) => void this.#reload(path),
    });
    this.#store.add(this.#follower);
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    const { settings, isDirty } = this.#options;
    if (settings().unsavedChanges === "terminal" && isDirty(request.path)) return { kind: "declined" };
    const review: Review = {
      request,
      reader: new BufferReader((known) => this.#options.vim.call("patchbay#sides#changes", [request.id, known])),
      original: request.originalText,
      unsaved: request.unsaved,
      proposed: request.proposedText,
      events,
      mark: await fileMark(request.path),
      ended: false,
      verdict: undefined,
    };
    this.#reviews.set(request.id, review);
    try {
      const texts = await this.#texts(request);
      const answer = await this.#untilFree("patchbay#review#open", () => [{ ...this.#payload(request), ...texts }]);
      this.#opened(review, answer);
    } catch (error) {
      this.#reviews.delete(request.id);
      throw error instanceof PatchbayError
        ? error
        : new PatchbayError("host-failed", messageOf(error), { cause: error });
    }
    return { kind: "opened", view: this.#view(review) };
  }

  /** What Vim tells about a review: `accepted` with its text unless that is long, `rejected`, `closed`, `edited`. */
  report(kind: string, id: string, text: unknown): void {
    const review = this.#reviews.get(id);
    if (review === undefined || review.ended) {
      if (kind === "accepted") this.#acceptedTooLate(id);
      return;
    }
    if (kind === "edited") review.events.edited();
    else if (kind === "rejected") this.#decide(review, "rejected", undefined);
    else if (kind === "closed") this.#decide(review, "closed", undefined);
    else if (kind === "unified") void this.#draw(review);
    else if (kind === "accepted") void this.#accept(review, readBufferText(text));
  }

  /** In a window that an earlier run has left, or that is about to go. After a restart of coc the review may still come: then it counts. */
  #acceptedTooLate(id: string): void {
    const say = (): void => {
      if (this.#reviews.get(id)?.ended !== false) this.#options.vim.notify("patchbay#say", [tooLate(), "WarningMsg"]);
    };
    this.#store.add(this.#options.clock.setTimeout(say, comesBackWithin));
  }

  /** The editor is about to end: views need not be taken away, and nothing more is asked of it. */
  abandon(): void {
    this.#abandoned = true;
    this.#store.dispose();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #opened(review: Review, answer: Shape): void {
    const { request } = review;
    if (asText(answer["state"]) !== "adopted") {
      this.#options.announce("PatchbayDiffOpened", this.#facts(request));
      return;
    }
    // coc was restarted in the middle of a review: what was decided meanwhile counts now, when the caller has its view.
    const verdict = asText(answer["verdict"]);
    if (verdict !== "open") {
      this.#store.add(this.#options.clock.setTimeout(() => this.report(verdict, request.id, answer["text"]), 0));
    }
  }

  /** In one window lines that are removed are shown between those of the proposal. */
  async #draw({ request, reader, original }: Review): Promise<void> {
    const { vim, logger } = this.#options;
    try {
      const now = await reader.read();
      if (now === undefined || this.#abandoned) return;
      const { lines } = toBufferText(original);
      const hunks = await finishInTurns(lineHunkSteps(lines, now.buffer.lines), this.#options.clock);
      const places = hunks.map((one) => [one.beforeStart, one.beforeEnd, one.afterStart, one.afterEnd]);
      vim.notify("patchbay#unified#draw", [request.id, now.tick, places]);
    } catch (error) {
      logger.warn("The hunks of a review could not be drawn", { reason: messageOf(error) });
    }
  }

  /** A long text does not come with the verdict. */
  async #accept(review: Review, told: BufferText | undefined): Promise<void> {
    try {
      const text = told ?? (await review.reader.read())?.buffer;
      if (text !== undefined && !review.ended) this.#decide(review, "accepted", text);
    } catch (error) {
      this.#options.logger.error("An accepted text could not be read", { reason: messageOf(error) });
    }
  }

  #decide(review: Review, verdict: Verdict, text: BufferText | undefined): void {
    if (review.verdict !== undefined) return;
    review.verdict = verdict;
    if (verdict === "rejected") review.events.rejected();
    else if (verdict === "closed") review.events.closed();
    else if (text !== undefined) review.events.accepted(fromBufferText(text, review.proposed));
  }

  #view(review: Review): DiffView {
    const { vim } = this.#options;
    const { id, proposedText, draftText } = review.request;
    let last = draftText ?? proposedText;
    return {
      currentText: async () => {
        const now = review.ended || this.#abandoned ? undefined : await review.reader.read();
        if (now !== undefined) last = fromBufferText(now.buffer, review.proposed);
        return last;
      },
      reveal: async () => {
        await vim.call("patchbay#go#to", [id]);
      },
      close: (reason) => this.#close(review, reason),
      setAgentPresent: (present) => {
        if (!review.ended) vim.notify("patchbay#review#present", [id, present ? 1 : 0]);
      },
      update: (change) => this.#update(review, change),
      setStanding: (standing) => {
        if (!review.ended) vim.notify("patchbay#review#standing", [id, standing]);
      },
    };
  }

  async #update(review: Review, change: DiffUpdate): Promise<"applied" | "stale" | "gone"> {
    const { vim } = this.#options;
    const { id } = review.request;
    if (review.ended || this.#abandoned) return "gone";
    const now = await review.reader.read();
    if (now === undefined) return "gone";
    if (fromBufferText(now.buffer, review.proposed) !== change.expectedText) return "stale";
    const side = async (name: string, before: BufferText, text: string): Promise<Shape> => {
      const { lines, format, newline } = toBufferText(text);
      const edits = await lineEdits(before.lines, lines);
      return { edits: edits.places, ...(await sendLines(vim, `${id} ${name}`, edits.lines)), format, newline };
    };
    const { lines, ...proposal } = toBufferText(change.proposedText);
    const done = await vim.call("patchbay#sides#update", [
      id,
      {
        tick: now.tick,
        left: await side("left", toBufferText(review.original), change.originalText),
        right: await side("right", now.buffer, change.text),
        proposal: { ...proposal, ...(await sendLines(vim, `${id} proposal`, lines)) },
        edited: change.text === change.proposedText ? 0 : 1,
        unsaved: change.unsaved ? 1 : 0,
        standing: change.standing,
      },
    ]);
    if (done !== "applied") return done === "gone" ? "gone" : "stale";
    review.original = change.originalText;
    review.unsaved = change.unsaved;
    review.proposed = change.proposedText;
    review.verdict = undefined;
    return "applied";
  }

  async #close(review: Review, reason: DiffCloseReason): Promise<void> {
    if (review.ended) return;
    review.ended = true;
    if (this.#abandoned) return;
    const { id, path } = review.request;
    // A verdict is written by the agent; so is, perhaps, what was decided in its terminal.
    if (reason === "accepted" && review.unsaved) this.#options.vim.notify("patchbay#disk#expect", [path]);
    else if (reason === "accepted" || reason === "decided-in-terminal") this.#follower.follow(path, review.mark);
    await this.#untilFree("patchbay#review#close", () => [id, reason]);
    this.#reviews.delete(id);
    const facts = this.#facts(review.request);
    if (reason === "accepted") this.#options.announce("PatchbayDiffAccepted", facts);
    else if (reason === "rejected") this.#options.announce("PatchbayDiffRejected", facts);
    else this.#options.announce("PatchbayDiffClosed", { ...facts, reason });
  }

  /** Calls a function of the review script until it says that it could do it. */
  async #untilFree(name: string, args: () => readonly unknown[]): Promise<Shape> {
    for (;;) {
      const answer = await this.#options.vim.call(name, args());
      const shape = asShape(answer);
      if (typeof answer === "number" ? asBoolean(answer) : asText(shape["state"]) !== "busy") return shape;
      if (this.#store.isDisposed) throw new PatchbayError("stopped", "Patchbay has stopped.");
      await new Promise<void>((resolve) => {
        this.#options.clock.setTimeout(resolve, busyRetryMs);
      });
    }
  }

  async #reload(path: string): Promise<void> {
    try {
      await this.#untilFree("patchbay#disk#reload", () => [path]);
    } catch (error) {
      this.#options.logger.warn("A changed file could not be taken over", { reason: messageOf(error) });
    }
  }

  #payload(request: DiffRequest): Shape {
    const settings = this.#options.settings();
    const names = reviewNames(request.id, request.agentName, request.path);
    return {
      id: request.id,
      path: request.path,
      agent: plainLine(request.agentName),
      title: shortPath(request.path, this.#options.folders()),
      kind: request.kind,
      leftName: names.left,
      rightName: names.right,
      present: request.agentPresent,
      terminal: request.decidedBy === "terminal" ? 1 : 0,
      locked: request.isReadOnly === true ? 1 : 0,
      patch: request.patchFiles ?? 0,
      unsaved: request.unsaved ? 1 : 0,
      standing: request.standing,
      layout: settings.layout,
      unified: settings.diffLayout === "unified" ? 1 : 0,
      focus: settings.focus === "auto" && this.#options.isIdle(),
      hints: settings.hints,
      keys: settings.keys,
    };
  }

  /** The texts for the review script, which has them by then or finds them in the request. */
  async #texts(request: DiffRequest): Promise<Shape> {
    const { id, originalText, proposedText, draftText } = request;
    const sent = async (key: string, text: string): Promise<Shape> => {
      const { lines, ...rest } = toBufferText(text);
      return { ...rest, ...(await sendLines(this.#options.vim, `${id} ${key}`, lines)) };
    };
    return {
      original: await sent("original", originalText),
      proposal: await sent("proposal", proposedText),
      draft: draftText === undefined ? undefined : await sent("draft", draftText),
    };
  }

  #facts(request: DiffRequest): Readonly<Record<string, string>> {
    return { id: request.id, path: request.path, agent: request.agentName, kind: request.kind };
  }
}
