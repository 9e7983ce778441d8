import type { Hunk, HunkDecision } from "@patchbay/core";
import { nameOf } from "../host/open-files.ts";
import type { ReviewQueue } from "../host/review-queue.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { colourLine } from "./unified-diff.ts";

/** Verdicts on single hunks: what the companion does. */
export interface HunkActions {
  list(id: string): Promise<readonly Hunk[] | undefined>;
  decide(id: string, verdict: "accept" | "reject", line: number): Promise<HunkDecision>;
  undo(id: string): Promise<boolean>;
}

export interface HunkReviewOptions {
  readonly queue: ReviewQueue;
  readonly screen: Pick<Screen, "print" | "printLines" | "ask" | "columns">;
  readonly paint: Paint;
  readonly folder: string;
  readonly hunks: HunkActions;
  /** Accepts the whole proposal as it is now. */
  readonly accept: (id: string) => Promise<boolean>;
  /** Opens the proposal in the user's editor, and resolves when that has ended. */
  readonly edit: (id: string) => Promise<void>;
  /** It is over, or the user has left: the proposal may still be waiting. */
  readonly onLeave: (id: string) => void;
}

/** Lines around a hunk. */
const context = 3;

const keys = "ynqadeu?";

const help = `y  accept this hunk
n  reject this hunk: the proposal loses it
q  leave: this hunk and the others stay undecided
a  accept this hunk and all later ones
d  reject this hunk and all later ones
e  edit the proposal in $VISUAL or $EDITOR
u  take back the last verdict on a hunk
?  this help
With the last hunk the proposal is decided: it is rejected if every hunk was, and accepted otherwise.`;

/** Reviews one proposal hunk by hunk, as `git add -p` does. */
export class HunkReview {
  readonly id: string;
  readonly #options: HunkReviewOptions;
  #isBusy = false;
  #hasLeft = false;
  /** Verdicts given here. */
  #decided = 0;
  /** The hunk that is shown, and the revision of its review. */
  #shown: { readonly line: number; readonly revision: number } | undefined;

  constructor(id: string, options: HunkReviewOptions) {
    this.id = id;
    this.#options = options;
  }

  /** Shows the first hunk. */
  async start(): Promise<void> {
    await this.#show(0);
  }

  /** The proposal has ended, or something else takes the terminal. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#options.onLeave(this.id);
  }

  /** A line that the user entered. */
  async line(word: string): Promise<void> {
    if (this.#isBusy || this.#hasLeft) return;
    this.#isBusy = true;
    try {
      await this.#answer(word);
    } finally {
      this.#isBusy = false;
    }
  }

  async #answer(word: string): Promise<void> {
    const { screen, accept, edit, hunks } = this.#options;
    const line = this.#shown?.line ?? 0;
    switch (word) {
      case "y":
      case "n":
        if (await this.#hasChanged()) return;
        return await this.#decide(word === "y" ? "accept" : "reject", line);
      case "a":
        if (await this.#hasChanged()) return;
        screen.ask("");
        if (!(await accept(this.id)) && !this.#hasLeft) await this.#show(0);
        return;
      case "d":
        if (await this.#hasChanged()) return;
        return await this.#rejectRest(line);
      case "e":
        await edit(this.id);
        return await this.#show(line);
      case "u":
        if (await hunks.undo(this.id)) this.#decided = Math.max(0, this.#decided - 1);
        else screen.print("There is no verdict on a hunk to undo.");
        return await this.#show(0);
      case "q":
      case "quit":
        return this.leave();
      default:
        screen.print(help);
        return await this.#show(line);
    }
  }

  /** The file or the proposal has changed since the hunk was shown: the answer was meant for something else. */
  async #hasChanged(): Promise<boolean> {
    const { queue, screen, folder } = this.#options;
    const review = queue.find(this.id);
    if (review === undefined || review.revision === this.#shown?.revision) return false;
    screen.print(`${nameOf(review.request, folder)} has changed, so your answer was not used.`);
    await this.#show(this.#shown?.line ?? 0);
    return true;
  }

  async #decide(verdict: "accept" | "reject", line: number): Promise<void> {
    const { screen, hunks } = this.#options;
    screen.ask("");
    const decision = await hunks.decide(this.id, verdict, line);
    if (decision.kind === "decided") {
      this.#decided += 1;
      await this.#show(decision.next?.start ?? 0);
    } else this.#stop(decision);
  }

  async #rejectRest(line: number): Promise<void> {
    const { screen, hunks } = this.#options;
    screen.ask("");
    let at = line;
    for (;;) {
      const before = (await hunks.list(this.id))?.length ?? 0;
      const decision = await hunks.decide(this.id, "reject", at);
      if (decision.kind !== "decided") return this.#stop(decision);
      this.#decided += 1;
      at = decision.next?.start ?? 0;
      // Not going on beats not coming to an end.
      if (decision.left >= before) return await this.#show(at);
    }
  }

  #stop({ kind }: HunkDecision): void {
    const { screen, queue } = this.#options;
    const agent = escapeLine(queue.find(this.id)?.request.agentName ?? "The agent");
    if (kind === "conflict")
      screen.print("The file has changed in the same lines. Resolve the conflict first: press e.");
    else if (kind === "read-only") screen.print(`${agent} does not take an edited text: accept or reject it as it is.`);
    else if (kind === "none") screen.print("No hunk is left to decide.");
    this.leave();
  }

  async #show(line: number): Promise<void> {
    const { queue, screen, paint, folder, hunks } = this.#options;
    screen.ask("");
    const open = (await hunks.list(this.id).catch(() => undefined)) ?? [];
    const review = queue.find(this.id);
    if (this.#hasLeft) return;
    const hunk = open.find(({ right }) => right.end > line || right.start >= line) ?? open.at(-1);
    if (review === undefined || hunk === undefined)
      return this.#stop({ kind: review === undefined ? "ended" : "none" });
    screen.printLines(drawHunk(review.original, review.text, hunk, paint).join("\n"));
    this.#shown = { line: hunk.right.start, revision: review.revision };
    const place = `${this.#decided + open.indexOf(hunk) + 1} of ${this.#decided + open.length}`;
    const name = nameOf(review.request, folder);
    const asks = `(${place}) Accept this hunk of ${name} [y,n,q,a,d,e,u,?]? `;
    screen.ask((screen.columns ?? 200) > asks.length + 2 ? asks : `(${place}) Accept? [y,n,q,a,d,e,u,?] `, keys);
  }
}

/** A hunk with the lines around it, safe to print. */
function drawHunk(left: string, right: string, { left: before, right: after }: Hunk, paint: Paint): readonly string[] {
  const old = left.split(/\r\n|\r|\n/u);
  const now = right.split(/\r\n|\r|\n/u);
  const top = Math.min(context, after.start);
  const bottom = Math.min(context, now.length - after.end);
  const lines = [
    ...now.slice(after.start - top, after.start).map((line) => ` ${line}`),
    ...old.slice(before.start, before.end).map((line) => `-${line}`),
    ...now.slice(after.start, after.end).map((line) => `+${line}`),
    ...now.slice(after.end, after.end + bottom).map((line) => ` ${line}`),
  ];
  const place = `@@ -${before.start - top + 1},${before.end - before.start + top + bottom} +${after.start - top + 1},${after.end - after.start + top + bottom} @@`;
  return [paint.place(place), ...lines.map((line) => colourLine(line, paint))];
}
