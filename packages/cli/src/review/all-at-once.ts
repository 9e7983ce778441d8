import { relative, resolve, sep } from "node:path";
import type { Review, ReviewQueue } from "../host/review-queue.ts";
import { isBelow, nameOf } from "../host/open-files.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { type Asking, type AskingOptions, Question } from "./asking.ts";
import { verbs } from "./review-words.ts";

export interface AllOptions {
  readonly queue: ReviewQueue;
  readonly screen: Pick<AskingOptions["screen"], "ask" | "print">;
  readonly folder: string;
  /** Accepts a proposal and says whether that was possible, once it is settled. */
  readonly accept: (id: string) => Promise<boolean>;
  /** Reviews whose agents will not come back: there is nothing to accept or to reject. */
  readonly kept: { has(id: string): boolean };
}

/** "accept all", "reject all src/lib"; the folder is empty where none is named. */
function allMeant(line: string): { readonly verdict: "accept" | "reject"; readonly folder: string } | undefined {
  const [, verdict, folder = ""] = /^(accept|reject) all(?:\s+(.*))?$/u.exec(line) ?? [];
  return verdict === "accept" || verdict === "reject" ? { verdict, folder } : undefined;
}

/** Verdicts on everything that waits, or on all in a folder. */
export class AllAtOnce {
  readonly #options: AllOptions;
  readonly #asking: Asking;

  constructor(options: AllOptions, asking: Asking) {
    this.#options = options;
    this.#asking = asking;
  }

  /** The folders that may follow. */
  complete(text: string): readonly string[] {
    const { folder } = this.#options;
    return ["accept all ", "reject all "].flatMap((about) =>
      text.startsWith(about) ? foldersOf(this.#waitingIn(""), folder).map((name) => `${about}${name}`) : [],
    );
  }

  /** "reject all of this" is a reason, where no folder of that name has anything that waits. */
  isMeant(word: string, mayBeReason: boolean): boolean {
    const meant = allMeant(word);
    if (meant === undefined || !mayBeReason) return meant !== undefined;
    return meant.verdict === "accept" || meant.folder === "" || this.#waitingIn(meant.folder).length > 0;
  }

  #waitingIn(name: string): readonly Review[] {
    const { queue, folder, kept } = this.#options;
    const waiting = queue.waiting.filter(({ request }) => !kept.has(request.id));
    return name === "" ? waiting : waiting.filter(({ request }) => isBelow(request.path, resolve(folder, name)));
  }

  /** Asks with the list, then decides one after the other: each is accepted on the file as the one before has left it. */
  async decide(word: string): Promise<void> {
    const { queue, screen, folder, accept } = this.#options;
    const { verdict, folder: name } = allMeant(word) ?? { verdict: "accept", folder: "" };
    const all = this.#waitingIn(name);
    if (all.length === 0) {
      screen.print(name === "" ? "No proposals are waiting." : `No proposals are waiting in ${escapeLine(name)}.`);
      return this.#asking.mode.kind === "review" ? this.#asking.askAgain() : this.#asking.next(true);
    }
    for (const { request } of all) {
      screen.print(`  ${escapeLine(request.agentName)} ${verbs[request.kind]} ${nameOf(request, folder)}`);
    }
    const verb = verdict === "accept" ? "Accept" : "Reject";
    const text = all.length === 1 ? `${verb} this proposal?` : `${verb} these ${all.length} proposals?`;
    const actions = [`${verb} All`, "Cancel"];
    const question = new Question({ code: "accept-all", severity: "info", text, values: {}, actions }, actions[0]);
    this.#asking.free();
    this.#asking.add(question, "first");
    this.#asking.next(true);
    if ((await question.answered) !== question.goesOn) return;
    screen.ask("");
    let decided = 0;
    for (const { request } of all) {
      const isDone = verdict === "accept" ? await accept(request.id).catch(() => false) : queue.reject(request.id);
      if (isDone) decided += 1;
    }
    const how = verdict === "accept" ? "accepted" : "rejected";
    screen.print(decided === all.length ? `All ${decided} were ${how}.` : `${decided} of ${all.length} were ${how}.`);
    this.#asking.free();
    this.#asking.next(false);
  }
}

/** The folders of these, and those above them, below the one that is served. */
function foldersOf(reviews: readonly Review[], folder: string): readonly string[] {
  const found = new Set<string>();
  for (const { request } of reviews) {
    const steps = isBelow(request.path, folder) ? relative(folder, request.path).split(sep).slice(0, -1) : [];
    for (const [at] of steps.entries()) found.add(`${steps.slice(0, at + 1).join("/")}/`);
  }
  return Array.from(found).toSorted();
}
