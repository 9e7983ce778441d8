import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AgentDriverOptions, createClaudeDriver, createGeminiDriver, createQwenDriver } from "@patchbay/testkit";
import { Uri } from "./fake-vscode/uri.ts";
import { TabInputTextDiff } from "./fake-vscode/values.ts";
import type { FakeWorkbench } from "./fake-vscode/workbench.ts";
import type { FakeTab } from "./fake-vscode/shapes.ts";
import { modifiedOf, RunningExtension } from "./running-extension.ts";

let window: RunningExtension;
let bench: FakeWorkbench;
let folder: string;
let path: string;

const lines = ["one", "two", "three", "four", "five", "six", "seven"];
const withLine = (number: number, text: string, of: readonly string[] = lines): string =>
  `${of.with(number - 1, text).join("\n")}\n`;

beforeEach(async () => {
  window = new RunningExtension();
  ({ bench, folder } = window);
  path = join(folder, "one.txt");
  writeFileSync(path, `${lines.join("\n")}\n`);
  await window.activate();
});

afterEach(async () => await window.end());

async function sides(tab: FakeTab): Promise<readonly string[]> {
  const { input } = tab;
  if (!(input instanceof TabInputTextDiff)) throw new Error("no diff");
  const documents = await Promise.all([bench.openDocument(input.original), bench.openDocument(input.modified)]);
  return documents.map((document) => document.getText());
}

describe("a file that changes while its proposal is reviewed", () => {
  it("is followed on both sides, by edits of the changed lines alone", async () => {
    const gemini = await window.connect(createGeminiDriver);
    const { outcome } = gemini.propose({ path, text: withLine(2, "TWO") });
    const tab = await window.diffTab("Gemini CLI");
    const disk = withLine(6, "SIX");
    writeFileSync(path, disk);
    const wanted = withLine(2, "TWO", lines.with(5, "SIX"));
    await expect.poll(async () => await sides(tab)).toEqual([disk, wanted]);
    expect(bench.edits).toEqual([[{ text: "SIX\n", rangeLength: 4 }]]);
    expect(bench.decorations?.provideFileDecoration(modifiedOf(tab))?.badge).toBe("M");
    expect((await window.reviews())[0]?.text).toContain("merged with changes to the file");
    await window.run("patchbay.acceptInTitle", modifiedOf(tab));
    expect(await outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(path, "utf8")).toBe(wanted);
    expect(bench.shown).toEqual([]);
  });

  it("in the same lines brings a conflict, and no accept counts before it is resolved", async () => {
    const gemini = await window.connect(createGeminiDriver);
    const { outcome } = gemini.propose({ path, text: withLine(2, "TWO") });
    const tab = await window.diffTab("Gemini CLI");
    const uri = modifiedOf(tab);
    writeFileSync(path, withLine(2, "zwei"));
    await expect.poll(() => bench.contexts.get("patchbay.conflicts")).toEqual([uri.toString()]);
    expect(bench.decorations?.provideFileDecoration(uri)?.badge).toBe("!");
    expect((await window.reviews())[0]?.text).toContain("conflicts with the file");
    await window.run("patchbay.acceptProposal", uri);
    await expect.poll(() => bench.shown.map(({ text }) => text).join()).toContain("resolve the conflict");
    expect(bench.tabs).toContain(tab);
    // The first of the choices: the proposed lines.
    await window.run("patchbay.showConflict", uri);
    await expect.poll(() => bench.contexts.get("patchbay.conflicts")).toEqual([]);
    await window.run("patchbay.acceptProposal", uri);
    expect(await outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(path, "utf8")).toBe(withLine(2, "TWO"));
  });

  it("by other agents too keeps every line with Accept All", async () => {
    const gemini = await window.connect(createGeminiDriver);
    const qwen = await window.connect(createQwenDriver);
    const claude = await window.connect(createClaudeDriver);
    // Claude first: it makes its edits in the file as it is, and its driver writes what it is told.
    const outcomes = [claude.propose({ path, text: withLine(7, "SEVEN") }).outcome];
    await window.diffTab("Claude Code");
    outcomes.push(
      gemini.propose({ path, text: withLine(1, "ONE") }).outcome,
      qwen.propose({ path, text: withLine(4, "FOUR") }).outcome,
    );
    for (const name of ["Gemini CLI", "Qwen Code", "Claude Code"]) await window.diffTab(name);
    bench.answerNext(({ items }) => items[0]);
    await window.run("patchbay.acceptAllProposals");
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(["accepted", "accepted", "accepted"]);
    expect(readFileSync(path, "utf8")).toBe(
      `${["ONE", ...lines.slice(1, 3), "FOUR", "five", "six", "SEVEN"].join("\n")}\n`,
    );
    expect(bench.shown.map(({ detail }) => detail.split("\n").length)).toEqual([3]);
  });

  it("with unsaved text opens at once on that text, and the document takes what the agent wrote", async () => {
    const document = await bench.openDocument(Uri.file(path));
    bench.edit(document, withLine(7, "seven, not saved"));
    const gemini = await window.connect(createGeminiDriver);
    const { outcome } = gemini.propose({ path, text: withLine(1, "ONE") });
    const tab = await window.diffTab("Gemini CLI");
    const wanted = withLine(1, "ONE", lines.with(6, "seven, not saved"));
    expect(await sides(tab)).toEqual([withLine(7, "seven, not saved"), wanted]);
    await window.run("patchbay.acceptInTitle", modifiedOf(tab));
    expect(await outcome).toMatchObject({ kind: "accepted" });
    await expect.poll(() => [document.isDirty, document.getText()]).toEqual([false, wanted]);
    expect(readFileSync(path, "utf8")).toBe(wanted);
    expect(bench.shown).toEqual([]);
  });
});

describe("the list of proposals", () => {
  async function entries(): Promise<readonly unknown[]> {
    return (await window.reviews()).map(({ row }) => row);
  }

  it("answers for what is outside of the workspace, and the notification then does nothing", async () => {
    const outside = join(window.root, "elsewhere");
    mkdirSync(outside);
    writeFileSync(join(outside, "two.txt"), "two\n");
    let click: (item: string | undefined) => void = () => {};
    const clicked = new Promise<string | undefined>((resolve) => {
      click = resolve;
    });
    bench.answerNext(async () => await clicked);
    const gemini = await window.connect(createGeminiDriver);
    gemini.propose({ path: join(outside, "two.txt"), text: "TWO\n" });
    await expect.poll(async () => (await window.reviews()).map(({ kind }) => kind)).toEqual(["asking"]);
    // It was never shown: it is not accepted with all others.
    await window.run("patchbay.acceptAllProposals");
    expect(bench.shown.at(-1)?.text).toBe("No proposals are open.");
    await window.run("patchbay.hideOutside", (await entries())[0]);
    await expect.poll(async () => (await window.reviews())[0]?.text).toContain("waiting in the terminal");
    click("Show");
    await expect.poll(() => bench.shown.at(-1)?.text).toBe("This has already been answered.");
    expect(bench.tabs).toEqual([]);
    await window.run("patchbay.revealProposal", (await entries())[0]);
    expect(bench.tabs.map(({ label }) => label)).toEqual(["two.txt ↔ Gemini CLI"]);
  });

  it("keeps a text whose agent has exited until it is discarded, whatever is decided about all", async () => {
    const claude = await window.connect(createClaudeDriver);
    claude.propose({ path, text: withLine(2, "TWO") });
    const tab = await window.diffTab("Claude Code");
    bench.edit(await bench.openDocument(modifiedOf(tab)), withLine(2, "TWO and mine"));
    await claude.end();
    await expect.poll(() => bench.contexts.get("patchbay.keptTexts")).toEqual([modifiedOf(tab).toString()]);
    await window.run("patchbay.rejectAllProposals");
    await window.run("patchbay.acceptAllProposals");
    expect((await window.reviews()).map(({ kind }) => kind)).toEqual(["kept"]);
    // Short: the view is narrow.
    expect((await window.reviews())[0]?.text).toContain("one.txt your kept text");
    await window.run("patchbay.copyKeptText", (await entries())[0]);
    expect(bench.clipboard).toBe(withLine(2, "TWO and mine"));
    bench.answerNext(({ items }) => items.at(-1));
    await window.run("patchbay.discardKeptText", (await entries())[0]);
    await expect.poll(() => bench.tabs).toEqual([]);
    expect(await entries()).toEqual([]);
  });

  it("says of a change that was accepted and is not written that it is not, until it is", async () => {
    const claude = await window.connect((options: AgentDriverOptions) =>
      createClaudeDriver({ ...options, writesFile: false }),
    );
    const proposal = claude.propose({ path, text: withLine(2, "TWO") });
    const tab = await window.diffTab("Claude Code");
    await window.run("patchbay.acceptInTitle", modifiedOf(tab));
    expect(await proposal.outcome).toMatchObject({ kind: "accepted" });
    await claude.end();
    await expect
      .poll(async () => (await window.reviews())[0]?.text, { timeout: 5_000 })
      .toContain("one.txt accepted, not written");
    expect(bench.shown.at(-1)?.text).toContain("exited before it wrote the change");
    expect((await window.reviews()).map(({ kind }) => kind)).toEqual(["kept"]);
    writeFileSync(path, withLine(2, "TWO"));
    await expect.poll(async () => await entries(), { timeout: 5_000 }).toEqual([]);
  });
});
