import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DiffRequest, DiffView } from "@patchbay/core";
import { type HostInWindow, settle, tabOf } from "../controls.ts";
import type { FakeDocument } from "../fake-vscode/document.ts";
import { TabInputText, TextDocumentSaveReason } from "../fake-vscode/values.ts";
import { Uri } from "../fake-vscode/uri.ts";
import { ReviewsInWindow } from "./reviews-in-window.ts";

let reviews: ReviewsInWindow;
let window: HostInWindow;
let events: readonly string[];

beforeEach(() => {
  reviews = new ReviewsInWindow();
  ({ window, events } = reviews);
});

afterEach(() => window.dispose());

const open = async (more?: Partial<DiffRequest>): Promise<DiffView> => await reviews.open(more);
const document = async (id?: string): Promise<FakeDocument> => await reviews.document(id);
const verdicts = (): readonly string[] => reviews.verdicts;
const closeTab = async (): Promise<void> => await reviews.closeTab();

const trim = (text: string): string => text.replace(/ +$/gmu, "");

describe("saving", () => {
  it("by hand accepts, with the text as it was before save participants", async () => {
    await open();
    window.bench.participants = trim;
    await window.bench.save(await document());
    await expect.poll(() => verdicts()).toEqual(['accepted "ONE  \\n"']);
  });

  it("by hand accepts what was typed", async () => {
    await open();
    window.bench.edit(await document(), "mine\n");
    await window.bench.save(await document());
    await expect.poll(() => events).toEqual(["edited", 'accepted "mine\\n"']);
  });

  it("by hand accepts at once where there is nothing unsaved", async () => {
    await open();
    await window.bench.save(await document());
    expect(verdicts()).toEqual(['accepted "ONE  \\n"']);
  });

  it.each([TextDocumentSaveReason.AfterDelay, TextDocumentSaveReason.FocusOut])(
    "by itself (reason %i) neither accepts nor alters",
    async (reason) => {
      const view = await open();
      window.bench.edit(await document(), "mine  \n");
      window.bench.participants = trim;
      await window.bench.save(await document(), reason);
      expect(verdicts()).toEqual([]);
      expect(await view.currentText()).toBe("mine  \n");
      window.views.review("p1")?.accept(true);
      expect(verdicts()).toEqual(['accepted "mine  \\n"']);
    },
  );

  it("all files accepts no proposal that is not in front", async () => {
    await open();
    window.bench.edit(await document(), "mine\n");
    await window.bench.showFile(Uri.file(join(window.folder, "one.txt")));
    await window.bench.save(await document(), TextDocumentSaveReason.Manual);
    expect(events).toEqual(["edited"]);
  });
});

describe("closing the tab", () => {
  it("of an unedited proposal reports it closed and asks nothing", async () => {
    await open();
    await closeTab();
    expect(events).toEqual(["closed"]);
    expect(window.bench.closingQuestions).toBe(0);
  });

  it("by us asks nothing, also where we are not told yet that the document is unsaved", async () => {
    const view = await open();
    const side = await document();
    window.bench.edit(side, "mine\n");
    side.isDirty = false;
    await view.close("superseded");
    expect(window.bench.closingQuestions).toBe(0);
  });

  it("by us asks nothing, also where a save that was under way leaves what was typed into it", async () => {
    const view = await open();
    const side = await document();
    window.bench.edit(side, "mine\n");
    const save = side.save.bind(side);
    side.save = async () => {
      const isSaved = await save();
      side.save = save;
      window.bench.edit(side, "mine, and more\n");
      return isSaved;
    };
    await view.close("superseded");
    expect(window.bench.closingQuestions).toBe(0);
  });

  it("of an edited one asks once, by VS Code's dialog: Don't Save", async () => {
    await open();
    window.bench.edit(await document(), "mine\n");
    await closeTab();
    expect(events.at(-1)).toBe("closed");
    expect(window.bench.closingQuestions + window.bench.shown.length).toBe(1);
  });

  it.each([
    ["Accept", 'accepted "mine\\n"'],
    ["Reject", "rejected"],
  ])("of one edited just now: Save in VS Code's dialog is no verdict, and we ask: %s", async (answer, outcome) => {
    await open();
    window.bench.edit(await document(), "mine\n");
    window.bench.closingAnswer = "save";
    window.bench.answerNext(() => answer);
    await closeTab();
    expect(verdicts()).toEqual([outcome]);
    expect(window.bench.shown.map(({ items }) => items)).toEqual([["Keep Reviewing", "Accept", "Reject"]]);
  });

  it("of one in a group the user is not in: Save in VS Code's dialog is no verdict either", async () => {
    window.bench.configure("patchbay.diff.viewColumn", "beside");
    await open();
    window.bench.edit(await document(), "mine\n");
    window.bench.goToGroup(1);
    window.bench.closingAnswer = "save";
    await closeTab();
    expect(verdicts()).toEqual([]);
    expect(tabOf(window.bench, "p1")).toBeDefined();
  });

  it("of an edited one asks ours alone, once the typing has paused", async () => {
    const view = await open();
    const side = await document();
    window.bench.edit(side, "mine\n");
    await expect.poll(() => side.isDirty).toBe(false);
    expect(verdicts()).toEqual([]);
    await closeTab();
    expect(window.bench.closingQuestions).toBe(0);
    expect(window.bench.shown.map(({ modal, items }) => [modal, ...items])).toEqual([
      [true, "Keep Reviewing", "Accept", "Reject"],
    ]);
    expect(verdicts()).toEqual([]);
    expect(await view.currentText()).toBe("mine\n");
  });

  it("of one whose later edits were taken back still asks about the earlier ones", async () => {
    await open();
    const side = await document();
    window.bench.edit(side, "mine\n");
    await expect.poll(() => side.isDirty).toBe(false);
    window.bench.edit(side, "more of mine\n");
    await window.bench.revert(side);
    await closeTab();
    expect(verdicts()).toEqual([]);
    expect(window.bench.shown.length).toBe(1);
  });

  it.each([
    ["files.trimTrailingWhitespace", true],
    ["editor.formatOnSave", true],
    ["editor.codeActionsOnSave", { "source.fixAll": "explicit" }],
  ])("never saves by itself what a save would alter (%s)", async (setting, value) => {
    window.bench.configure(setting, value);
    await open();
    const side = await document();
    vi.useFakeTimers();
    try {
      window.bench.edit(side, "mine  \n");
      await vi.advanceTimersByTimeAsync(5_000);
    } finally {
      vi.useRealTimers();
    }
    expect(side.isDirty).toBe(true);
  });

  it("of an edited one: Cancel leaves it open", async () => {
    await open();
    window.bench.edit(await document(), "mine\n");
    window.bench.closingAnswer = "cancel";
    await closeTab();
    expect(events).toEqual(["edited"]);
    expect(tabOf(window.bench, "p1")).toBeDefined();
  });

  it.each([
    ["Accept", 'accepted "mine\\n"'],
    ["Reject", "rejected"],
  ])("of one that autosave has saved asks itself: %s", async (answer, outcome) => {
    await open();
    window.bench.edit(await document(), "mine\n");
    await window.bench.save(await document(), TextDocumentSaveReason.AfterDelay);
    window.bench.answerNext(() => answer);
    await closeTab();
    expect(events.at(-1)).toBe(outcome);
    expect(window.bench.closingQuestions).toBe(0);
    expect(window.bench.shown.map(({ modal }) => modal)).toEqual([true]);
  });

  it("of one that autosave has saved: Cancel brings it back with what was typed", async () => {
    const view = await open();
    window.bench.edit(await document(), "mine\n");
    await window.bench.save(await document(), TextDocumentSaveReason.AfterDelay);
    await closeTab();
    expect(events).toEqual(["edited"]);
    expect(tabOf(window.bench, "p1")).toBeDefined();
    expect(await view.currentText()).toBe("mine\n");
  });
});

describe("an update of a file that changed", () => {
  const update = {
    originalText: "one\ntwo\n",
    unsaved: false,
    expectedText: "ONE  \n",
    text: "ONE  \ntwo\n",
    proposedText: "ONE  \ntwo\n",
    standing: "merged",
  } as const;

  it("that an accept overtakes counts as not made: the accepted text does not have it", async () => {
    const view = await open();
    const updating = view.update?.(update);
    window.views.review("p1")?.accept(true);
    expect(verdicts()).toEqual(['accepted "ONE  \\n"']);
    expect(await updating).toBe("stale");
  });

  it("leaves no unsaved change behind, and what the user typed stays the user's", async () => {
    const view = await open();
    expect(await view.update?.(update)).toBe("applied");
    const side = await document();
    expect([side.isDirty, side.getText()]).toEqual([false, update.text]);
    window.bench.edit(side, "mine\ntwo\n");
    expect(events).toEqual(["edited"]);
    expect(await view.update?.(update)).toBe("stale");
    expect(side.getText()).toBe("mine\ntwo\n");
  });

  it("waits while the user is asked about a review that was closed", async () => {
    const view = await open();
    window.bench.edit(await document(), "mine\n");
    let answer: (item: string | undefined) => void = () => {};
    const answered = new Promise<string | undefined>((resolve) => {
      answer = resolve;
    });
    window.bench.answerNext(async () => await answered);
    window.bench.closingAnswer = "save";
    await closeTab();
    expect(await view.update?.({ ...update, expectedText: "mine\n" })).toBe("stale");
    answer("Accept");
    await expect.poll(() => verdicts()).toEqual(['accepted "mine\\n"']);
  });
});

describe("tabs", () => {
  it("that move to another group close nothing", async () => {
    await open();
    const tab = tabOf(window.bench, "p1");
    if (tab === undefined) throw new Error("no tab");
    window.bench.moveTab(tab);
    await settle();
    expect(events).toEqual([]);
    await closeTab();
    expect(events).toEqual(["closed"]);
  });

  it("name the file, what happens to it, and the agent", async () => {
    await open();
    await open({ id: "p2", kind: "delete", proposedText: "" });
    await open({ id: "p3", path: join(window.folder, "new.txt"), kind: "create", agentName: "Claude Code" });
    await open({ id: "p4" });
    expect(window.bench.tabs.map(({ label }) => label)).toEqual([
      "one.txt ↔ Gemini CLI",
      "one.txt (emptied) ↔ Gemini CLI (2)",
      "new.txt (new file) ↔ Claude Code",
      "one.txt ↔ Gemini CLI (3)",
    ]);
  });

  it("of one file are told apart by their paths: language servers know nothing else", async () => {
    await open();
    await open({ id: "other" });
    const paths = [(await document()).uri.path, (await document("other")).uri.path];
    expect(new Set(paths).size).toBe(2);
    for (const path of paths) expect(path).toMatch(/\/one\.txt$/u);
  });

  it("never cover a terminal that lives among the editors", async () => {
    window.bench.showTerminalTab();
    await open();
    const tab = tabOf(window.bench, "p1");
    expect(tab?.group).not.toBe(window.bench.groups[0]);
  });

  it("never cover a proposal that is being edited, and come to the front when that is decided", async () => {
    await open();
    window.bench.edit(await document(), "mine\n");
    await open({ id: "p2" });
    expect(tabOf(window.bench, "p2")?.isActive).toBe(false);
    const first = window.views.review("p1");
    first?.accept(true);
    await first?.close("accepted");
    await settle();
    expect(tabOf(window.bench, "p2")?.isActive).toBe(true);
  });

  const decide = async (meanwhile: () => void): Promise<string> => {
    await open();
    const review = window.views.review("p1");
    review?.reject(true);
    window.bench.focus = "the user's";
    meanwhile();
    await review?.close("rejected");
    return window.bench.focus;
  };

  it("that close after a verdict give the focus to what comes next", async () => {
    expect(await decide(() => undefined)).toBe("editor");
  });

  it("take no focus out of a terminal into which the user has gone since the verdict", async () => {
    expect(await decide(() => void window.bench.createTerminal("Gemini CLI"))).toBe("the user's");
  });

  it("take no focus long after the verdict", async () => {
    const comesBackLate = (): void => void vi.spyOn(Date, "now").mockReturnValue(Date.now() + 2_000);
    expect(await decide(comesBackLate)).toBe("the user's");
    vi.restoreAllMocks();
  });

  it("open behind when the user wants it so", async () => {
    window.bench.configure("patchbay.diff.open", "background");
    await open();
    expect(tabOf(window.bench, "p1")?.isActive).toBe(false);
  });
});

describe("a proposal of an earlier run", () => {
  it("closes the tab in which VS Code restores its right side, and asks nothing", async () => {
    const view = await open({ draftText: "typed\n" });
    const shown = await document();
    await window.bench.showFile(shown.uri);
    await settle();
    expect(window.bench.tabs.some(({ input }) => input instanceof TabInputText)).toBe(false);
    expect(window.bench.closingQuestions).toBe(0);
    expect(await view.currentText()).toBe("typed\n");
    expect(events).toEqual([]);
  });
});

describe("encodings", () => {
  it("never touch a proposal: it is marked as UTF-8 where files are read otherwise", async () => {
    window.bench.configure("files.encoding", "utf16le");
    writeFileSync(join(window.folder, "one.txt"), "one\n");
    const view = await open({ kind: "create", path: join(window.folder, "two.txt"), proposedText: "ä\n" });
    const uri = (await document()).uri;
    const bytes = await window.bench.readBytes(uri);
    expect(Array.from(bytes.slice(0, 3))).toEqual([0xef, 0xbb, 0xbf]);
    expect(await view.currentText()).toBe("ä\n");
  });
});

describe("the title of a tab", () => {
  it("says that a conflict waits and that the agent is gone, without a verdict and with one tab", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const view = await open();
    const titles = (): readonly string[] => window.bench.tabs.map(({ label }) => label);
    view.setStanding("conflict");
    await vi.advanceTimersByTimeAsync(2_500);
    await settle();
    await settle();
    expect(titles()).toEqual(["one.txt (conflict) ↔ Gemini CLI"]);
    view.setAgentPresent(false);
    await vi.advanceTimersByTimeAsync(6_500);
    await settle();
    await settle();
    expect(titles()).toEqual(["one.txt ↔ Gemini CLI (gone)"]);
    view.setAgentPresent(true);
    view.setStanding("unchanged");
    await vi.advanceTimersByTimeAsync(2_500);
    await settle();
    await settle();
    expect(titles()).toEqual(["one.txt ↔ Gemini CLI"]);
    expect(verdicts()).toEqual([]);
    vi.useRealTimers();
  });

  it("stays while an agent is away for a moment", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const view = await open();
    view.setAgentPresent(false);
    await vi.advanceTimersByTimeAsync(5_500);
    view.setAgentPresent(true);
    await vi.advanceTimersByTimeAsync(2_500);
    await settle();
    expect(window.bench.tabs.map(({ label }) => label)).toEqual(["one.txt ↔ Gemini CLI"]);
    expect(window.bench.executed.filter((id) => id === "vscode.diff")).toHaveLength(1);
    vi.useRealTimers();
  });

  it("says of a proposal of an earlier run that its agent is gone once that has not come back for a while", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await open({ agentPresent: false });
    const titles = (): readonly string[] => window.bench.tabs.map(({ label }) => label);
    expect(titles()).toEqual(["one.txt ↔ Gemini CLI"]);
    await vi.advanceTimersByTimeAsync(6_500);
    await settle();
    await settle();
    expect(titles()).toEqual(["one.txt ↔ Gemini CLI (gone)"]);
    vi.useRealTimers();
  });
});
