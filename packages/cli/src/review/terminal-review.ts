import { DisposableStore, type HostMessage, onAbort } from "@patchbay/core";
import type { Review, ReviewEnd, ReviewQueue } from "../host/review-queue.ts";
import { program } from "../own-command.ts";
import { AllAtOnce } from "./all-at-once.ts";
import { Asking, type AskingOptions, Question } from "./asking.ts";
import { type HunkActions, HunkReview } from "./hunk-review.ts";
import { editOutside, type OutsideOptions, showAll } from "./outside.ts";
import {
  afterVerdict,
  beforeQuit,
  keptSentence,
  lineCommands,
  noEditedText,
  questionSentence,
  reviewHelp,
  whyWithdrawn,
} from "./review-words.ts";

export interface TerminalReviewOptions extends AskingOptions, OutsideOptions {
  readonly queue: ReviewQueue;
  readonly screen: AskingOptions["screen"] & OutsideOptions["screen"];
  /** Takes lines that are no answer: commands of the surrounding program. */
  readonly command: (line: string) => void;
  /** Rejects a proposal, and says in a sentence whether its agent has been told why. */
  readonly rejectWithReason: (id: string, reason: string) => Promise<string>;
  /** Does not let a command run, and tells its agent why. */
  readonly rejectCommand: (id: string, reason: string) => void;
  /** Accepts a proposal and says whether that was possible, once it is settled. */
  readonly accept: (id: string) => Promise<boolean>;
  /** Verdicts on single hunks. */
  readonly hunks: HunkActions;
  /** Reviews whose agents will not come back; `save` says in a sentence what became of the text. */
  readonly kept: { has(id: string): boolean; save(id: string): Promise<string> };
  readonly quit: () => void;
}

/** What the user says with a no, behind one of the words for it. */
function reasonAfter(line: string, words: readonly string[]): string | undefined {
  const [word = "", ...rest] = line.split(/\s+/u);
  return words.includes(word.toLowerCase()) && rest.length > 0 ? rest.join(" ") : undefined;
}

/** The companion's offer that the list of kept texts makes here. */
const saveToFile = "Save to File";

/** Reviews the queue in a terminal, one proposal after the other; a proposal that ends elsewhere takes its question away. */
export class TerminalReview {
  readonly #options: TerminalReviewOptions;
  readonly #asking: Asking;
  readonly #all: AllAtOnce;
  /** A proposal that is reviewed hunk by hunk; nothing else is asked meanwhile. */
  #hunks: HunkReview | undefined;
  readonly #store: DisposableStore = new DisposableStore();
  #quitAsked = false;
  /** A kept text that the next r discards. */
  #discardAsked: string | undefined;
  /** A kept text that is being saved: its end is told by what became of it. */
  #saving: string | undefined;

  constructor(options: TerminalReviewOptions) {
    this.#options = options;
    this.#asking = new Asking(options);
    this.#all = new AllAtOnce(options, this.#asking);
  }

  /** Follows the queue from now on, until `dispose`. */
  start(): void {
    const { queue } = this.#options;
    this.#store.add(queue.onDidEnd(({ review, end }) => this.#ended(review, end)));
    this.#store.add(queue.onDidReveal((id) => this.review(id)));
    this.#store.add(queue.onDidChange(() => this.#asking.changed()));
    this.#asking.announce();
    this.#asking.next(true);
  }

  /** Stops asking; open questions are left without an answer. */
  dispose(): void {
    this.#store.dispose();
    this.#asking.dispose();
  }

  /** Shows a message; asks where it has actions. */
  async ask(message: HostMessage): Promise<string | undefined> {
    const { screen, paint, folder } = this.#options;
    const text = questionSentence(message, folder);
    // What is offered is a command here: kept texts are in a list, and the other files of a patch are shown next.
    const command = message.actions.includes(saveToFile)
      ? "kept"
      : message.code === "patch-rest"
        ? "accept all, or reject all"
        : undefined;
    if (message.actions.length === 0 || command !== undefined) {
      const sentence = command === undefined ? text : `${text} Type: ${command}`;
      screen.print(message.severity === "info" ? sentence : paint.bad(sentence));
      return undefined;
    }
    screen.ring();
    if (!this.#asking.isFree) screen.print(paint.strong(`${text} You will be asked next.`));
    const question = new Question(message);
    this.#asking.add(question, "last");
    const following = onAbort(message.signal, () => this.#withdraw(question));
    this.#asking.next(false);
    try {
      return await question.answered;
    } finally {
      following.dispose();
    }
  }

  /** Answered elsewhere: nobody needs to answer any more. */
  #withdraw(question: Question): void {
    if (!this.#asking.remove(question)) return;
    question.answer(undefined);
    const { mode } = this.#asking;
    if (mode.kind !== "question" || mode.question !== question) return;
    this.#print("This was answered elsewhere.");
    this.#asking.free();
    this.#asking.next(false);
  }

  /** Puts a waiting proposal in front. */
  review(id: string): void {
    const { kind } = this.#asking.mode;
    if (kind === "busy" || kind === "question") return;
    this.#asking.takeUp(id);
    if (this.#options.queue.find(id) !== undefined) this.#asking.present(id);
  }

  /** A line that the user entered. */
  line(text: string): void {
    const word = text.trim();
    const { mode } = this.#asking;
    if (word !== "q" && word !== "quit") this.#quitAsked = false;
    if (word !== "r" && word !== "reject") this.#discardAsked = undefined;
    switch (mode.kind) {
      case "busy":
        return void this.#hunks?.line(word);
      case "question":
        return this.#answer(mode.question, word);
      case "review":
        return this.#decide(mode.id, word);
      case "idle":
        if (word === "q" || word === "quit") return this.#quit();
        if (this.#all.isMeant(word, false)) return void this.#all.decide(word);
        if (word !== "") this.#options.command(word);
        return this.#settle();
    }
  }

  /** What a line may go on with: a command, and where it is about all, the folders in which something waits. */
  complete(text: string): readonly string[] {
    const { kind } = this.#asking.mode;
    if (kind === "busy" || kind === "question") return [];
    return [...lineCommands, ...this.#all.complete(text)].filter((line) => line.startsWith(text));
  }

  /** The user types no longer: what came meanwhile is asked about now. */
  emptied(): void {
    if (this.#asking.mode.kind === "idle") this.#asking.next(false);
  }

  #decide(id: string, word: string): void {
    const { queue, folder, difftool, kept } = this.#options;
    const asking = this.#asking;
    if (kept.has(id) && (word === "w" || word === "write")) return void this.#save(id);
    if (this.#all.isMeant(word, true)) return void this.#all.decide(word);
    const why = reasonAfter(word, ["r", "reject"]);
    if ((["a", "accept", "r", "reject"].includes(word) || why !== undefined) && asking.isTooSoon()) return;
    if (why !== undefined && !kept.has(id)) return void this.#rejectWithReason(id, why);
    switch (word) {
      case "a":
      case "accept": {
        const review = queue.find(id);
        if (review === undefined || !kept.has(id)) return void queue.accept(id);
        this.#print(keptSentence(review, folder));
        return asking.askAgain();
      }
      case "r":
      case "reject":
        if (kept.has(id) && this.#discardAsked !== id) {
          this.#discardAsked = id;
          this.#print("Press r again to discard your text permanently.");
          return asking.askAgain();
        }
        return void queue.reject(id);
      case "e":
      case "edit":
        return void this.#editOutside(id, "editor");
      case "d":
      case "difftool":
        return void this.#editOutside(id, "difftool");
      case "p":
      case "patch":
        return this.#reviewHunks(id);
      case "v":
      case "view":
        return void this.#viewAll(id);
      case "s":
      case "skip":
        asking.skip(id);
        asking.free();
        return asking.next(true);
      case "q":
      case "quit":
        return this.#quit();
      case "?":
      case "h":
      case "help": {
        const review = queue.find(id);
        if (review !== undefined) this.#print(reviewHelp(review, folder, difftool, kept.has(id)));
        return asking.askAgain();
      }
      default:
        if (word !== "") this.#options.command(word);
        // The command may have gone to another proposal.
        if (asking.mode.kind === "review") asking.askAgain();
    }
  }

  async #rejectWithReason(id: string, reason: string): Promise<void> {
    this.#asking.occupy();
    this.#options.screen.ask("");
    this.#print(await this.#options.rejectWithReason(id, reason));
    this.#asking.free();
    this.#asking.next(true);
  }

  async #save(id: string): Promise<void> {
    const { kept, screen } = this.#options;
    this.#saving = id;
    this.#asking.occupy();
    screen.ask("");
    this.#print(await kept.save(id));
    this.#saving = undefined;
    this.#asking.free();
    this.#asking.present(id);
  }

  #answer(question: Question, word: string): void {
    const asking = this.#asking;
    const { code, values } = question.message;
    const why = code === "agent-command" ? reasonAfter(word, ["2", "r", "reject"]) : undefined;
    if (why !== undefined) {
      if (asking.isTooSoon()) return;
      asking.remove(question);
      asking.free();
      this.#options.rejectCommand(values["id"] ?? "", why);
      return asking.next(true);
    }
    const action = question.actionOf(word);
    if (word !== "" && action === undefined) {
      this.#print("Type the number of an answer, or press Enter to dismiss.");
      return asking.askAgain();
    }
    if (action !== undefined && asking.isTooSoon()) return;
    asking.remove(question);
    if (action !== undefined && action === question.goesOn) asking.occupy();
    else asking.free();
    question.answer(action);
    asking.next(true);
  }

  /** After a command: asks again, or about what has come meanwhile. */
  #settle(): void {
    if (this.#asking.mode.kind === "idle") this.#asking.next(true);
  }

  async #viewAll(id: string): Promise<void> {
    const review = this.#options.queue.find(id);
    if (review === undefined) return;
    this.#asking.occupy();
    this.#options.screen.ask("");
    await showAll(review, this.#options);
    this.#asking.goBackTo(review);
  }

  #reviewHunks(id: string): void {
    const { queue, accept, kept } = this.#options;
    if (kept.has(id)) return this.#asking.askAgain();
    const review = queue.find(id);
    if (review?.request.isReadOnly === true) {
      this.#print(noEditedText(review));
      return this.#asking.askAgain();
    }
    this.#asking.occupy();
    this.#hunks = new HunkReview(id, {
      ...this.#options,
      accept: async (one) => await accept(one).catch(() => false),
      edit: async (one) => {
        const now = queue.find(one);
        if (now !== undefined) await editOutside(now, "editor", this.#options);
      },
      onLeave: () => {
        this.#hunks = undefined;
        this.#asking.free();
        this.#asking.present(id);
      },
    });
    void this.#hunks.start();
  }

  async #editOutside(id: string, tool: "editor" | "difftool"): Promise<void> {
    const review = this.#options.queue.find(id);
    if (review === undefined) return;
    if (review.request.isReadOnly === true) {
      this.#print(noEditedText(review));
      return this.#asking.askAgain();
    }
    if (tool === "difftool" && this.#options.difftool === undefined) {
      this.#print(`No difftool is set. Start with: ${program} serve --difftool 'vimdiff $LOCAL $REMOTE'`);
      return this.#asking.askAgain();
    }
    this.#asking.occupy();
    await editOutside(review, tool, this.#options);
    this.#asking.free();
    this.#asking.present(id);
  }

  #ended(review: Review, end: ReviewEnd): void {
    const { folder, kept } = this.#options;
    const { id } = review.request;
    const { wasKept } = this.#asking.forget(id);
    const hunks = this.#hunks?.id === id ? this.#hunks : undefined;
    // Whoever reads what became of it is asked about the next one after that.
    if (hunks !== undefined) queueMicrotask(() => hunks.leave());
    // What became of it is told by whoever saved it.
    if (id === this.#saving || (wasKept && end.kind === "withdrawn")) return;
    if (end.kind === "rejected" && (wasKept || kept.has(id))) return this.#print("Your text was discarded.");
    this.#print(
      end.kind === "withdrawn" ? whyWithdrawn(review, end.reason, folder) : afterVerdict(review, end.kind, folder),
    );
  }

  #quit(): void {
    const waiting = this.#options.queue.waiting.length;
    if (waiting === 0 || this.#quitAsked) return this.#options.quit();
    this.#quitAsked = true;
    this.#print(beforeQuit(waiting));
    this.#asking.askAgain();
  }

  #print(text: string): void {
    this.#options.screen.print(text);
  }
}
