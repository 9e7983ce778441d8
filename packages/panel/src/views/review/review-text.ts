import { type Clock, type Hunk, mergeTexts, restoreLineEnds } from "@patchbay/core/texts";
import type { ReviewEdit, ReviewMessage } from "../../messages/reviews.ts";
import type { ReviewRequest } from "../../messages/from-page.ts";
import { editOf, type Lines, linesOf, type LineSplice, spliceBetween, textOf, withEdit, withSplice } from "./lines.ts";

/** What the user asks for besides typing. It is about what the page shows, so it waits until the host has that. */
export type ReviewAct =
  | { readonly type: "review-decide"; readonly verdict: "accept" | "reject"; readonly reason?: string }
  | { readonly type: "review-hunk"; readonly verdict: "accept" | "reject"; readonly line: number }
  | { readonly type: "review-undo" };

export interface ReviewTextChange {
  /** As the host says; `elsewhere`: it was edited in another page. */
  readonly cause: Extract<ReviewMessage, { type: "review" }>["cause"] | "elsewhere";
  readonly hunks: readonly Hunk[];
  /** What has become of the right side. */
  readonly splice: LineSplice | undefined;
}

/** What was typed and is not with the host yet. */
export interface UnsentText {
  /** The host's text on which it was typed. */
  readonly base: string;
  readonly right: string;
}

export interface ReviewTextOptions {
  readonly id: string;
  /** Of the page that stood here before. */
  readonly unsent: UnsentText | undefined;
  readonly post: (message: ReviewRequest) => void;
  readonly clock: Clock;
  /** Until when no text may take another's place, because a character is being composed; undefined: one may. */
  readonly quiet: () => Promise<void> | undefined;
  readonly compare: (left: Lines, right: Lines) => Promise<readonly Hunk[]>;
  /** The sides are others now, not by the user's typing in this page. */
  readonly onDidChange: (change: ReviewTextChange) => void;
  /** What was asked for was given up: the text has changed meanwhile. */
  readonly onGivenUp: () => void;
}

/** What steps a user can take back, at most. */
const mostSteps = 500;

/** Typing after such a pause is another step, ms. */
const stepPause = 1_000;

/**
 * The texts of a review as the page has them, and their way to the host. The host's are the ones that count: what was typed on an
 * older one is merged onto the newer one, and where both changed the same lines, what the user has just typed stays.
 */
export class ReviewText {
  readonly #options: ReviewTextOptions;
  #left: Lines = [""];
  #right: Lines = [""];
  /** What the host has. */
  #known: { readonly revision: number; readonly right: Lines } | undefined;
  /** On what the text of an earlier page was typed, until the host has said what it has. */
  #unsentOn: Lines | undefined;
  /** What is on its way there. */
  #sent: { readonly edit: number; readonly right: Lines } | undefined;
  #edits = 0;
  #act: ReviewAct | undefined;
  #inbox: Extract<ReviewMessage, { type: "review" | "review-edited" }>[] = [];
  #isReading = false;
  #done: LineSplice[] = [];
  #undone: LineSplice[] = [];
  #typedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReviewTextOptions) {
    this.#options = options;
    if (options.unsent === undefined) return;
    this.#unsentOn = linesOf(options.unsent.base);
    this.#right = linesOf(options.unsent.right);
  }

  get left(): Lines {
    return this.#left;
  }

  get right(): Lines {
    return this.#right;
  }

  /** The host has all that was typed. */
  get isKept(): boolean {
    return this.#known?.right === this.#right;
  }

  /** What would be lost if the page went now: what is on its way may not arrive. */
  get unsent(): UnsentText | undefined {
    const base = this.#known?.right ?? this.#unsentOn;
    return base === undefined || base === this.#right ? undefined : { base: textOf(base), right: textOf(this.#right) };
  }

  /** Nobody writes here any more: what waits for an answer is said without it, and holds unless something else comes in between. */
  leave(): void {
    const sent = this.#sent;
    const known = this.#known;
    const splice = sent === undefined ? undefined : spliceBetween(sent.right, this.#right);
    if (known === undefined || sent === undefined || splice === undefined) return;
    const revision = known.revision + 1;
    const edit = editOf(sent.right, splice);
    this.#options.post({ type: "review-edit", id: this.#options.id, revision, edit: sent.edit + 1, ...edit });
  }

  /** The host answers with the texts. What was on its way may not have arrived. */
  ask(): void {
    this.#sent = undefined;
    this.#options.post({ type: "review-open", id: this.#options.id });
  }

  receive(message: Extract<ReviewMessage, { type: "review" | "review-edited" }>): void {
    this.#inbox.push(message);
    if (!this.#isReading) void this.#read();
  }

  /** The user has typed. */
  type(splice: LineSplice): void {
    const now = this.#options.clock.monotonic();
    const last = this.#done.at(-1);
    const isSameStep = last !== undefined && now - this.#typedAt < stepPause && this.#undone.length === 0;
    const joined = isSameStep ? joinedStep(last, splice) : undefined;
    this.#typedAt = now;
    if (joined === undefined) this.#note(splice);
    else this.#done.splice(-1, 1, joined);
    this.#right = withSplice(this.#right, splice);
    this.#send();
  }

  /** Takes the last change of the right side back, or does it again. The lines that it changed; undefined: there was none. */
  step(way: "undo" | "redo"): LineSplice | undefined {
    const [from, to] = way === "undo" ? [this.#done, this.#undone] : [this.#undone, this.#done];
    const step = from.pop();
    if (step === undefined) return undefined;
    to.push(step);
    const { start, removed, inserted } = step;
    const splice = way === "undo" ? { start, removed: inserted, inserted: removed } : step;
    this.#typedAt = Number.NEGATIVE_INFINITY;
    this.#right = withSplice(this.#right, splice);
    this.#send();
    return splice;
  }

  act(act: ReviewAct): void {
    this.#act = act;
    this.#send();
  }

  #send(): void {
    const { id, post } = this.#options;
    const known = this.#known;
    // What came last is read first.
    if (known === undefined || this.#sent !== undefined || this.#isReading) return;
    const splice = spliceBetween(known.right, this.#right);
    if (splice !== undefined) {
      this.#edits += 1;
      this.#sent = { edit: this.#edits, right: this.#right };
      post({
        type: "review-edit",
        id,
        revision: known.revision,
        edit: this.#edits,
        ...editOf(known.right, splice),
      });
      return;
    }
    this.#known = { ...known, right: this.#right };
    const act = this.#act;
    this.#act = undefined;
    if (act !== undefined) post({ ...act, id, revision: known.revision });
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      for (let message = this.#inbox.shift(); message !== undefined; message = this.#inbox.shift()) {
        if (message.type === "review") await this.#take(message);
        else await this.#takeEdit(message);
      }
    } finally {
      this.#isReading = false;
    }
    this.#send();
  }

  async #takeEdit({
    revision,
    edit,
  }: {
    readonly revision: number;
    readonly edit: ReviewEdit | number;
  }): Promise<void> {
    const known = this.#known;
    if (known === undefined || revision <= known.revision) return;
    if (typeof edit === "number") {
      // Of before the texts were asked for anew, which are on their way.
      if (edit !== this.#sent?.edit) return this.ask();
      this.#known = { revision, right: this.#sent.right };
      this.#sent = undefined;
    } else if (revision === known.revision + 1) {
      await this.#adopt(this.#left, withEdit(known.right, edit), revision, "elsewhere");
    } else this.ask();
  }

  async #take({ revision, left, right, cause }: Extract<ReviewMessage, { type: "review" }>): Promise<void> {
    const known = this.#known;
    const isSameText = known !== undefined && known.revision === revision && textOf(known.right) === right;
    // Whoever was asked has read what was said before; what the page has lost its way with is said again.
    if (cause === "asked") this.#sent = undefined;
    // Else what was sent on it is still on its way, and fits.
    if (isSameText && textOf(this.#left) === left) return;
    await this.#adopt(linesOf(left), linesOf(right), revision, cause);
  }

  /** Everything that was sent on an older revision is dropped by the host. */
  async #adopt(left: Lines, right: Lines, revision: number, cause: ReviewTextChange["cause"]): Promise<void> {
    const { quiet, compare, onDidChange, onGivenUp } = this.#options;
    const base = this.#known?.right ?? this.#unsentOn;
    this.#sent = undefined;
    for (;;) {
      const mine = this.#right;
      const merged = base === undefined || base === mine ? right : await this.#merge(base, mine, right);
      const hunks = await compare(left, merged);
      const busy = quiet();
      if (busy !== undefined) await busy;
      // Somebody has typed meanwhile.
      if (busy !== undefined || this.#right !== mine) continue;
      const splice = spliceBetween(mine, merged);
      if (splice !== undefined && base !== undefined) this.#note(splice);
      this.#left = left;
      this.#right = merged;
      this.#unsentOn = undefined;
      this.#known = { revision, right: spliceBetween(right, merged) === undefined ? merged : right };
      if (this.#act !== undefined) {
        this.#act = undefined;
        onGivenUp();
      }
      onDidChange({ cause, hunks, splice });
      return;
    }
  }

  async #merge(base: Lines, mine: Lines, theirs: Lines): Promise<Lines> {
    const { clock } = this.#options;
    const text = textOf(theirs);
    const { text: merged } = await mergeTexts(textOf(base), textOf(mine), text, clock, "ours");
    return linesOf(await restoreLineEnds(merged, text, clock));
  }

  #note(step: LineSplice): void {
    this.#done.push(step);
    if (this.#done.length > mostSteps) this.#done.shift();
    this.#undone = [];
  }
}

/** What was typed within what the step before has put there is the same step. */
function joinedStep(step: LineSplice, next: LineSplice): LineSplice | undefined {
  const at = next.start - step.start;
  if (at < 0 || at + next.removed.length > step.inserted.length) return undefined;
  const inserted = [...step.inserted.slice(0, at), ...next.inserted, ...step.inserted.slice(at + next.removed.length)];
  return { ...step, inserted };
}
