import { existsSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EditorHost } from "@patchbay/core";
import {
  createMemoryEditor,
  createMemoryEditorControls,
  type DiffControls,
  type EditorHostControls,
  editorHostContract,
} from "@patchbay/testkit";
import { describe, it } from "vitest";
import { PageReviews } from "../../src/host/index.ts";
import {
  pageMessageSchema,
  type ReviewInfo,
  type ReviewMessage,
  reviewMessageSchema,
} from "../../src/messages/index.ts";
import { linesOf, textOf } from "../../src/views/review/lines.ts";
import { ReviewState } from "../../src/views/review/review-state.ts";

/** A clock on which every look is a second later: nothing is too early to be decided. */
function hastyClock(): ConstructorParameters<typeof ReviewState>[2] {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => (now += 1_000),
    setTimeout: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      timer.unref();
      return { dispose: () => clearTimeout(timer) };
    },
  };
}

/** A page on the other end, which shows each review by the page's own state. */
class ReviewingPage {
  readonly states: Map<string, ReviewState> = new Map();
  reviews: readonly ReviewInfo[] = [];
  #pending = 0;

  constructor(reviews: PageReviews) {
    const later = (act: () => void): void => {
      this.#pending += 1;
      setImmediate(() => {
        this.#pending -= 1;
        act();
      });
    };
    const desk = reviews.connect({
      post: (message) => later(() => this.#hear(reviewMessageSchema.parse(structuredClone(message)))),
      hasFocus: () => true,
    });
    this.say = (message) => later(() => void desk.receive(pageMessageSchema.parse(message) as typeof message));
  }

  readonly say: ConstructorParameters<typeof ReviewState>[1];

  get isQuiet(): boolean {
    return this.#pending === 0;
  }

  #hear(message: ReviewMessage): void {
    if (message.type === "reviews") {
      this.reviews = message.reviews;
      for (const { id } of message.reviews) {
        if (this.states.has(id)) continue;
        const state = new ReviewState(id, this.say, hastyClock(), () => {});
        this.states.set(id, state);
        state.text.ask();
      }
    } else this.states.get(message.id)?.receive(message);
    for (const state of this.states.values()) state.informed();
  }
}

async function create(): Promise<EditorHostControls> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-pages-")));
  const editor = createMemoryEditor({
    folders: [folder],
    readDisk: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  });
  const reviews = new PageReviews();
  const page = new ReviewingPage(reviews);
  const host: EditorHost = Object.create(editor, { diffs: { value: reviews } });
  const { failNextOpen: _pagesDoNotFail, ...controls } = createMemoryEditorControls(editor, folder);
  return {
    ...controls,
    host,
    diff: (id) => handsOf(page, id),
    settle: async () => {
      for (let quiet = 0; quiet < 5; quiet = page.isQuiet ? quiet + 1 : 0) {
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    },
  };
}

function handsOf(page: ReviewingPage, id: string): DiffControls {
  const state = (): ReviewState | undefined => page.states.get(id);
  const info = (): ReviewInfo | undefined => page.reviews.find((one) => one.id === id);
  const decide = (verdict: "accept" | "reject") => async (): Promise<void> => {
    state()?.act({ type: "review-decide", verdict });
  };
  return {
    isShown: async () => info() !== undefined,
    leftText: async () => textOf(state()?.text.left ?? []),
    rightText: async () => textOf(state()?.text.right ?? []),
    type: async (text) => {
      const shown = state();
      // The page has no text field then.
      if (shown === undefined || info()?.isReadOnly !== false) return;
      shown.text.type({ start: 0, removed: shown.text.right, inserted: linesOf(text) });
    },
    undo: async () => state()?.step("undo"),
    accept: decide("accept"),
    reject: decide("reject"),
    // There is no view to close: leaving a review decides nothing.
    close: decide("reject"),
  };
}

editorHostContract({ runner: { describe, it }, create });
