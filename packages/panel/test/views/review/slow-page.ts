import type { DiffView, DiffViewEvents } from "@patchbay/core";
import type { PageReviews } from "../../../src/host/index.ts";
import type { OneReviewMessage, ReviewRequest } from "../../../src/messages/index.ts";
import { textOf } from "../../../src/views/review/lines.ts";
import { ReviewState } from "../../../src/views/review/review-state.ts";
import type { UnsentText } from "../../../src/views/review/review-text.ts";

const nobody: DiffViewEvents = { edited: () => {}, accepted: () => {}, rejected: () => {}, closed: () => {} };
export const start = "one\r\ntwo\r\nthree\r\nfour";

/** Work that others have promised. */
export const breath = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

/** A page and both ways to it, on which messages lie until they are delivered. */
export class SlowPage {
  readonly toPage: OneReviewMessage[] = [];
  readonly toHost: ReviewRequest[] = [];
  readonly state: ReviewState;
  readonly #desk: ReturnType<PageReviews["connect"]>;

  constructor(reviews: PageReviews, unsent?: UnsentText) {
    this.#desk = reviews.connect({
      post: (message) => {
        if ("id" in message) this.toPage.push(message);
      },
      hasFocus: () => false,
    });
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      setTimeout: () => ({ dispose: () => {} }),
    };
    this.state = new ReviewState(
      "r1",
      (message) => this.toHost.push(message),
      clock,
      () => {},
      unsent,
    );
    this.state.text.ask();
  }

  get text(): string {
    return textOf(this.state.text.right);
  }

  async deliver(way: "host" | "page"): Promise<void> {
    if (way === "host") {
      const message = this.toHost.shift();
      if (message !== undefined) await this.#desk.receive(message);
    } else {
      const message = this.toPage.shift();
      if (message !== undefined) this.state.receive(message);
    }
    await breath();
  }

  /** Puts a word at the end of a line. */
  type(line: number, word: string): void {
    const { right } = this.state.text;
    const at = line % right.length;
    const block = this.state.blocks.find((one) => one.right.start <= at && at < one.right.end);
    if (block === undefined) return;
    const value = right.slice(block.right.start, block.right.end).map((one) => one.replace(/[\r\n]+$/u, ""));
    value[at - block.right.start] += word;
    this.state.typed(block, value.join("\n"), { line: at, column: 0 });
  }
}

/** A review that nobody has touched. */
export async function opened(reviews: PageReviews): Promise<DiffView> {
  const opening = await reviews.open(
    {
      id: "r1",
      agentName: "Agent",
      path: "/w/a.txt",
      originalText: start,
      unsaved: false,
      standing: "unchanged",
      kind: "change",
      proposedText: start,
      agentPresent: true,
    },
    nobody,
  );
  if (opening.kind !== "opened") throw new Error("not opened");
  return opening.view;
}
