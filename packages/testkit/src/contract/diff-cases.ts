import { strict as assert } from "node:assert";
import type { DiffCloseReason } from "@patchbay/core";
import { type ContractCase, declareCase, type EditorHostControls, type TestRunner } from "./contract-case.ts";

const reasons: readonly DiffCloseReason[] = [
  "accepted",
  "rejected",
  "decided-in-terminal",
  "superseded",
  "agent-gone",
  "stopped",
];

export function declareDiffCases(runner: TestRunner, create: () => Promise<EditorHostControls>): void {
  const test = (name: string, body: (test: ContractCase) => Promise<void>): void =>
    declareCase(runner, create, name, body);

  test("a proposal shows the file and the proposed text, and touches neither disk nor focus", async (t) => {
    const path = await t.openedFile("one.txt", "one\n");
    await t.controls.focusTerminal();
    const focused = await t.controls.focusedElement();
    const diff = await t.show({ path, proposedText: "ONE\n" });
    assert.equal(await diff.hands.leftText(), "one\n");
    assert.equal(await diff.hands.rightText(), "ONE\n");
    assert.equal(await diff.view.currentText(), "ONE\n");
    assert.equal(await t.controls.focusedElement(), focused);
    assert.equal(await t.controls.readDisk(path), "one\n");
    assert.equal(t.controls.questionsAsked(), 0);
    assert.equal(diff.record.edits(), 0);
    await t.expectVerdicts(diff, []);
  });

  test("accepting reports the text of the view, once", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const diff = await t.show({ path, proposedText: "ONE\n" });
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "ONE\n" }]);
    await diff.view.close("accepted");
    await t.controls.settle();
    assert.equal(await diff.hands.isShown(), false);
    assert.equal(await t.controls.readDisk(path), "one\n", "the agent writes the file, not the editor");
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "ONE\n" }]);
  });

  test("what the user types is reported, and is what an accept brings", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const diff = await t.show({ path, proposedText: "ONE\n" });
    await diff.hands.type("mine, without a final newline");
    await t.controls.settle();
    assert.ok(diff.record.edits() > 0);
    assert.equal(await diff.view.currentText(), "mine, without a final newline");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "mine, without a final newline" }]);
  });

  test("rejecting is reported once", async (t) => {
    const diff = await t.show({ path: await t.file("one.txt", "one\n"), proposedText: "ONE\n" });
    await diff.hands.reject();
    await t.expectVerdicts(diff, [{ kind: "rejected" }]);
    await diff.view.close("rejected");
    await t.controls.settle();
    assert.equal(await diff.hands.isShown(), false);
  });

  test("closing the view is never an accept and is reported once", async (t) => {
    const diff = await t.show({ path: await t.file("one.txt", "one\n"), proposedText: "ONE\n" });
    await diff.hands.close();
    await t.controls.settle();
    assert.equal(await diff.hands.isShown(), false);
    assert.deepEqual(
      diff.record.verdicts.map((verdict) => (verdict.kind === "closed" ? "rejected" : verdict.kind)),
      ["rejected"],
    );
  });

  for (const reason of reasons) {
    test(`the companion closes an edited view (${reason}) without an event and without a question`, async (t) => {
      const path = await t.file("one.txt", "one\n");
      const diff = await t.show({ path, proposedText: "ONE\n" });
      await diff.hands.type("mine\n");
      await t.controls.settle();
      await diff.view.close(reason);
      await t.controls.settle();
      assert.equal(await diff.hands.isShown(), false);
      assert.equal(t.controls.questionsAsked(), 0);
      assert.equal(await t.controls.readDisk(path), "one\n");
      await diff.view.close(reason);
      await t.expectVerdicts(diff, []);
    });
  }

  test("nothing is reported of a view that has ended", async (t) => {
    const diff = await t.show({ path: await t.file("one.txt", "one\n"), proposedText: "ONE\n" });
    await diff.view.close("decided-in-terminal");
    await t.controls.settle();
    await diff.hands.accept();
    await diff.hands.reject();
    await diff.hands.close();
    await t.expectVerdicts(diff, []);
    diff.view.setAgentPresent(false);
  });

  test("several proposals are open at once, and each has its own end", async (t) => {
    const one = await t.show({ path: await t.file("one.txt", "one\n"), proposedText: "ONE\n" });
    const two = await t.show({ path: await t.file("two.txt", "two\n"), proposedText: "TWO\n" });
    const three = await t.show({ path: await t.file("three.txt", "three\n"), proposedText: "THREE\n" });
    await two.hands.type("2\n");
    await two.hands.accept();
    await one.hands.reject();
    await t.expectVerdicts(two, [{ kind: "accepted", text: "2\n" }]);
    await t.expectVerdicts(one, [{ kind: "rejected" }]);
    await t.expectVerdicts(three, []);
    assert.equal(await three.hands.isShown(), true);
    assert.equal(await three.hands.rightText(), "THREE\n");
  });

  test("two proposals for one file do not know each other", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const first = await t.show({ path, proposedText: "first\n", agentName: "Gemini CLI" });
    const second = await t.show({ path, proposedText: "second\n", agentName: "Claude Code" });
    assert.equal(await first.view.currentText(), "first\n");
    assert.equal(await second.view.currentText(), "second\n");
    await first.view.close("superseded");
    await t.controls.settle();
    assert.equal(await second.hands.isShown(), true);
    await second.hands.accept();
    await t.expectVerdicts(second, [{ kind: "accepted", text: "second\n" }]);
    await t.expectVerdicts(first, []);
  });

  test("a draft is shown in place of the proposal", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const diff = await t.show({ path, proposedText: "ONE\n", draftText: "typed before\n" });
    assert.equal(await diff.hands.rightText(), "typed before\n");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "typed before\n" }]);
  });

  test("the agent's going and coming back changes neither text nor state", async (t) => {
    const diff = await t.show({ path: await t.file("one.txt", "one\n"), proposedText: "ONE\n" });
    diff.view.setAgentPresent(false);
    diff.view.setAgentPresent(true);
    await t.controls.settle();
    assert.equal(await diff.hands.isShown(), true);
    assert.equal(await diff.view.currentText(), "ONE\n");
    await t.expectVerdicts(diff, []);
  });

  test("revealing brings the view up and decides nothing", async (t) => {
    const one = await t.show({ path: await t.file("one.txt", "one\n"), proposedText: "ONE\n" });
    const two = await t.show({ path: await t.file("two.txt", "two\n"), proposedText: "TWO\n" });
    await one.view.reveal();
    await t.controls.settle();
    assert.equal(await one.hands.isShown(), true);
    await t.expectVerdicts(one, []);
    await t.expectVerdicts(two, []);
  });
}

/** Texts that must come back byte for byte when they are accepted unchanged. */
const texts: readonly (readonly [name: string, text: string])[] = [
  ["plain lines", "one\ntwo\n"],
  ["no final newline", "one\ntwo"],
  ["several final newlines", "one\n\n\n"],
  ["CRLF", "one\r\ntwo\r\n"],
  ["CRLF without a final one", "one\r\ntwo"],
  ["emoji and other scripts", "😀 👩‍👩‍👧 é 漢字 עברית\n"],
  ["tabs and trailing blanks", "\tone  \n  two\t\n"],
  ["one newline", "\n"],
  ["a very long line", `${"0123456789".repeat(2000)}\n`],
];

export function declareDiffTextCases(runner: TestRunner, create: () => Promise<EditorHostControls>): void {
  const test = (name: string, body: (test: ContractCase) => Promise<void>): void =>
    declareCase(runner, create, name, body);

  for (const [name, text] of texts) {
    test(`comes back as it was: ${name}`, async (t) => {
      const path = await t.file("one.txt", text.includes("\r\n") ? "old\r\n" : "old\n");
      const diff = await t.show({ path, proposedText: text });
      assert.equal(await diff.view.currentText(), text);
      await diff.hands.accept();
      await t.expectVerdicts(diff, [{ kind: "accepted", text }]);
    });
  }

  test("a file with a byte order mark does not lend it to the proposal", async (t) => {
    const path = await t.file("bom.txt", "\uFEFFold\n");
    const diff = await t.show({ path, proposedText: "new\n" });
    assert.ok((await diff.hands.leftText()).endsWith("old\n"));
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "new\n" }]);
  });

  test("a new file has an empty left side, and nothing is made on disk", async (t) => {
    const path = `${t.controls.folder}/new.txt`;
    const diff = await t.show({ path, proposedText: "new\n", kind: "create" });
    assert.equal(await diff.hands.leftText(), "");
    assert.equal(await diff.hands.rightText(), "new\n");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "new\n" }]);
    assert.equal(await t.controls.readDisk(path), undefined);
  });

  test("a new file in a folder that is not there yet is shown as well", async (t) => {
    const path = `${t.controls.folder}/not/there/new.txt`;
    const diff = await t.show({ path, proposedText: "new\n", kind: "create" });
    await diff.hands.reject();
    await t.expectVerdicts(diff, [{ kind: "rejected" }]);
  });

  test("a deletion has an empty right side and can be accepted as such", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const diff = await t.show({ path, proposedText: "", kind: "delete" });
    assert.equal(await diff.hands.leftText(), "one\n");
    assert.equal(await diff.hands.rightText(), "");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "" }]);
    assert.equal(await t.controls.readDisk(path), "one\n");
  });

  test("a proposal that the user empties is accepted as empty", async (t) => {
    const diff = await t.show({ path: await t.file("one.txt", "one\n"), proposedText: "ONE\n" });
    await diff.hands.type("");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "" }]);
  });

  test("a path with blanks, brackets, a percent sign, a hash and other scripts is a path", async (t) => {
    const path = await t.file("a [b] 100%20 #1 é漢.txt", "one\n");
    const diff = await t.show({ path, proposedText: "ONE\n" });
    assert.equal(await diff.hands.leftText(), "one\n");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "ONE\n" }]);
  });
}
