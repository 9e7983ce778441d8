import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClaudeDriver, createGeminiDriver, createQwenDriver } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FakeWorkbench } from "../fake-vscode/workbench.ts";
import { Uri } from "../fake-vscode/uri.ts";
import { modifiedOf, RunningExtension } from "../running-extension.ts";

let window: RunningExtension;
let bench: FakeWorkbench;
let folder: string;

beforeEach(async () => {
  window = new RunningExtension();
  ({ bench, folder } = window);
  mkdirSync(join(folder, "src", "deep"), { recursive: true });
});

afterEach(async () => await window.end());

const focused = { focused: true };

const path = (name: string): string => join(folder, ...name.split("/"));

/** Puts the keyboard on the row that begins with a text. */
async function goTo(label: string): Promise<void> {
  const found = (await window.reviewRows()).find(({ text }) => text.startsWith(label));
  const view = bench.treeViews.get("patchbay.proposals");
  if (view === undefined || found === undefined) throw new Error(`no row ${label}`);
  view.focus = found.row;
}

/** The row that the keyboard is on. */
async function focus(): Promise<string | undefined> {
  const row = bench.treeViews.get("patchbay.proposals")?.focus;
  const item = row === undefined ? undefined : await bench.trees.get("patchbay.proposals")?.getTreeItem(row);
  return item === undefined ? undefined : String(item.label);
}

const texts = async (): Promise<readonly string[]> => (await window.reviewRows()).map(({ text }) => text);

/** Three agents, two sessions of one of them, that ask for a file each; nothing opens by itself. */
async function withFour() {
  bench.configuration.set("patchbay.openReviews", "onDemand");
  await window.activate();
  const outcomes = new Map<string, Promise<{ readonly kind: string }>>();
  const ask = async (create: typeof createGeminiDriver | typeof createClaudeDriver, name: string): Promise<void> => {
    writeFileSync(path(name), "one\n");
    const agent = await window.connect(create);
    outcomes.set(name, agent.propose({ path: path(name), text: "one\ntwo\n" }).outcome);
    await expect.poll(async () => (await texts()).join("\n")).toContain(name.split("/").at(-1));
  };
  await ask(createGeminiDriver, "a.txt");
  await ask(createQwenDriver, "src/b.txt");
  await ask(createClaudeDriver, "src/deep/c.txt");
  await ask(createGeminiDriver, "src/deep/d.txt");
  await expect.poll(async () => (await texts()).join("\n").split("+1 −0")).toHaveLength(5);
  const outcomeOf = async (name: string): Promise<string | undefined> => (await outcomes.get(name))?.kind;
  return { outcomeOf };
}

describe('the list "Review"', () => {
  it("has agents, their sessions and what these ask, with state, folder, lines and age", async () => {
    await withFour();
    const shown = (await texts()).map((text) => text.replace(/since .*$/u, "since …"));
    expect(shown).toEqual([
      "Gemini CLI 2",
      expect.stringMatching(/^Session since …/u),
      "a.txt waits for you · +1 −0 · now",
      expect.stringMatching(/^Session since …/u),
      `d.txt waits for you · ${join("src", "deep")} · +1 −0 · now`,
      "Qwen Code 1",
      expect.stringMatching(/^Session since …/u),
      "b.txt waits for you · src · +1 −0 · now",
      "Claude Code 1",
      expect.stringMatching(/^Session since …/u),
      `c.txt waits for you · ${join("src", "deep")} · +1 −0 · now`,
    ]);
    expect(bench.tabs).toEqual([]);
    await expect.poll(() => bench.treeViews.get("patchbay.proposals")?.badge).toMatchObject({ value: 4 });
  });

  it("is decided by keys alone, one after the other, without any review having been opened", async () => {
    const { outcomeOf } = await withFour();
    await goTo("a.txt");
    await window.run("patchbay.acceptInView", focused);
    expect(await outcomeOf("a.txt")).toBe("accepted");
    expect(readFileSync(path("a.txt"), "utf8")).toBe("one\ntwo\n");
    // The keyboard is on the next one.
    await expect.poll(focus).toBe("d.txt");
    await window.run("patchbay.rejectInView", focused);
    expect(await outcomeOf("src/deep/d.txt")).toBe("rejected");
    // That was the last one by then: what had waited longer stood above it.
    await expect.poll(focus).toBe("c.txt");
    await goTo("b.txt");
    await window.run("patchbay.hold", focused);
    await expect.poll(async () => (await texts()).join("\n")).toContain("b.txt held by you");
    expect(await focus()).toBe("b.txt");
    await goTo("c.txt");
    await window.run("patchbay.acceptInView", focused);
    expect(await outcomeOf("src/deep/c.txt")).toBe("accepted");
    expect(bench.tabs).toEqual([]);
    expect(bench.shown).toEqual([]);
  });

  it("is shown by a command, with the keyboard on what waits most urgently", async () => {
    await withFour();
    await window.run("patchbay.showReviews");
    expect(bench.executed).toContain("patchbay.proposals.focus");
    await expect.poll(focus).toBe("a.txt");
  });

  it("does nothing by a key while the keyboard is on no row", async () => {
    await withFour();
    for (const command of ["patchbay.acceptInView", "patchbay.rejectInView", "patchbay.hold"]) {
      await window.run(command, focused);
      expect(bench.shown.at(-1)?.text).toBe("Select an item in the list first.");
    }
    expect(await window.reviews()).toHaveLength(4);
  });

  it("is decided by a key that is pressed while the list is still being shown, or drawn anew", async () => {
    const { outcomeOf } = await withFour();
    const view = bench.treeViews.get("patchbay.proposals");
    if (view === undefined) throw new Error("there is no list");
    await goTo("b.txt");
    let draw = (): void => {};
    view.gate = new Promise((resolve) => {
      draw = resolve;
    });
    const shown = window.run("patchbay.showReviews");
    await expect.poll(() => view.isRevealing).toBe(true);
    const accepted = window.run("patchbay.acceptInView", focused);
    draw();
    await Promise.all([shown, accepted]);
    expect(await outcomeOf("a.txt")).toBe("accepted");
    await goTo("b.txt");
    view.redrawn = 3;
    await window.run("patchbay.rejectInView", focused);
    expect(await outcomeOf("src/b.txt")).toBe("rejected");
    expect(bench.shown).toEqual([]);
  });

  it("means the row under the keyboard, whichever is selected", async () => {
    const { outcomeOf } = await withFour();
    const view = bench.treeViews.get("patchbay.proposals");
    await goTo("a.txt");
    view?.toggleSelection();
    await goTo("b.txt");
    await window.run("patchbay.rejectInView", focused);
    expect(await outcomeOf("src/b.txt")).toBe("rejected");
    expect(await window.reviews()).toHaveLength(3);
    // Also where it is the selected one.
    await goTo("a.txt");
    await window.run("patchbay.acceptInView", focused);
    expect(await outcomeOf("a.txt")).toBe("accepted");
  });

  it("accepts and rejects all of an agent, of a session and of a folder, after asking", async () => {
    const { outcomeOf } = await withFour();
    const rows = await window.reviewRows();
    const rowOf = (label: string): unknown => rows.find(({ text }) => text.startsWith(label))?.row;
    bench.answerNext(() => undefined);
    await window.run("patchbay.acceptAllProposals", rowOf("Gemini CLI"));
    expect(bench.shown.at(-1)).toMatchObject({ text: "Accept all 2 open proposals?", modal: true });
    expect(await window.reviews()).toHaveLength(4);
    bench.answerNext(({ items }) => items[0]);
    await window.run("patchbay.acceptFolder", rowOf("d.txt"));
    expect(await outcomeOf("src/deep/d.txt")).toBe("accepted");
    expect(await outcomeOf("src/deep/c.txt")).toBe("accepted");
    // One alone is not asked about.
    await window.run("patchbay.rejectFolder", Uri.file(path("src")));
    expect(await outcomeOf("src/b.txt")).toBe("rejected");
    await goTo("Session");
    await window.run("patchbay.acceptInView", focused);
    expect(await outcomeOf("a.txt")).toBe("accepted");
    expect(bench.shown).toHaveLength(2);
  });

  it("is grouped by folder on demand, with a row for each that decides all below it", async () => {
    const { outcomeOf } = await withFour();
    await window.run("patchbay.groupByFolder");
    expect(bench.contexts.get("patchbay.isByFolder")).toBe(true);
    expect(await texts()).toEqual([
      "src 3",
      "deep 2",
      "c.txt waits for you · Claude Code · +1 −0 · now",
      "d.txt waits for you · Gemini CLI · +1 −0 · now",
      "b.txt waits for you · Qwen Code · +1 −0 · now",
      "a.txt waits for you · Gemini CLI · +1 −0 · now",
    ]);
    // The rows above a row, by which VS Code finds it.
    await window.run("patchbay.showReviews");
    expect(await focus()).toBe("a.txt");
    const tree = bench.trees.get("patchbay.proposals");
    const deepest = (await window.reviewRows()).find(({ text }) => text.startsWith("c.txt"))?.row;
    const deep = await tree?.getParent?.(deepest);
    expect((await tree?.getTreeItem(deep))?.label).toBe("deep");
    expect((await tree?.getTreeItem(await tree.getParent?.(deep)))?.label).toBe("src");
    bench.answerNext(({ items }) => items[0]);
    await goTo("deep");
    await window.run("patchbay.rejectInView", focused);
    expect(bench.shown.at(-1)).toMatchObject({ text: "Reject all 2 open proposals?", modal: true });
    expect(bench.shown.at(-1)?.detail).toContain("c.txt ↔ Claude Code");
    expect(await outcomeOf("src/deep/c.txt")).toBe("rejected");
    expect(await outcomeOf("src/deep/d.txt")).toBe("rejected");
    await window.run(
      "patchbay.acceptAllProposals",
      (await window.reviewRows()).find(({ text }) => text === "src 1")?.row,
    );
    expect(await outcomeOf("src/b.txt")).toBe("accepted");
    await window.run("patchbay.groupBySession");
    expect((await texts())[0]).toBe("Gemini CLI 1");
  });

  it("is grouped as it was left in the workspace", async () => {
    window.state.set("patchbay.isByFolder", true);
    await withFour();
    expect((await texts())[0]).toBe("src 3");
    expect(bench.contexts.get("patchbay.isByFolder")).toBe(true);
    await window.run("patchbay.groupBySession");
    expect(window.state.get("patchbay.isByFolder")).toBe(false);
    expect(bench.contexts.get("patchbay.isByFolder")).toBe(false);
  });

  it("leaves held ones alone when all are accepted", async () => {
    const { outcomeOf } = await withFour();
    await goTo("Gemini CLI");
    await window.run("patchbay.hold", focused);
    // What is selected stays as it was.
    expect(bench.treeViews.get("patchbay.proposals")?.selection).toEqual([]);
    await expect.poll(async () => (await texts())[0]).toBe("Qwen Code 1");
    expect((await texts()).join("\n")).toContain("Gemini CLI 2 held");
    bench.answerNext(({ items }) => items[0]);
    await window.run("patchbay.acceptAllProposals");
    expect(await outcomeOf("src/b.txt")).toBe("accepted");
    expect((await window.reviews()).map(({ kind }) => kind)).toEqual(["held", "held"]);
  });
});

describe("a held review", () => {
  it("closes its tab, and opens again with what was typed", async () => {
    await window.activate();
    writeFileSync(path("a.txt"), "one\n");
    const gemini = await window.connect(createGeminiDriver);
    const { outcome } = gemini.propose({ path: path("a.txt"), text: "one\ntwo\n" });
    const tab = await window.diffTab("Gemini CLI");
    bench.edit(await bench.openDocument(modifiedOf(tab)), "one\nmine\n");
    await window.run("patchbay.hold", modifiedOf(tab));
    await expect.poll(() => bench.tabs).toEqual([]);
    expect((await window.reviews())[0]?.text).toMatch(/^a\.txt held by you · edited by you/u);
    const [entry] = await window.reviews();
    await window.run("patchbay.revealProposal", entry?.row);
    const again = await window.diffTab("Gemini CLI");
    const document = await bench.openDocument(modifiedOf(again));
    await expect.poll(() => document.getText()).toBe("one\nmine\n");
    expect((await window.reviews())[0]?.text).toMatch(/^a\.txt edited by you/u);
    await window.run("patchbay.acceptInTitle", modifiedOf(again));
    expect(await outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(path("a.txt"), "utf8")).toBe("one\nmine\n");
    expect(bench.shown).toEqual([]);
  });
});

describe("in a review", () => {
  it('the status bar says "2 of 3", and next and previous go through the list', async () => {
    await window.activate();
    for (const [create, name] of [
      [createGeminiDriver, "a.txt"],
      [createQwenDriver, "b.txt"],
      [createClaudeDriver, "c.txt"],
    ] as const) {
      writeFileSync(path(name), "one\n");
      (await window.connect(create)).propose({ path: path(name), text: "two\n" });
      await expect.poll(() => bench.tabs.map(({ label }) => label).join()).toContain(name);
    }
    const position = (): unknown => {
      const item = bench.statusItems.get("patchbay.position");
      return item?.isShown === true ? item.text : undefined;
    };
    const [first] = await window.reviews();
    await window.run("patchbay.revealProposal", first?.row);
    await expect.poll(position).toBe("Review 1 of 3");
    await window.run("patchbay.nextProposal");
    await expect.poll(position).toBe("Review 2 of 3");
    await window.run("patchbay.nextProposal");
    await window.run("patchbay.nextProposal");
    await expect.poll(position).toBe("Review 1 of 3");
    await window.run("patchbay.previousProposal");
    await expect.poll(position).toBe("Review 3 of 3");
    // What comes without a tab counts, too.
    bench.configuration.set("patchbay.openReviews", "onDemand");
    bench.onDidChangeConfiguration.fire({ affectsConfiguration: () => true });
    (await window.connect(createGeminiDriver)).propose({ path: path("d.txt"), text: "two\n" });
    await expect.poll(position).toMatch(/ of 4$/u);
    await bench.showFile(Uri.file(path("a.txt")));
    await expect.poll(position).toBeUndefined();
  });

  it("the position is written once for tabs that come and go together", async () => {
    await window.activate();
    writeFileSync(path("a.txt"), "one\n");
    (await window.connect(createGeminiDriver)).propose({ path: path("a.txt"), text: "two\n" });
    await expect.poll(() => bench.statusItems.get("patchbay.position")?.text).toBe("Review 1 of 1");
    const item = bench.statusItems.get("patchbay.position");
    const before = item?.timesShown ?? 0;
    const written = (): number => (item?.timesShown ?? 0) - before;
    const [tab] = bench.tabs;
    for (let count = 0; count < 50; count += 1) {
      bench.onDidChangeTabs.fire({ opened: [], closed: [], changed: tab === undefined ? [] : [tab] });
    }
    await expect.poll(written).toBeGreaterThan(0);
    expect(written()).toBeLessThan(5);
  });

  it("all changes are shown in one editor, on the reviews' own sides; held ones are not", async () => {
    await withFour();
    await goTo("b.txt");
    await window.run("patchbay.hold", focused);
    await window.run("patchbay.showAllChanges");
    const [{ title, rows } = { title: "", rows: [] }] = bench.changes;
    expect(title).toBe("All Proposed Changes");
    expect(rows.map(([file]) => file?.fsPath)).toEqual(["a.txt", "src/deep/d.txt", "src/deep/c.txt"].map(path));
    for (const [, original, modified] of rows) {
      expect([original?.scheme, modified?.scheme]).toEqual(["patchbay-original", "patchbay-proposal"]);
    }
    expect((await window.reviews()).map(({ kind }) => kind).toSorted()).toEqual(["held", ...Array(3).fill("proposal")]);
  });
});

it("reviews open on demand, when the user is idle, or always, as the setting says", async () => {
  bench.configuration.set("patchbay.openReviews", "onDemand");
  await window.activate();
  writeFileSync(path("a.txt"), "one\n");
  (await window.connect(createGeminiDriver)).propose({ path: path("a.txt"), text: "two\n" });
  await expect.poll(async () => (await window.reviews()).length).toBe(1);
  expect(bench.tabs).toEqual([]);
  bench.configuration.set("patchbay.openReviews", "always");
  bench.onDidChangeConfiguration.fire({ affectsConfiguration: () => true });
  await window.diffTab("Gemini CLI");
});
