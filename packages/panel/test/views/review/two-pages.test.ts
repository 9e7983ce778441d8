import type { DiffView, DiffViewEvents } from "@patchbay/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageReviews } from "../../../src/host/index.ts";
import type { ReviewMessage, ReviewRequest } from "../../../src/messages/index.ts";
import { linesOf, spliceBetween, textOf } from "../../../src/views/review/lines.ts";
import { ReviewState } from "../../../src/views/review/review-state.ts";

const nobody: DiffViewEvents = { edited: () => {}, accepted: () => {}, rejected: () => {}, closed: () => {} };
const start = "one\r\ntwo\r\nthree\r\nfour";

/** Work that others have promised. */
const breath = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

/** A page and both ways to it, on which messages lie until they are delivered. */
class SlowPage {
  readonly toPage: Exclude<ReviewMessage, { type: "reviews" }>[] = [];
  readonly toHost: ReviewRequest[] = [];
  readonly state: ReviewState;
  readonly #desk: ReturnType<PageReviews["connect"]>;

  constructor(reviews: PageReviews) {
    this.#desk = reviews.connect({
      post: (message) => void (message.type === "reviews" || this.toPage.push(message)),
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

const step = fc.oneof(
  fc.record({ kind: fc.constant("type" as const), page: fc.nat(1), line: fc.nat(9), isNewLine: fc.boolean() }),
  fc.record({ kind: fc.constant("undo" as const), page: fc.nat(1) }),
  fc.record({ kind: fc.constant("host" as const), line: fc.nat(9) }),
  fc.record({
    kind: fc.constant("deliver" as const),
    page: fc.nat(1),
    way: fc.constantFrom("host" as const, "page" as const),
  }),
);

describe("a review in two pages, with messages that take their time", () => {
  it("comes to one text everywhere, in which nothing of what one page alone typed is lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const reviews = new PageReviews();
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
        const { view } = opening;
        const pages = [new SlowPage(reviews), new SlowPage(reviews)] as const;
        const drain = async (): Promise<void> => {
          while (pages.some(({ toHost, toPage }) => toHost.length + toPage.length > 0)) {
            for (const page of pages) {
              // oxlint-disable-next-line no-await-in-loop -- one after the other
              await page.deliver("host");
              // oxlint-disable-next-line no-await-in-loop
              await page.deliver("page");
            }
          }
        };
        await drain();
        const typed: string[] = [];
        for (const one of steps) {
          const page = "page" in one ? pages[one.page === 0 ? 0 : 1] : pages[0];
          if (one.kind === "type") {
            typed.push(`<${typed.length}>`);
            page.type(one.line, `${typed.at(-1)}${one.isNewLine ? "\n" : ""}`);
          } else if (one.kind === "undo") page.state.step("undo");
          // oxlint-disable-next-line no-await-in-loop -- in this order
          else if (one.kind === "host") await changeFile(view, one.line);
          // oxlint-disable-next-line no-await-in-loop
          else await page.deliver(one.way);
        }
        await drain();
        const text = await view.currentText();
        expect(pages.map((page) => page.text)).toEqual([text, text]);
        expect(pages.every(({ state }) => state.text.isKept)).toBe(true);
        const isAlone = steps.every((one) => one.kind !== "undo" && (one.kind !== "type" || one.page === 0));
        if (isAlone) expect(typed.filter((word) => !text.includes(word))).toEqual([]);
        expect(text.replaceAll("\r\n", "").includes("\n")).toBe(false);
      }),
      { numRuns: 150, seed: 20_261_123 },
    );
  });
});

/** The file under review has changed, and the proposal is merged onto it. */
async function changeFile(view: DiffView, line: number): Promise<void> {
  const before = await view.currentText();
  const lines = linesOf(before);
  const at = line % lines.length;
  const text = textOf(lines.map((one, index) => (index === at ? `F${one}` : one)));
  if (spliceBetween(lines, linesOf(text)) === undefined) return;
  await view.update({
    originalText: text,
    unsaved: false,
    expectedText: before,
    text,
    proposedText: text,
    standing: "merged",
  });
  await breath();
}
