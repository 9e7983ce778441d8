import { DisposableStore, type HostMessage, messageOf } from "@patchbay/core";
import type { Review, ReviewEnd, ReviewQueue } from "../host/review-queue.ts";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { editInDifftool, editInEditor, type ExternalEdit, type ExternalEditRequest } from "./external-edit.ts";
import { readOriginal } from "./original-text.ts";
import { presentReview } from "./present-review.ts";
import { afterAccept, beforeQuit, idlePrompt, questionPrompt, reviewPrompt, whyWithdrawn } from "./review-words.ts";
import { program } from "../own-command.ts";

export interface TerminalReviewOptions {
  readonly queue: ReviewQueue;
  readonly screen: Pick<Screen, "print" | "ask" | "lend">;
  readonly paint: Paint;
  readonly folder: string;
  readonly difftool: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
  /** Takes lines that are no answer: commands of the surrounding program. */
  readonly command: (line: string) => void;
  readonly quit: () => void;
}

interface Question {
  readonly message: HostMessage;
  readonly resolve: (action: string | undefined) => void;
}

type Mode =
  | { readonly kind: "idle" }
  | { readonly kind: "review"; readonly id: string }
  | { readonly kind: "question"; readonly question: Question }
  /** Another program has the terminal, or a diff is being made. */
  | { readonly kind: "busy" };

const shownLines = 400;
/** An answer this soon after the question changed by itself was meant for the old question. */
const graceMs = 400;

/** Reviews the queue in a terminal, one proposal after the other; a proposal that ends elsewhere takes its question away. */
export class TerminalReview {
  readonly #options: TerminalReviewOptions;
  readonly #questions: Question[] = [];
  readonly #skipped: Set<string> = new Set();
  readonly #store: DisposableStore = new DisposableStore();
  #mode: Mode = { kind: "idle" };
  #changedAt = Number.NEGATIVE_INFINITY;
  #quitAsked = false;

  constructor(options: TerminalReviewOptions) {
    this.#options = options;
  }

  /** Follows the queue from now on, until `dispose`. */
  start(): void {
    const { queue } = this.#options;
    this.#store.add(queue.onDidEnd(({ review, end }) => this.#ended(review, end)));
    this.#store.add(queue.onDidReveal((id) => this.review(id)));
    this.#store.add(queue.onDidChange(() => this.#next(false)));
    this.#next(true);
  }

  /** Stops asking; open questions are left without an answer. */
  dispose(): void {
    this.#store.dispose();
    for (const question of this.#questions.splice(0)) question.resolve(undefined);
  }

  /** Shows a message; asks where it has actions. */
  async ask(message: HostMessage): Promise<string | undefined> {
    const { screen, paint } = this.#options;
    if (message.actions.length === 0) {
      const text = escapeText(message.text);
      screen.print(message.severity === "info" ? text : paint.bad(text));
      return undefined;
    }
    return await new Promise((resolve) => {
      this.#questions.push({ message, resolve });
      this.#next(false);
    });
  }

  /** Puts a waiting proposal in front. */
  review(id: string): void {
    if (this.#mode.kind === "busy" || this.#mode.kind === "question") return;
    this.#skipped.delete(id);
    if (this.#options.queue.find(id) !== undefined) this.#present(id, shownLines);
  }

  /** A line that the user entered. */
  line(text: string): void {
    const word = text.trim();
    const mode = this.#mode;
    if (word !== "q" && word !== "quit") this.#quitAsked = false;
    switch (mode.kind) {
      case "busy":
        return;
      case "question":
        return this.#answer(mode.question, word);
      case "review":
        return this.#decide(mode.id, word);
      case "idle":
        if (word === "q" || word === "quit") return this.#quit();
        if (word !== "") this.#options.command(word);
        this.#options.screen.ask(this.#idlePrompt());
    }
  }

  #decide(id: string, word: string): void {
    const { queue, screen, folder } = this.#options;
    if (["a", "accept", "r", "reject"].includes(word) && this.#isTooSoon()) return;
    switch (word) {
      case "a":
      case "accept":
        this.#print(afterAccept(queue.find(id), folder));
        queue.accept(id);
        return;
      case "r":
      case "reject":
        this.#print("Rejected. Nothing is written.");
        queue.reject(id);
        return;
      case "e":
      case "edit":
        return void this.#editOutside(id, "editor");
      case "d":
      case "difftool":
        return void this.#editOutside(id, "difftool");
      case "v":
        return this.#present(id, Number.POSITIVE_INFINITY);
      case "s":
      case "skip":
        this.#skipped.add(id);
        this.#mode = { kind: "idle" };
        return this.#next(true);
      case "q":
      case "quit":
        return this.#quit();
      default:
        if (word !== "" && word !== "?") this.#options.command(word);
        else if (word === "?") this.#options.command("help");
        screen.ask(this.#reviewPrompt());
    }
  }

  #answer(question: Question, word: string): void {
    const { screen } = this.#options;
    const { actions } = question.message;
    const action = actions[Number(word) - 1] ?? actions.find((label) => label.toLowerCase() === word.toLowerCase());
    if (word !== "" && action === undefined) {
      screen.ask(questionPrompt(question.message.actions));
      return;
    }
    if (action !== undefined && this.#isTooSoon()) return;
    this.#questions.shift();
    this.#mode = { kind: "idle" };
    question.resolve(action);
    this.#next(true);
  }

  /** Goes on to what is to be asked now. `byUser`: the user has just answered, so the next answer may come at once. */
  #next(byUser: boolean): void {
    const { queue, screen, paint } = this.#options;
    if (this.#mode.kind === "busy") return;
    if (this.#mode.kind === "review" && queue.find(this.#mode.id) !== undefined) return;
    if (this.#mode.kind === "question") return;
    const [question] = this.#questions;
    const review = queue.waiting.find(({ request }) => !this.#skipped.has(request.id));
    if (question !== undefined) {
      this.#mode = { kind: "question", question };
      screen.print(paint.strong(escapeText(question.message.text)));
      screen.ask(questionPrompt(question.message.actions));
    } else if (review !== undefined) {
      this.#present(review.request.id, shownLines, byUser);
      return;
    } else {
      this.#mode = { kind: "idle" };
      screen.ask(this.#idlePrompt());
    }
    if (!byUser) this.#changedAt = this.#options.monotonic();
  }

  #present(id: string, maximumLines: number, byUser = true): void {
    const { queue, screen, paint, folder } = this.#options;
    const review = queue.find(id);
    if (review === undefined) return this.#next(byUser);
    this.#mode = { kind: "busy" };
    presentReview(review, { paint, folder, maximumLines }).then(
      (lines) => this.#presented(id, lines, byUser),
      (error: unknown) => this.#presented(id, [paint.bad(escapeText(messageOf(error)))], byUser),
    );
    screen.ask("");
  }

  #presented(id: string, lines: readonly string[], byUser: boolean): void {
    const { queue, screen } = this.#options;
    this.#mode = { kind: "idle" };
    // It may have ended while its diff was made.
    if (queue.find(id) === undefined) return this.#next(byUser);
    screen.print(lines.join("\n"));
    this.#mode = { kind: "review", id };
    if (!byUser) this.#changedAt = this.#options.monotonic();
    screen.ask(this.#reviewPrompt());
  }

  async #editOutside(id: string, tool: "editor" | "difftool"): Promise<void> {
    const { queue, screen, folder, environment, difftool } = this.#options;
    const review = queue.find(id);
    if (review === undefined) return;
    if (tool === "difftool" && difftool === undefined) {
      this.#print(`No difftool is set. Start with: ${program} serve --difftool 'vimdiff $LOCAL $REMOTE'`);
      return screen.ask(this.#reviewPrompt());
    }
    this.#mode = { kind: "busy" };
    try {
      const original = await readOriginal(review.request.path);
      const request: ExternalEditRequest = {
        path: review.request.path,
        original: original.kind === "text" ? original.text : "",
        text: review.text,
        cwd: folder,
      };
      const edit = await screen.lend(async () =>
        tool === "editor" || difftool === undefined
          ? await editInEditor(request, environment)
          : await editInDifftool(request, difftool),
      );
      this.#take(id, edit, request.text);
    } catch (error) {
      this.#print(escapeText(messageOf(error)));
    }
    this.#mode = { kind: "idle" };
    this.#present(id, shownLines);
  }

  /** What was saved outside becomes the proposal; where that has ended meanwhile, the copy stays for the user. */
  #take(id: string, edit: ExternalEdit, before: string): void {
    if (edit.problem !== undefined) this.#print(escapeText(edit.problem));
    if (this.#options.queue.edit(id, edit.text) || edit.text === before) return edit.dispose();
    this.#print(`The proposal ended while you edited it. What you saved is kept in ${escapeLine(edit.copy)}`);
  }

  #ended(review: Review, end: ReviewEnd): void {
    this.#skipped.delete(review.request.id);
    if (end.kind === "withdrawn") this.#print(whyWithdrawn(review, end.reason, this.#options.folder));
  }

  #quit(): void {
    const waiting = this.#options.queue.waiting.length;
    if (waiting === 0 || this.#quitAsked) return this.#options.quit();
    this.#quitAsked = true;
    this.#print(beforeQuit(waiting));

    this.#options.screen.ask(this.#mode.kind === "review" ? this.#reviewPrompt() : this.#idlePrompt());
  }

  #isTooSoon(): boolean {
    const { screen, monotonic } = this.#options;
    if (monotonic() - this.#changedAt >= graceMs) return false;
    this.#print("The question had just changed: your answer was not used.");
    if (this.#mode.kind === "review") screen.ask(this.#reviewPrompt());
    return true;
  }

  #print(text: string): void {
    this.#options.screen.print(text);
  }

  #reviewPrompt(): string {
    return reviewPrompt(this.#options.queue.waiting.length - 1, this.#options.difftool !== undefined);
  }

  #idlePrompt(): string {
    return idlePrompt(this.#options.queue.waiting.length);
  }
}
