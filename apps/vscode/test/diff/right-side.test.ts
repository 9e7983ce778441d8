import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HostInWindow } from "../controls.ts";
import { TextDocumentSaveReason } from "../fake-vscode/values.ts";
import { ReviewsInWindow } from "./reviews-in-window.ts";

let reviews: ReviewsInWindow;
let window: HostInWindow;

beforeEach(() => {
  reviews = new ReviewsInWindow();
  ({ window } = reviews);
});

afterEach(() => window.dispose());

describe("the text of the right side", () => {
  it("asks a document for its text only when somebody has changed it", async () => {
    const view = await reviews.open();
    const side = await reviews.document();
    const getText = side.getText.bind(side);
    let asked = 0;
    side.getText = (range) => {
      asked += 1;
      return getText(range);
    };
    expect(await view.currentText()).toBe("ONE  \n");
    expect(asked).toBe(0);
    window.bench.edit(side, "mine\n");
    expect(await view.currentText()).toBe("mine\n");
    expect(asked).toBeGreaterThan(0);
  });

  it("puts a long document together for no key, and in pieces for who wants to know what it holds", async () => {
    const proposedText = "a line of forty characters, more or less\n".repeat(60_000);
    const view = await reviews.open({ proposedText });
    const side = await reviews.document();
    const getText = side.getText.bind(side);
    let whole = 0;
    let pieces = 0;
    side.getText = (range) => {
      if (range === undefined) whole += 1;
      else pieces += 1;
      return getText(range);
    };
    for (let key = 0; key < 50; key += 1) window.bench.edit(side, `${"x".repeat(key)}${proposedText}`);
    expect(reviews.events).toHaveLength(50);
    expect(window.views.review("p1")?.edited).toBe(true);
    expect([whole, pieces]).toEqual([0, 0]);
    expect(await view.currentText()).toBe(`${"x".repeat(49)}${proposedText}`);
    expect(whole).toBe(0);
    expect(pieces).toBeGreaterThan(5);
    window.bench.edit(side, proposedText);
    await expect.poll(() => window.views.review("p1")?.edited).toBe(false);
    expect(whole).toBe(0);
    expect(await view.currentText()).toBe(proposedText);
  });

  it("reads a long document anew that changes while it is read", async () => {
    const proposedText = "a line of forty characters, more or less\n".repeat(60_000);
    const view = await reviews.open({ proposedText });
    const side = await reviews.document();
    window.bench.edit(side, `one ${proposedText}`);
    const text = view.currentText();
    await new Promise((resolve) => setImmediate(resolve));
    window.bench.edit(side, `two ${proposedText}`);
    expect(await text).toBe(`two ${proposedText}`);
  });

  it("a long document that is typed in while its update is worked out keeps what was typed, which is told", async () => {
    const proposedText = "a line of forty characters, more or less\n".repeat(60_000);
    const view = await reviews.open({ proposedText });
    const side = await reviews.document();
    const turns = vi.spyOn(globalThis, "setImmediate");
    const [text, originalText] = [`${proposedText}two\n`, "one\ntwo\n"];
    const updating = view.update({
      originalText,
      unsaved: false,
      expectedText: proposedText,
      text,
      proposedText: text,
      standing: "merged",
    });
    // In the first pause: a poll may come when all is worked out.
    while (turns.mock.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    turns.mockRestore();
    window.bench.edit(side, `one ${proposedText}`);
    expect(await updating).toBe("stale");
    expect(await view.currentText()).toBe(`one ${proposedText}`);
    expect(reviews.events).toEqual(["edited"]);
  });
});

describe("what is typed while VS Code saves the right side", () => {
  it("is what counts, and is told", async () => {
    const view = await reviews.open();
    const side = await reviews.document();
    window.bench.edit(side, "mine\n");
    const saving = window.bench.save(side, TextDocumentSaveReason.AfterDelay);
    window.bench.edit(side, "mine, and more\n");
    await saving;
    expect(reviews.events).toEqual(["edited", "edited"]);
    expect(side.isDirty).toBe(true);
    expect(await view.currentText()).toBe("mine, and more\n");
    window.views.review("p1")?.accept(true);
    expect(reviews.verdicts).toEqual(['accepted "mine, and more\\n"']);
  });
});

describe("what was typed in an earlier run", () => {
  it("shows what was typed as an unsaved change that can be undone", async () => {
    await reviews.open({ draftText: "typed\n" });
    const shown = await reviews.document();
    expect(shown.getText()).toBe("typed\n");
    expect(shown.isDirty).toBe(true);
    await window.bench.revert(shown);
    expect(shown.getText()).toBe("ONE  \n");
  });

  it("keeps what was typed behind a document that was open already: VS Code reads that anew", async () => {
    await reviews.open();
    // As after the end of a host whose window stays: the tab is there before the review is.
    await reviews.open({ draftText: "typed\n" });
    const shown = await reviews.document();
    await window.bench.revert(shown);
    expect(shown.getText()).toBe("typed\n");
  });
});
