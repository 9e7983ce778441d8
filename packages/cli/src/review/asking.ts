import { type HostMessage, messageOf } from "@patchbay/core";
import { nameOf } from "../host/open-files.ts";
import type { Review, ReviewQueue } from "../host/review-queue.ts";
import { escapeText } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { presentReview } from "./present-review.ts";
import {
  announcement,
  followed,
  idlePrompt,
  keptSentence,
  questionKeys,
  questionPrompt,
  reviewKeys,
  reviewPrompt,
} from "./review-words.ts";

export interface AskingOptions {
  readonly queue: ReviewQueue;
  readonly screen: Pick<Screen, "print" | "printLines" | "ask" | "reword" | "ring" | "isTyping" | "columns" | "rows">;
  readonly paint: Paint;
  readonly folder: string;
  readonly difftool: string | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
  /** Reviews whose agents will not come back. */
  readonly kept: { has(id: string): boolean };
}

/** A message that waits for an answer. */
export class Question {
  readonly message: HostMessage;
  /** After this answer whoever asked goes on, and nothing else is asked meanwhile. */
  readonly goesOn: string | undefined;
  /** Undefined: none was given. */
  readonly answered: Promise<string | undefined>;
  #resolve: (action: string | undefined) => void = () => {};

  constructor(message: HostMessage, goesOn?: string) {
    this.message = message;
    this.goesOn = goesOn;
    this.answered = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The action that an input names, by its number or its words. */
  actionOf(word: string): string | undefined {
    const { actions } = this.message;
    return actions[Number(word) - 1] ?? actions.find((label) => label.toLowerCase() === word.toLowerCase());
  }

  answer(action: string | undefined): void {
    this.#resolve(action);
  }
}

type Mode =
  | { readonly kind: "idle" }
  /** `revision`: what the user has been shown of it. */
  | { readonly kind: "review"; readonly id: string; readonly revision: number }
  | { readonly kind: "question"; readonly question: Question }
  /** Another program has the terminal, or a diff is being made. */
  | { readonly kind: "busy" };

/** Lines of a change that are shown unasked where nobody knows how high the terminal is. */
const shownLines = 400;
/** Rows that are left for what stands above and below a change. */
const otherRows = 8;
/** An answer this soon after the question changed by itself was meant for something else. */
const graceMs = 1000;

/** What the user is asked now, and what comes next: questions first, then the proposals that wait. */
export class Asking {
  readonly #options: AskingOptions;
  readonly #questions: Question[] = [];
  readonly #skipped: Set<string> = new Set();
  /** Proposals of which the user has been told. */
  readonly #announced: Set<string> = new Set();
  /** Kept texts of which the user has been told that their agents will not come back. */
  readonly #knownAsKept: Set<string> = new Set();
  #mode: Mode = { kind: "idle" };
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** Nothing is asked and nothing is being typed: what comes is shown at once. */
  get isFree(): boolean {
    return this.#mode.kind === "idle" && !this.#options.screen.isTyping;
  }

  /** Nothing is asked until `free`. */
  occupy(): void {
    this.#mode = { kind: "busy" };
  }

  free(): void {
    this.#mode = { kind: "idle" };
  }

  add(question: Question, where: "first" | "last"): void {
    if (where === "first") this.#questions.unshift(question);
    else this.#questions.push(question);
  }

  /** Takes a question away; false: it was not waiting. */
  remove(question: Question): boolean {
    const at = this.#questions.indexOf(question);
    if (at >= 0) this.#questions.splice(at, 1);
    return at >= 0;
  }

  /** Open questions are left without an answer. */
  dispose(): void {
    for (const question of this.#questions.splice(0)) question.answer(undefined);
  }

  skip(id: string): void {
    this.#skipped.add(id);
  }

  takeUp(id: string): void {
    this.#skipped.delete(id);
  }

  /** A proposal has ended. Says whether the user knew that it was a kept text. */
  forget(id: string): { readonly wasKept: boolean } {
    this.#skipped.delete(id);
    this.#announced.delete(id);
    return { wasKept: this.#knownAsKept.delete(id) };
  }

  /** Something has come, changed or gone. */
  changed(): void {
    const { kept, screen, paint, folder, queue } = this.#options;
    this.announce();
    const mode = this.#mode;
    const review = mode.kind === "review" ? queue.find(mode.id) : undefined;
    if (mode.kind === "review" && review !== undefined) {
      if (review.revision !== mode.revision) return this.#follow(review);
      if (kept.has(mode.id) && !this.#knownAsKept.has(mode.id)) {
        screen.ring();
        screen.print(paint.bad(keptSentence(review, folder)));
        this.#knownAsKept.add(mode.id);
      }
      // How many wait has changed.
      screen.reword(this.#reviewPrompt(mode.id), this.#reviewKeys(mode.id));
    }
    this.next(false);
  }

  /** The file has changed under the review: it is shown anew, and an answer to what stood there before does not count. */
  #follow(review: Review): void {
    const { screen, paint, folder } = this.#options;
    screen.ring();
    screen.print(paint.strong(followed(review, folder)));
    this.present(review.request.id, false);
  }

  /** Rings for proposals that are new, and names those that are not shown at once. */
  announce(): void {
    const { queue, screen, folder, paint } = this.#options;
    const { waiting } = queue;
    const fresh = waiting.filter(({ request }) => !this.#announced.has(request.id));
    if (fresh.length > 0) screen.ring();
    let shown = this.isFree && this.#questions.length === 0 ? 1 : 0;
    for (const review of fresh) {
      this.#announced.add(review.request.id);
      if (shown > 0) shown -= 1;
      else screen.print(paint.strong(announcement(review, waiting.length, folder)));
    }
  }

  /** Goes on to what is to be asked now. `byUser`: the user has just answered, so the next answer may come at once. */
  next(byUser: boolean): void {
    const { queue, screen, paint } = this.#options;
    if (this.#mode.kind === "busy" || this.#mode.kind === "question") return;
    if (this.#mode.kind === "review" && queue.find(this.#mode.id) !== undefined) return;
    const wasIdle = this.#mode.kind === "idle";
    this.#mode = { kind: "idle" };
    // A line that was begun for something else is not interrupted.
    if (wasIdle && !byUser && screen.isTyping) return screen.reword(this.#idlePrompt());
    const [question] = this.#questions;
    const review = queue.waiting.find(({ request }) => !this.#skipped.has(request.id));
    if (question !== undefined) {
      this.#mode = { kind: "question", question };
      screen.print(paint.strong(escapeText(question.message.text)));
      this.askAgain();
    } else if (review !== undefined) {
      this.present(review.request.id, byUser);
      return;
    } else {
      screen.ask(this.#idlePrompt());
    }
    if (!byUser) this.#changedAt = this.#options.monotonic();
  }

  /** Shows a proposal and asks about it. */
  present(id: string, byUser = true): void {
    const { queue, screen, paint, folder, kept } = this.#options;
    const review = queue.find(id);
    if (review === undefined) return this.next(byUser);
    const maximumLines = screen.rows === undefined ? shownLines : Math.max(otherRows, screen.rows - otherRows);
    this.#mode = { kind: "busy" };
    presentReview(review, { paint, folder, maximumLines, columns: screen.columns, isKept: kept.has(id) }).then(
      (lines) => this.#presented(review, lines, byUser),
      (error: unknown) => this.#presented(review, [paint.bad(escapeText(messageOf(error)))], byUser),
    );
    screen.ask("");
  }

  #presented({ request: { id }, revision }: Review, lines: readonly string[], byUser: boolean): void {
    const { queue, screen } = this.#options;
    this.#mode = { kind: "idle" };
    const now = queue.find(id);
    // It may have ended or changed while its diff was made.
    if (now === undefined) return this.next(byUser);
    if (now.revision !== revision) return this.present(id, byUser);
    screen.printLines(lines.join("\n"));
    if (this.#options.kept.has(id)) this.#knownAsKept.add(id);
    this.#mode = { kind: "review", id, revision };
    if (!byUser) this.#changedAt = this.#options.monotonic();
    this.askAgain();
  }

  /** After another program had the terminal: asks about the same proposal, or about the next where it has ended. */
  goBackTo({ request: { id }, revision }: Review): void {
    this.#mode = { kind: "idle" };
    const now = this.#options.queue.find(id);
    if (now === undefined) return this.next(false);
    if (now.revision !== revision) return this.#follow(now);
    this.#mode = { kind: "review", id, revision };
    this.askAgain();
  }

  /** Asks what is being asked once more. */
  askAgain(): void {
    const { screen } = this.#options;
    switch (this.#mode.kind) {
      case "busy":
        return;
      case "idle":
        return screen.ask(this.#idlePrompt());
      case "review":
        return screen.ask(this.#reviewPrompt(this.#mode.id), this.#reviewKeys(this.#mode.id));
      case "question": {
        const { actions } = this.#mode.question.message;
        return screen.ask(questionPrompt(actions), questionKeys(actions));
      }
    }
  }

  /** Whether an answer comes too soon after the question changed by itself; the user has been told then. */
  isTooSoon(): boolean {
    if (this.#options.monotonic() - this.#changedAt >= graceMs) return false;
    this.#options.screen.print("The question had just changed, so your answer was not used. Please answer again.");
    if (this.#mode.kind === "review") this.askAgain();
    return true;
  }

  #reviewKeys(id: string): string {
    return reviewKeys(this.#options.difftool !== undefined, this.#options.kept.has(id));
  }

  #reviewPrompt(id: string): string {
    const { queue, folder, difftool, screen, kept } = this.#options;
    return reviewPrompt({
      name: nameOf(queue.find(id)?.request ?? { path: "" }, folder),
      more: queue.waiting.length - 1,
      hasDifftool: difftool !== undefined,
      isKept: kept.has(id),
      columns: screen.columns,
    });
  }

  #idlePrompt(): string {
    const skipped = this.#skipped.size;
    return idlePrompt(this.#options.queue.waiting.length - skipped, skipped);
  }
}
