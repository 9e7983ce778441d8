import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClaudeDriver, createGeminiDriver } from "@patchbay/testkit";
import { modifiedOf, RunningExtension } from "./running-extension.ts";
import { Position } from "./fake-vscode/ranges.ts";
import { TabInputTextDiff } from "./fake-vscode/values.ts";
import type { FakeTab } from "./fake-vscode/shapes.ts";

let window: RunningExtension;

beforeEach(() => {
  window = new RunningExtension();
});

afterEach(async () => await window.end());

const before = "one\nkept\ntwo\nkept\nthree\n";
const after = "ONE\nkept\nTWO\nkept\nTHREE\n";

async function textOf(tab: FakeTab): Promise<string> {
  return (await window.bench.openDocument(modifiedOf(tab))).getText();
}

const shownLeft = (): unknown => window.bench.contexts.get("patchbay.hunkReviews");

it("decides the hunk at a line number, and with the last one the proposal", async () => {
  await window.activate();
  const path = join(window.folder, "one.txt");
  writeFileSync(path, before);
  const gemini = await window.connect(createGeminiDriver);
  const proposal = gemini.propose({ path, text: after });
  const tab = await window.diffTab("Gemini CLI");
  const uri = modifiedOf(tab);
  await expect.poll(shownLeft).toContain(uri.toString());
  await window.run("patchbay.acceptHunk", { uri, lineNumber: 1 });
  expect(window.bench.notes.at(-1)).toBe("Changes left in one.txt: 2");
  if (!(tab.input instanceof TabInputTextDiff)) throw new Error("no diff");
  const left = await window.bench.openDocument(tab.input.original);
  await expect.poll(() => left.getText()).toBe("ONE\nkept\ntwo\nkept\nthree\n");
  await window.run("patchbay.rejectHunk", { uri, lineNumber: 3 });
  await expect.poll(async () => await textOf(tab)).toBe("ONE\nkept\ntwo\nkept\nTHREE\n");
  await window.run("patchbay.undoHunk", uri);
  await expect.poll(async () => await textOf(tab)).toBe(after);
  await window.run("patchbay.rejectHunk", { uri, lineNumber: 3 });
  await window.run("patchbay.acceptHunk", { uri, lineNumber: 5 });
  expect(await proposal.outcome).toMatchObject({ kind: "accepted" });
  expect(readFileSync(path, "utf8")).toBe("ONE\nkept\ntwo\nkept\nTHREE\n");
});

it.each([undefined, 1, 2])("goes to the next hunk unless the user is elsewhere by then (kind %s)", async (kind) => {
  await window.activate();
  const path = join(window.folder, "one.txt");
  writeFileSync(path, before);
  const gemini = await window.connect(createGeminiDriver);
  gemini.propose({ path, text: after });
  const tab = await window.diffTab("Gemini CLI");
  const uri = modifiedOf(tab);
  await expect.poll(shownLeft).toContain(uri.toString());
  const end = new Position(4, 3);
  const applied = window.bench.onDidChangeTextDocument.event(() => {
    applied.dispose();
    window.bench.select(end, end, kind);
  });
  await window.run("patchbay.rejectHunk", { uri, lineNumber: 1 });
  expect(window.bench.activeEditor?.selection.active.line).toBe(kind === undefined ? 2 : 4);
});

it("rejects the proposal with its last hunk, and leaves other hunks alone that are asked for then", async () => {
  await window.activate();
  const path = join(window.folder, "one.txt");
  writeFileSync(path, before);
  const claude = await window.connect(createClaudeDriver);
  const proposal = claude.propose({ path, text: "ONE\nkept\ntwo\nkept\nthree\n" });
  const uri = modifiedOf(await window.diffTab("Claude Code"));
  await window.run("patchbay.rejectHunk", { uri, lineNumber: 1 });
  expect((await proposal.outcome).kind).toBe("rejected");
  await window.run("patchbay.rejectHunk", { uri, lineNumber: 1 });
  expect(window.bench.shown.at(-1)?.text).toBe("Open the proposal first: hunks are decided in its diff.");
});

it("asks what to answer where VS Code's own arrow has taken the last hunk back", async () => {
  await window.activate();
  const path = join(window.folder, "one.txt");
  writeFileSync(path, before);
  const gemini = await window.connect(createGeminiDriver);
  const proposal = gemini.propose({ path, text: after });
  const tab = await window.diffTab("Gemini CLI");
  window.bench.answerNext(() => "Reject");
  window.bench.edit(await window.bench.openDocument(modifiedOf(tab)), before);
  expect((await proposal.outcome).kind).toBe("rejected");
  expect(window.bench.shown.map(({ text }) => text)).toContain(
    "No changes are left in one.txt. Gemini CLI is waiting for your answer.",
  );
});

it("numbers the sessions of one agent", async () => {
  await window.activate();
  const paths = ["one.txt", "two.txt"].map((name) => join(window.folder, name));
  await window.connect(createGeminiDriver);
  const second = await window.connect(createGeminiDriver);
  await expect.poll(() => window.bench.statusBar.text).toBe("$(plug) 2 agents");
  const rows = await window.rows("patchbay.connections");
  expect(rows.filter((row) => row.startsWith("Gemini CLI"))).toEqual([
    expect.stringMatching(/^Gemini CLI 1 /u),
    expect.stringMatching(/^Gemini CLI 2 /u),
  ]);
  second.propose({ path: paths[0] ?? "", text: "one\n" });
  await expect
    .poll(() => window.bench.tabs.map(({ label }) => label))
    .toEqual([expect.stringMatching(/↔ Gemini CLI 2$/u)]);
});
