import { strict as assert } from "node:assert";
import { type ContractCase, declareCase, type EditorHostControls, type TestRunner } from "./contract-case.ts";

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
