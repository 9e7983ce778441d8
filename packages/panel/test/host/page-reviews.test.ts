import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCompanion, createNodePlatform, type EditorHost } from "@patchbay/core";
import {
  createMemoryEditor,
  createMemoryEditorControls,
  type DiffControls,
  type EditorHostControls,
  editorHostContract,
} from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { PageReviews } from "../../src/host/index.ts";
import {
  pageMessageSchema,
  type ReviewInfo,
  type ReviewMessage,
  reviewMessageSchema,
  type UnwrittenInfo,
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
  unwritten: readonly UnwrittenInfo[] = [];
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
    this.hello = () => desk.hello();
    this.say = (message) => later(() => void desk.receive(pageMessageSchema.parse(message) as typeof message));
  }

  readonly hello: () => void;
  readonly say: ConstructorParameters<typeof ReviewState>[1];

  get isQuiet(): boolean {
    return this.#pending === 0;
  }

  #hear(message: ReviewMessage): void {
    if (message.type === "reviews") {
      this.reviews = message.reviews;
      this.unwritten = message.unwritten;
      for (const { id } of message.reviews) {
        if (this.states.has(id)) continue;
        const state = new ReviewState(id, this.say, hastyClock(), () => {});
        this.states.set(id, state);
        state.text.ask();
      }
    } else if ("id" in message) this.states.get(message.id)?.receive(message);
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

describe("what was accepted and is not written", () => {
  /** An agent of the page has exited with the answer, and has written nothing. */
  async function unwritten() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-pages-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "a.txt");
    writeFileSync(file, "one\ntwo\n");
    const editor = createMemoryEditor({ folders: [folder] });
    const reviews = new PageReviews();
    const host: EditorHost = Object.create(editor, { diffs: { value: reviews } });
    const companion = createCompanion({ host, platform: createNodePlatform() });
    onTestFinished(async () => await companion.stop());
    reviews.attach(companion);
    const page = new ReviewingPage(reviews);
    const conversation = { id: "c", agent: "qwen", agentName: "Qwen Code" };
    const { id } = await companion.review({ conversation, path: file, text: "ONE\ntwo\n", isEditable: true });
    await companion.accept(id);
    companion.conversationEnded("c");
    await expect.poll(() => page.unwritten, { timeout: 5_000 }).toEqual([{ id, agentName: "Qwen Code", path: file }]);
    const does = (action: "show" | "save" | "discard"): void => page.say({ type: "review-unwritten", id, action });
    return { page, file, id, reviews, companion, does };
  }

  it("stands in each page, also in one that comes later, until it is written to its file", async () => {
    const { page, file, reviews, does } = await unwritten();
    const later = new ReviewingPage(reviews);
    later.hello();
    await expect.poll(() => later.unwritten).toEqual(page.unwritten);
    does("save");
    await expect.poll(() => [page.unwritten, later.unwritten]).toEqual([[], []]);
    expect(readFileSync(file, "utf8")).toBe("ONE\ntwo\n");
  });

  it("is shown, and with both versions where the same line has changed", async () => {
    const { page, file, id, does } = await unwritten();
    does("show");
    await expect.poll(() => textOf(page.states.get(id)?.text.right ?? [])).toBe("ONE\ntwo\n");
    writeFileSync(file, "first\ntwo\n");
    does("save");
    await expect.poll(() => textOf(page.states.get(id)?.text.right ?? [])).toMatch(/first[^]*ONE/u);
    expect(textOf(page.states.get(id)?.text.left ?? [])).toBe("first\ntwo\n");
    expect(readFileSync(file, "utf8")).toBe("first\ntwo\n");
  });

  it("can be let go of", async () => {
    const { page, file, companion, does } = await unwritten();
    does("discard");
    await expect.poll(() => page.unwritten).toEqual([]);
    expect(companion.keptTexts).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  });
});

it("takes a reason only where it is read", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-pages-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const reviews = new PageReviews();
  const host: EditorHost = Object.create(createMemoryEditor({ folders: [folder] }), { diffs: { value: reviews } });
  const companion = createCompanion({ host, platform: createNodePlatform() });
  onTestFinished(async () => await companion.stop());
  reviews.attach(companion);
  const page = new ReviewingPage(reviews);
  for (const readsReasons of [true, false]) {
    const conversation = { id: `c${readsReasons}`, agent: "qwen", agentName: "Qwen Code", readsReasons };
    await companion.review({ conversation, path: join(folder, "a.txt"), text: "ONE\n", isEditable: true });
  }
  await expect.poll(() => page.reviews.map((one) => one.readsReasons)).toEqual([true, false]);
});
