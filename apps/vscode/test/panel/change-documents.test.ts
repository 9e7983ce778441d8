import { afterEach, beforeEach, expect, it } from "vitest";
import { ChangeDocuments } from "../../src/panel/change-documents.ts";
import { openFakeWindow } from "../fake-vscode/index.ts";
import { TabInputTextDiff } from "../fake-vscode/values.ts";
import type { FakeWorkbench } from "../fake-vscode/workbench.ts";

let bench: FakeWorkbench;
let changes: ChangeDocuments;

beforeEach(() => {
  bench = openFakeWindow();
  changes = new ChangeDocuments();
});

afterEach(() => changes.dispose());

it("a change is shown as a diff of two texts that stay as they are, named after file and conversation", async () => {
  await changes.show({ path: "/w/src/a.ts", before: "one\n", after: "two\n" }, "Fix $(bug) [x](command:y)");
  const [tab] = bench.tabs;
  if (tab === undefined || !(tab.input instanceof TabInputTextDiff)) throw new Error("no diff");
  expect(tab.label).toMatch(/^a\.ts \(Fix /u);
  // What is anybody's word makes no icon and no link.
  expect(tab.label).not.toMatch(/\$\(|\]\(/u);
  const [before, after] = [tab.input.original, tab.input.modified];
  expect([before.path, after.path]).toEqual(["/w/src/a.ts", "/w/src/a.ts"]);
  expect([bench.findDocument(before)?.getText(), bench.findDocument(after)?.getText()]).toEqual(["one\n", "two\n"]);
  await bench.closeTab(tab);
  expect(bench.closingQuestions).toBe(0);
  // It is kept no longer than it is shown.
  expect(changes.provideTextDocumentContent(after)).toBe("");
});

it("several changes are shown in one editor, also of files that are new or gone", async () => {
  await changes.showAll(
    [
      { path: "/w/new.ts", after: "new\n" },
      { path: "/w/gone.ts", before: "gone\n" },
    ],
    "Tidy",
  );
  expect(bench.changes).toHaveLength(1);
  const texts = (bench.changes[0]?.rows ?? []).map(([file, before, after]) => [
    file?.toString(),
    before === undefined ? undefined : changes.provideTextDocumentContent(before),
    after === undefined ? undefined : changes.provideTextDocumentContent(after),
  ]);
  expect(texts).toEqual([
    ["file:///w/new.ts", "", "new\n"],
    ["file:///w/gone.ts", "gone\n", ""],
  ]);
});
