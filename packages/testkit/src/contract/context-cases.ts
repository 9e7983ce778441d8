import { strict as assert } from "node:assert";
import type { EditorChange } from "@patchbay/core";
import { type ContractCase, declareCase, type EditorHostControls, type TestRunner } from "./contract-case.ts";

function recordChanges(test: ContractCase): EditorChange[] {
  const changes: EditorChange[] = [];
  test.controls.host.editors.onDidChange((change) => changes.push(change));
  return changes;
}

export function declareContextCases(runner: TestRunner, create: () => Promise<EditorHostControls>): void {
  const test = (name: string, body: (test: ContractCase) => Promise<void>): void =>
    declareCase(runner, create, name, body);

  test("a file that is opened is among the open files and is the active one", async (t) => {
    const changes = recordChanges(t);
    const path = await t.openedFile("one.txt", "one\n");
    const { editors } = t.controls.host;
    assert.ok(editors.openFiles().includes(path));
    assert.equal(editors.active()?.path, path);
    assert.ok(changes.some((change) => change.kind === "focused" && change.path === path));
  });

  test("going to another file is told, and the picture follows", async (t) => {
    const one = await t.openedFile("one.txt", "one\n");
    const two = await t.openedFile("two.txt", "two\n");
    const changes = recordChanges(t);
    assert.equal(t.controls.host.editors.active()?.path, two);
    await t.controls.focusFile(one);
    await t.controls.settle();
    assert.equal(t.controls.host.editors.active()?.path, one);
    assert.ok(changes.some((change) => change.kind === "focused" && change.path === one));
    assert.deepEqual(Array.from(t.controls.host.editors.openFiles()).sort(), [one, two].sort());
  });

  test("closing a file is told, and it is gone from the picture", async (t) => {
    const path = await t.openedFile("one.txt", "one\n");
    const changes = recordChanges(t);
    await t.controls.closeFile(path);
    await t.controls.settle();
    assert.deepEqual(t.controls.host.editors.openFiles(), []);
    assert.equal(t.controls.host.editors.active(), undefined);
    assert.ok(changes.length > 0);
  });

  test("the cursor is told 0-based, in UTF-16 units", async (t) => {
    await t.openedFile("emoji.txt", "ab\n😀😀 cd\n");
    const changes = recordChanges(t);
    await t.controls.setCursor({ line: 1, character: 5 });
    await t.controls.settle();
    assert.deepEqual(t.controls.host.editors.active()?.cursor, { line: 1, character: 5 });
    assert.equal(t.controls.host.editors.active()?.selection, undefined);
    assert.ok(changes.some((change) => change.kind === "selection"));
  });

  test("a selection has its range and its text, over several lines and behind emoji", async (t) => {
    await t.openedFile("emoji.txt", "one two\n😀 three\nfour\n");
    const range = { start: { line: 0, character: 4 }, end: { line: 1, character: 5 } };
    await t.controls.select(range);
    await t.controls.settle();
    const active = t.controls.host.editors.active();
    assert.deepEqual(active?.selection, range);
    assert.equal(active?.readSelection(16_384).replaceAll("\r\n", "\n"), "two\n😀 th");
  });

  test("clearing the selection is told", async (t) => {
    await t.openedFile("one.txt", "one two\n");
    await t.controls.select({ start: { line: 0, character: 0 }, end: { line: 0, character: 3 } });
    await t.controls.settle();
    const changes = recordChanges(t);
    await t.controls.setCursor({ line: 0, character: 7 });
    await t.controls.settle();
    assert.equal(t.controls.host.editors.active()?.selection, undefined);
    assert.ok(changes.length > 0);
  });

  test("of a huge selection only about as much is read as asked for", async (t) => {
    const line = "0123456789".repeat(10);
    const lines = 5000;
    await t.openedFile("huge.txt", `${line}\n`.repeat(lines));
    await t.controls.select({ start: { line: 0, character: 0 }, end: { line: lines - 1, character: 100 } });
    await t.controls.settle();
    const text = t.controls.host.editors.active()?.readSelection(1000) ?? "";
    assert.ok(text.length >= 1000, `at least the limit is read, not ${text.length}`);
    assert.ok(text.length <= 1000 + 2 * line.length, `reading stops behind the limit, not after ${text.length}`);
    assert.ok(`${line}\n`.repeat(20).startsWith(text.replaceAll("\r\n", "\n")));
  });

  test("the active file stays when the user goes to the terminal", async (t) => {
    const path = await t.openedFile("one.txt", "one\n");
    await t.controls.focusTerminal();
    await t.controls.settle();
    assert.equal(t.controls.host.editors.active()?.path, path);
  });

  test("a diff is never part of the picture", async (t) => {
    const path = await t.openedFile("one.txt", "one\n");
    const other = await t.file("two.txt", "two\n");
    const diff = await t.show({ path: other, proposedText: "TWO\n" });
    assert.deepEqual(t.controls.host.editors.openFiles(), [path]);
    assert.equal(t.controls.host.editors.active()?.path, path);
    await diff.hands.type("mine\n");
    await t.controls.settle();
    assert.deepEqual(t.controls.host.editors.openFiles(), [path]);
    assert.equal(t.controls.host.editors.active()?.path, path);
  });
}
