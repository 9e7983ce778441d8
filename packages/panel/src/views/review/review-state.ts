import { type Clock, finish, finishInTurns, type Hunk, hunkSteps } from "@patchbay/core/texts";
import type { OneReviewMessage, ReviewEnd, ReviewRefusal } from "../../messages/reviews.ts";
import type { ReviewRequest } from "../../messages/from-page.ts";
import { type Block, blocksOf, splicedBlocks, withKeyAt } from "./blocks.ts";
import { joinSplice, type Lines, type LineSplice, textOf, typedSplice } from "./lines.ts";
import { type ReviewAct, ReviewText, type ReviewTextChange, type UnsentText } from "./review-text.ts";

/** Both sides are compared anew so long after the last key, ms. */
const comparePause = 250;

/** Texts of so many UTF-16 units together are compared at once. */
const comparedAtOnce = 256 * 1024;

/** How long a verdict may be on its way, ms. A review that is still open then was not decided, and can be decided again. */
const answerTime = 3_000;

/** How long what has just come into view takes no verdict, ms: a key or click may have been on its way elsewhere. */
export const guardTime = 500;

/** A place in the right side. */
export interface Caret {
  readonly line: number;
  readonly column: number;
}

/** What is said once: what has happened to the review, and what to do. */
export type ReviewNotice = ReviewRefusal | "rebased" | "elsewhere";

/** One review as the page shows it, from its first text to its end. */
export class ReviewState {
  readonly id: string;
  readonly text: ReviewText;
  readonly #clock: Clock;
  readonly #onDidChange: () => void;
  #blocks: readonly Block[] = [];
  #changes = 0;
  #isLoaded = false;
  #isAsked = false;
  #comparing: ReturnType<Clock["setTimeout"]> | undefined;
  #composing: { readonly until: Promise<void>; readonly end: () => void } | undefined;
  #deciding: ReturnType<Clock["setTimeout"]> | undefined;
  #shownAt: number;
  #acted: ReviewAct | undefined;
  /** The text field that the user is in, and where. Written by the view. */
  caret: (Caret & { readonly key: number }) | undefined;
  notice: ReviewNotice | undefined;
  /** Where the last verdict on a hunk was, once it holds. */
  decidedAt: { readonly line: number } | undefined;
  end: ReviewEnd | undefined;

  constructor(
    id: string,
    post: (message: ReviewRequest) => void,
    clock: Clock,
    onDidChange: () => void,
    unsent?: UnsentText,
  ) {
    this.id = id;
    this.#clock = clock;
    this.#onDidChange = onDidChange;
    this.#shownAt = clock.monotonic();
    this.text = new ReviewText({
      id,
      unsent,
      post,
      clock,
      quiet: () => this.#composing?.until,
      compare: async (left, right) => await this.#compare(left, right),
      onDidChange: (change) => this.#onDidChangeText(change),
      onGivenUp: () => this.#say("changed"),
    });
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** How many changes are to be decided. */
  get changes(): number {
    return this.#changes;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** The host has said something of it. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  get isDeciding(): boolean {
    return this.#deciding !== undefined;
  }

  receive(message: OneReviewMessage): void {
    this.#isAsked = true;
    if (message.type === "review-ended") {
      this.end = message.as;
      this.#settled();
    } else if (message.type === "review-refused") {
      this.#settled();
      this.#say(message.reason);
    } else this.text.receive(message);
  }

  /** What is shown of it besides its texts has changed: whatever was asked for has been done, or was not possible. */
  informed(): void {
    this.#settled();
  }

  /** The user has typed into the text field of a block. */
  typed(block: Block, value: string, caret: Caret): void {
    const splice = typedSplice(this.text.right, block.right, value);
    this.caret = { ...caret, key: block.key };
    if (splice !== undefined) this.#splice(splice, block.key);
  }

  /** The line becomes a part of the one above it, as by a backspace at its begin. */
  join(line: number): void {
    const splice = joinSplice(this.text.right, line);
    if (splice === undefined) return;
    const key = this.caret?.key ?? 0;
    const above = splice.removed[0] ?? "";
    this.#splice(splice);
    this.#goTo(line - 1, above.replace(/[\r\n]+$/u, "").length, key);
    this.#onDidChange();
  }

  /** Puts the caret at a place of the right side. */
  goTo({ line, column }: Caret): void {
    this.#goTo(line, column, this.caret?.key ?? 0);
    this.#onDidChange();
  }

  step(way: "undo" | "redo"): void {
    const splice = this.text.step(way);
    if (splice === undefined) return;
    const { start, removed, inserted } = splice;
    this.#blocks = splicedBlocks(this.#blocks, { start, end: start + removed.length }, inserted.length);
    const line = Math.max(start, start + inserted.length - 1);
    this.#goTo(Math.min(line, this.text.right.length - 1), Number.POSITIVE_INFINITY, this.caret?.key ?? 0);
    this.#compareSoon();
    this.#onDidChange();
  }

  /** A character is being composed of several keys: until its end nothing takes the place of its text field. */
  compose(isComposing: boolean): void {
    this.#composing?.end();
    this.#composing = undefined;
    if (!isComposing) return;
    let end = (): void => {};
    const until = new Promise<void>((resolve) => (end = resolve));
    this.#composing = { until, end };
  }

  /** A verdict of the user's, unless what it is about has only just come into view, or another one is on its way. */
  act(act: ReviewAct): boolean {
    if (this.#deciding !== undefined || this.#clock.monotonic() - this.#shownAt < guardTime) return false;
    this.notice = undefined;
    this.#deciding = this.#clock.setTimeout(() => this.#settled(), answerTime);
    this.#acted = act;
    this.text.act(act);
    this.#onDidChange();
    return true;
  }

  dispose(): void {
    this.text.leave();
    this.#comparing?.dispose();
    this.#deciding?.dispose();
    this.compose(false);
  }

  #splice({ start, removed, inserted }: LineSplice, typedInto?: number): void {
    this.text.type({ start, removed, inserted });
    this.#blocks = splicedBlocks(this.#blocks, { start, end: start + removed.length }, inserted.length, typedInto);
    this.#compareSoon();
    this.#onDidChange();
  }

  #compareSoon(): void {
    this.#comparing?.dispose();
    this.#comparing = this.#clock.setTimeout(() => void this.#compareNow(), comparePause);
  }

  async #compareNow(): Promise<void> {
    this.#comparing = undefined;
    const { left, right } = this.text;
    const hunks = await this.#compare(left, right);
    if (this.#composing !== undefined) return this.#compareSoon();
    // Whoever has changed it compares it.
    if (this.text.right !== right || this.text.left !== left) return;
    this.#place(hunks);
    this.#onDidChange();
  }

  async #compare(left: Lines, right: Lines): Promise<readonly Hunk[]> {
    const [before, after] = [textOf(left), textOf(right)];
    const steps = hunkSteps(before, after);
    if (before.length + after.length <= comparedAtOnce) return finish(steps);
    const hunks = await finishInTurns(steps, this.#clock);
    // What is drawn then is a task of its own.
    await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, 0));
    return hunks;
  }

  #onDidChangeText({ cause, hunks, splice }: ReviewTextChange): void {
    const isFirst = !this.#isLoaded;
    this.#isLoaded = true;
    this.#comparing?.dispose();
    this.#comparing = undefined;
    this.#moveCaret(splice);
    this.#place(hunks);
    // What was just about to be decided is another one.
    if (cause !== "verdict") this.#shownAt = this.#clock.monotonic();
    if (cause === "file" && !isFirst) this.notice = "rebased";
    if (cause === "elsewhere") this.notice = "elsewhere";
    if (cause === "verdict") {
      this.notice = undefined;
      if (this.#acted?.type === "review-hunk") this.decidedAt = { line: this.#acted.line };
    }
    this.#settled();
  }

  /** The caret stays at its line. */
  #moveCaret(splice: LineSplice | undefined): void {
    const { caret } = this;
    if (caret === undefined || splice === undefined || caret.line < splice.start) return;
    const { start, removed, inserted } = splice;
    const isBelow = caret.line >= start + removed.length;
    const line = isBelow
      ? caret.line + inserted.length - removed.length
      : Math.min(caret.line, start + inserted.length);
    this.caret = { ...caret, line: Math.max(0, Math.min(line, this.text.right.length - 1)) };
  }

  #goTo(line: number, column: number, key: number): void {
    this.caret = { line, column, key: blockAt(this.#blocks, line)?.key ?? key };
  }

  #place(hunks: readonly Hunk[]): void {
    const { left, right } = this.text;
    const blocks = blocksOf(hunks, { left: left.length, right: right.length }, this.#blocks);
    const { caret } = this;
    this.#blocks = caret === undefined ? blocks : withKeyAt(blocks, caret.line, caret.key);
    const key = caret === undefined ? undefined : blockAt(this.#blocks, caret.line)?.key;
    if (caret !== undefined && key !== undefined) this.caret = { ...caret, key };
    this.#changes = hunks.length;
  }

  #say(notice: ReviewNotice): void {
    this.notice = notice;
    this.#settled();
  }

  #settled(): void {
    this.#deciding?.dispose();
    this.#deciding = undefined;
    this.#onDidChange();
  }
}

/** The block with a line of the right side. */
export function blockAt(blocks: readonly Block[], line: number): Block | undefined {
  return blocks.find(({ right }) => right.start <= line && line < right.end);
}
