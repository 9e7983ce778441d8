import { DisposableStore, type HostMessage, messageOf } from "@patchbay/core";
import type { Review, ReviewEnd, ReviewQueue } from "../host/review-queue.ts";
import { program } from "../own-command.ts";
import { pathInFolder } from "../host/open-files.ts";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import {
  editInDifftool,
  editInEditor,
  type ExternalEdit,
  type ExternalEditRequest,
  showInPager,
} from "./external-edit.ts";
import { presentReview } from "./present-review.ts";
import {
  afterVerdict,
  announcement,
  beforeQuit,
  conflictSentence,
  followed,
  idlePrompt,
  keptSentence,
  questionPrompt,
  reviewHelp,
  reviewKeys,
  reviewPrompt,
  verbs,
  whyWithdrawn,
} from "./review-words.ts";

export interface TerminalReviewOptions {
  readonly queue: ReviewQueue;
  readonly screen: Pick<
    Screen,
    "print" | "printLines" | "ask" | "reword" | "ring" | "lend" | "isTyping" | "columns" | "rows"
  >;
  readonly paint: Paint;
  readonly folder: string;
  readonly difftool: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
  /** Takes lines that are no answer: commands of the surrounding program. */
  readonly command: (line: string) => void;
  /** Accepts a proposal and says whether that was possible, once it is settled. */
  readonly accept: (id: string) => Promise<boolean>;
  /** Reviews whose agents will not come back; `save` says in a sentence what became of the text. */
  readonly kept: { has(id: string): boolean; save(id: string): Promise<string> };
  readonly quit: () => void;
}

interface Question {
  readonly message: HostMessage;
  /** After this answer whoever asked goes on, and nothing else is asked meanwhile. */
  readonly goesOn?: string;
  readonly resolve: (action: string | undefined) => void;
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
/** The companion's offer that the list of kept texts makes here. */
const saveToFile = "Save to File";

/** Reviews the queue in a terminal, one proposal after the other; a proposal that ends elsewhere takes its question away. */
export class TerminalReview {
  readonly #options: TerminalReviewOptions;
  readonly #questions: Question[] = [];
  readonly #skipped: Set<string> = new Set();
  /** Proposals of which the user has been told. */
  readonly #announced: Set<string> = new Set();
  /** Kept texts of which the user has been told that their agents will not come back. */
  readonly #knownAsKept: Set<string> = new Set();
  readonly #store: DisposableStore = new DisposableStore();
  #mode: Mode = { kind: "idle" };
  #changedAt = Number.NEGATIVE_INFINITY;
  #quitAsked = false;
  /** A kept text that the next r discards. */
  #discardAsked: string | undefined;
  /** A kept text that is being saved: its end is told by what became of it. */
  #saving: string | undefined;

  constructor(options: TerminalReviewOptions) {
    this.#options = options;
  }

  /** Follows the queue from now on, until `dispose`. */
  start(): void {
    const { queue } = this.#options;
    this.#store.add(queue.onDidEnd(({ review, end }) => this.#ended(review, end)));
    this.#store.add(queue.onDidReveal((id) => this.review(id)));
    this.#store.add(queue.onDidChange(() => this.#changed()));
    this.#announce();
    this.#next(true);
  }

  /** Stops asking; open questions are left without an answer. */
  dispose(): void {
    this.#store.dispose();
    for (const question of this.#questions.splice(0)) question.resolve(undefined);
  }

  /** Shows a message; asks where it has actions. */
  async ask(message: HostMessage): Promise<string | undefined> {
    const { screen, paint, folder } = this.#options;
    const isConflict = message.code === "not-accepted-conflict";
    const text = isConflict
      ? `Not accepted: ${conflictSentence(pathInFolder(message.values["path"] ?? "", folder))}`
      : escapeText(shortened(message, folder));
    const isOffer = message.actions.includes(saveToFile);
    if (message.actions.length === 0 || isOffer) {
      const sentence = isOffer ? `${text} Type: kept` : text;
      screen.print(message.severity === "info" ? sentence : paint.bad(sentence));
      return undefined;
    }
    screen.ring();
    if (!this.#isFree) screen.print(paint.strong(`${text} You are asked next.`));
    return await new Promise((resolve) => {
      const question: Question = { message, resolve };
      this.#questions.push(question);
      message.signal?.addEventListener("abort", () => this.#withdraw(question), { once: true });
      this.#next(false);
    });
  }

  /** Answered elsewhere: nobody needs to answer any more. */
  #withdraw(question: Question): void {
    const at = this.#questions.indexOf(question);
    if (at < 0) return;
    this.#questions.splice(at, 1);
    question.resolve(undefined);
    if (this.#mode.kind !== "question" || this.#mode.question !== question) return;
    this.#print("This was answered elsewhere.");
    this.#mode = { kind: "idle" };
    this.#next(false);
  }

  /** Puts a waiting proposal in front. */
  review(id: string): void {
    if (this.#mode.kind === "busy" || this.#mode.kind === "question") return;
    this.#skipped.delete(id);
    if (this.#options.queue.find(id) !== undefined) this.#present(id);
  }

  /** A line that the user entered. */
  line(text: string): void {
    const word = text.trim();
    const mode = this.#mode;
    if (word !== "q" && word !== "quit") this.#quitAsked = false;
    if (word !== "r" && word !== "reject") this.#discardAsked = undefined;
    switch (mode.kind) {
      case "busy":
        return;
      case "question":
        return this.#answer(mode.question, word);
      case "review":
        return this.#decide(mode.id, word);
      case "idle":
        if (word === "q" || word === "quit") return this.#quit();
        if (word === "accept all") return void this.#acceptAll();
        if (word !== "") this.#options.command(word);
        return this.#settle();
    }
  }

  /** The user types no longer: what came meanwhile is asked about now. */
  emptied(): void {
    if (this.#mode.kind === "idle") this.#next(false);
  }

  #decide(id: string, word: string): void {
    const { queue, folder, difftool, kept } = this.#options;
    if (kept.has(id) && (word === "w" || word === "write")) return void this.#save(id);
    if (["a", "accept", "r", "reject"].includes(word) && this.#isTooSoon()) return;
    switch (word) {
      case "a":
      case "accept": {
        const review = queue.find(id);
        if (review === undefined || !kept.has(id)) return void queue.accept(id);
        this.#print(keptSentence(review, folder));
        return this.#askAboutReview(id);
      }
      case "accept all":
        return void this.#acceptAll();
      case "r":
      case "reject":
        if (kept.has(id) && this.#discardAsked !== id) {
          this.#discardAsked = id;
          this.#print("r again discards your text for good.");
          return this.#askAboutReview(id);
        }
        return void queue.reject(id);
      case "e":
      case "edit":
        return void this.#editOutside(id, "editor");
      case "d":
      case "difftool":
        return void this.#editOutside(id, "difftool");
      case "v":
      case "view":
        return void this.#viewAll(id);
      case "s":
      case "skip":
        this.#skipped.add(id);
        this.#mode = { kind: "idle" };
        return this.#next(true);
      case "q":
      case "quit":
        return this.#quit();
      case "?":
      case "h":
      case "help": {
        const review = queue.find(id);
        if (review !== undefined) this.#print(reviewHelp(review, folder, difftool, kept.has(id)));
        return this.#askAboutReview(id);
      }
      default:
        if (word !== "") this.#options.command(word);
        // The command may have gone to another proposal.
        if (this.#mode.kind === "review") this.#askAboutReview(this.#mode.id);
    }
  }

  /** Asks with the list, then accepts one after the other: each on the file as the one before has left it. */
  async #acceptAll(): Promise<void> {
    const { queue, screen, folder, accept, kept } = this.#options;
    const all = queue.waiting.filter(({ request }) => !kept.has(request.id));
    if (all.length === 0) {
      this.#print("Nothing waits for you.");
      return this.#settle();
    }
    for (const { request } of all) {
      this.#print(`  ${escapeLine(request.agentName)} ${verbs[request.kind]} ${pathInFolder(request.path, folder)}`);
    }
    const text = all.length === 1 ? "Accept this proposal?" : `Accept these ${all.length} proposals?`;
    const message = {
      code: "accept-all",
      severity: "info",
      text,
      values: {},
      actions: ["Accept All", "Cancel"],
    } as const;
    this.#mode = { kind: "idle" };
    const answer = await new Promise<string | undefined>((resolve) => {
      this.#questions.unshift({ message, resolve, goesOn: "Accept All" });
      this.#next(true);
    });
    if (answer !== "Accept All") return;
    screen.ask("");
    let accepted = 0;
    for (const { request } of all) {
      if (await accept(request.id).catch(() => false)) accepted += 1;
    }
    this.#print(
      accepted === all.length ? `All ${accepted} were accepted.` : `${accepted} of ${all.length} were accepted.`,
    );
    this.#mode = { kind: "idle" };
    this.#next(false);
  }

  async #save(id: string): Promise<void> {
    const { kept, screen } = this.#options;
    this.#saving = id;
    this.#mode = { kind: "busy" };
    screen.ask("");
    this.#print(await kept.save(id));
    this.#saving = undefined;
    this.#mode = { kind: "idle" };
    this.#present(id);
  }

  #answer(question: Question, word: string): void {
    const { screen } = this.#options;
    const { actions } = question.message;
    const action = actions[Number(word) - 1] ?? actions.find((label) => label.toLowerCase() === word.toLowerCase());
    if (word !== "" && action === undefined) {
      this.#print("Type the number of an answer, or Enter for none.");
      screen.ask(questionPrompt(actions), questionKeys(actions));
      return;
    }
    if (action !== undefined && this.#isTooSoon()) return;
    this.#questions.shift();
    const goesOn = action !== undefined && action === question.goesOn;
    this.#mode = { kind: goesOn ? "busy" : "idle" };
    question.resolve(action);
    this.#next(true);
  }

  #changed(): void {
    const { kept, screen, paint, folder } = this.#options;
    this.#announce();
    const mode = this.#mode;
    const review = mode.kind === "review" ? this.#options.queue.find(mode.id) : undefined;
    if (mode.kind === "review" && review !== undefined) {
      if (review.revision !== mode.revision) return this.#follow(review);
      if (kept.has(mode.id) && !this.#knownAsKept.has(mode.id)) {
        screen.ring();
        this.#print(paint.bad(keptSentence(review, folder)));
        this.#knownAsKept.add(mode.id);
      }
      // How many wait has changed.
      this.#rewordReview(mode.id);
    }
    this.#next(false);
  }

  /** The file has changed under the review: it is shown anew, and an answer to what stood there before does not count. */
  #follow(review: Review): void {
    const { screen, paint, folder } = this.#options;
    screen.ring();
    this.#print(paint.strong(followed(review, folder)));
    this.#present(review.request.id, false);
  }

  /** Rings for proposals that are new, and names those that are not shown at once. */
  #announce(): void {
    const { queue, screen, folder, paint } = this.#options;
    const { waiting } = queue;
    const fresh = waiting.filter(({ request }) => !this.#announced.has(request.id));
    if (fresh.length > 0) screen.ring();
    let shown = this.#isFree && this.#questions.length === 0 ? 1 : 0;
    for (const review of fresh) {
      this.#announced.add(review.request.id);
      if (shown > 0) shown -= 1;
      else this.#print(paint.strong(announcement(review, waiting.length, folder)));
    }
  }

  /** Nothing is asked and nothing is being typed: what comes is shown at once. */
  get #isFree(): boolean {
    return this.#mode.kind === "idle" && !this.#options.screen.isTyping;
  }

  /** Goes on to what is to be asked now. `byUser`: the user has just answered, so the next answer may come at once. */
  #next(byUser: boolean): void {
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
      const { text, actions } = question.message;
      this.#mode = { kind: "question", question };
      screen.print(paint.strong(escapeText(text)));
      screen.ask(questionPrompt(actions), questionKeys(actions));
    } else if (review !== undefined) {
      this.#present(review.request.id, byUser);
      return;
    } else {
      screen.ask(this.#idlePrompt());
    }
    if (!byUser) this.#changedAt = this.#options.monotonic();
  }

  /** After a command: asks again, or about what has come meanwhile. */
  #settle(): void {
    if (this.#mode.kind === "idle") this.#next(true);
  }

  #present(id: string, byUser = true): void {
    const { queue, screen, paint, folder, kept } = this.#options;
    const review = queue.find(id);
    if (review === undefined) return this.#next(byUser);
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
    if (now === undefined) return this.#next(byUser);
    if (now.revision !== revision) return this.#present(id, byUser);
    screen.printLines(lines.join("\n"));
    if (this.#options.kept.has(id)) this.#knownAsKept.add(id);
    this.#mode = { kind: "review", id, revision };
    if (!byUser) this.#changedAt = this.#options.monotonic();
    this.#askAboutReview(id);
  }

  /** All of a change: in the pager where it is longer than the screen. */
  async #viewAll(id: string): Promise<void> {
    const { queue, screen, paint, folder, environment, kept } = this.#options;
    const review = queue.find(id);
    if (review === undefined) return;
    this.#mode = { kind: "busy" };
    screen.ask("");
    try {
      const lines = await presentReview(review, {
        paint,
        folder,
        maximumLines: Number.POSITIVE_INFINITY,
        columns: screen.columns,
        isKept: kept.has(id),
      });
      const text = lines.join("\n");
      const isLong = screen.rows !== undefined && lines.length > screen.rows - 2;
      const isShown =
        isLong &&
        (await screen.lend(async () => {
          return await showInPager(`${text.trimStart()}\n`, environment, folder).then(
            () => true,
            () => false,
          );
        }));
      if (!isShown) screen.printLines(text);
    } catch (error) {
      this.#print(escapeText(messageOf(error)));
    }
    this.#goBackTo(review);
  }

  async #editOutside(id: string, tool: "editor" | "difftool"): Promise<void> {
    const { queue, screen, folder, environment, difftool } = this.#options;
    const review = queue.find(id);
    if (review === undefined) return;
    if (tool === "difftool" && difftool === undefined) {
      this.#print(`No difftool is set. Start with: ${program} serve --difftool 'vimdiff $LOCAL $REMOTE'`);
      return this.#askAboutReview(id);
    }
    this.#mode = { kind: "busy" };
    try {
      // What is saved there is made from this text: until then it stays as it is, whatever becomes of the file.
      queue.hold(id);
      const request: ExternalEditRequest = {
        path: review.request.path,
        original: review.original,
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
      queue.edit(id, review.text);
      this.#print(escapeText(messageOf(error)));
    }
    this.#mode = { kind: "idle" };
    this.#present(id);
  }

  /** What was saved outside becomes the proposal; where that has ended meanwhile, the copy stays for the user. */
  #take(id: string, edit: ExternalEdit, before: string): void {
    if (edit.problem !== undefined) this.#print(escapeText(edit.problem));
    if (this.#options.queue.edit(id, edit.text) || edit.text === before) return edit.dispose();
    this.#print(`The proposal ended while you edited it. What you saved is kept in ${escapeLine(edit.copy)}`);
  }

  /** After another program had the terminal: asks about the same proposal, or about the next where it has ended. */
  #goBackTo({ request: { id }, revision }: Review): void {
    this.#mode = { kind: "idle" };
    const now = this.#options.queue.find(id);
    if (now === undefined) return this.#next(false);
    if (now.revision !== revision) return this.#follow(now);
    this.#mode = { kind: "review", id, revision };
    this.#askAboutReview(id);
  }

  #ended(review: Review, end: ReviewEnd): void {
    this.#skipped.delete(review.request.id);
    this.#announced.delete(review.request.id);
    const wasKept = this.#knownAsKept.delete(review.request.id);
    const { folder, kept } = this.#options;
    // What became of it is told by whoever saved it.
    if (review.request.id === this.#saving || (wasKept && end.kind === "withdrawn")) return;
    if (end.kind === "rejected" && (wasKept || kept.has(review.request.id)))
      return this.#print("Your text was discarded.");
    this.#print(
      end.kind === "withdrawn" ? whyWithdrawn(review, end.reason, folder) : afterVerdict(review, end.kind, folder),
    );
  }

  #quit(): void {
    const waiting = this.#options.queue.waiting.length;
    if (waiting === 0 || this.#quitAsked) return this.#options.quit();
    this.#quitAsked = true;
    this.#print(beforeQuit(waiting));
    if (this.#mode.kind === "review") this.#askAboutReview(this.#mode.id);
    else this.#options.screen.ask(this.#idlePrompt());
  }

  #isTooSoon(): boolean {
    if (this.#options.monotonic() - this.#changedAt >= graceMs) return false;
    this.#print("The question had only just changed, so your answer was not used. Give it again.");
    if (this.#mode.kind === "review") this.#askAboutReview(this.#mode.id);
    return true;
  }

  #print(text: string): void {
    this.#options.screen.print(text);
  }

  #askAboutReview(id: string): void {
    this.#options.screen.ask(this.#reviewPrompt(id), this.#reviewKeys(id));
  }

  #rewordReview(id: string): void {
    this.#options.screen.reword(this.#reviewPrompt(id), this.#reviewKeys(id));
  }

  #reviewKeys(id: string): string {
    return reviewKeys(this.#options.difftool !== undefined, this.#options.kept.has(id));
  }

  #reviewPrompt(id: string): string {
    const { queue, folder, difftool, screen, kept } = this.#options;
    return reviewPrompt({
      name: pathInFolder(queue.find(id)?.request.path ?? "", folder),
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

/** With the file as people read it, where the sentence has its whole path. */
function shortened({ text, values: { path } }: HostMessage, folder: string): string {
  if (path === undefined || path === "") return text;
  return text.replaceAll(path, () => pathInFolder(path, folder));
}

function questionKeys(actions: readonly string[]): string {
  return actions.length < 10 ? actions.map((_, index) => String(index + 1)).join("") : "";
}
