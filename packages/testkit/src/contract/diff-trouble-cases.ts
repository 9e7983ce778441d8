import { strict as assert } from "node:assert";
import { type ContractCase, declareCase, type EditorHostControls, type TestRunner } from "./contract-case.ts";

export function declareDiffTroubleCases(runner: TestRunner, create: () => Promise<EditorHostControls>): void {
  const test = (name: string, body: (test: ContractCase) => Promise<void>): void =>
    declareCase(runner, create, name, body);

  test("a file with unsaved changes: nothing is asked, and the unsaved text stays", async (t) => {
    if (t.controls.makeDirty === undefined || t.controls.host.documents?.unsavedText === undefined) return;
    const path = await t.openedFile("one.txt", "one\n");
    await t.controls.makeDirty(path, "unsaved\n");
    const diff = await t.show({ path, proposedText: "ONE\n", originalText: "unsaved\n", unsaved: true });
    assert.equal(await diff.hands.leftText(), "unsaved\n");
    assert.equal(t.controls.questionsAsked(), 0);
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "ONE\n" }]);
    await diff.view.close("accepted");
    await t.controls.settle();
    assert.equal(t.controls.host.documents?.isDirty(path) ?? true, true);
    assert.equal(await t.controls.readDisk(path), "one\n");
  });

  test("unsaved text is told, and when it comes and changes", async (t) => {
    const { documents } = t.controls.host;
    if (t.controls.makeDirty === undefined || documents?.unsavedText === undefined) return;
    const path = await t.openedFile("one.txt", "one\n");
    const told: string[] = [];
    documents.onDidChangeUnsaved?.(({ path: changed }) => told.push(changed));
    assert.equal(await documents.unsavedText(path), undefined);
    await t.controls.makeDirty(path, "unsaved\n");
    await t.controls.settle();
    assert.equal(await documents.unsavedText(path), "unsaved\n");
    assert.ok(told.includes(path));
  });

  test("a document that holds the unsaved text which an agent has written takes the file, another one does not", async (t) => {
    const { documents } = t.controls.host;
    if (t.controls.makeDirty === undefined || documents?.reload === undefined) return;
    const path = await t.openedFile("one.txt", "one\n");
    await t.controls.makeDirty(path, "unsaved\n");
    await t.controls.writeDisk(path, "unsaved\nand the agent's\n");
    await documents.reload(path, "something else\n");
    await t.controls.settle();
    assert.equal(documents.isDirty(path), true);
    await documents.reload(path, "unsaved\n");
    await t.controls.settle();
    assert.equal(documents.isDirty(path), false);
    assert.equal(await documents.readText(path, 1_000), "unsaved\nand the agent's\n");
  });

  test("autosave accepts nothing and loses nothing", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const diff = await t.show({ path, proposedText: "ONE\n" });
    await diff.hands.type("mine\n");
    await diff.hands.autosave?.();
    await t.expectVerdicts(diff, []);
    assert.equal(await diff.hands.isShown(), true);
    assert.equal(await diff.view.currentText(), "mine\n");
    assert.equal(await t.controls.readDisk(path), "one\n");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "mine\n" }]);
  });

  test("an editor that fails is a rejected promise, and the next proposal is shown", async (t) => {
    if (t.controls.failNextOpen === undefined) return;
    const path = await t.file("one.txt", "one\n");
    t.controls.failNextOpen();
    await assert.rejects(t.ask({ path, proposedText: "ONE\n" }));
    const diff = await t.show({ path, proposedText: "ONE\n" });
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "ONE\n" }]);
  });

  test("a proposal whose agent has gone is shown with its text", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const diff = await t.show({ path, proposedText: "ONE\n", draftText: "typed\n", agentPresent: false });
    assert.equal(await diff.view.currentText(), "typed\n");
    await diff.hands.close();
    await t.controls.settle();
    assert.equal(
      diff.record.verdicts.some((verdict) => verdict.kind === "accepted"),
      false,
    );
  });

  test("a review that cannot be edited keeps its text, follows its file, and is accepted as it is", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const diff = await t.show({ path, proposedText: "ONE\n", isReadOnly: true });
    await diff.hands.type("typed\n");
    await t.controls.settle();
    assert.equal(await diff.hands.rightText(), "ONE\n");
    assert.equal(await diff.view.currentText(), "ONE\n");
    assert.equal(diff.record.edits(), 0);
    const update = {
      originalText: "one\ntwo\n",
      text: "ONE\ntwo\n",
      proposedText: "ONE\ntwo\n",
      unsaved: false,
    } as const;
    assert.equal(await diff.view.update({ ...update, expectedText: "ONE\n", standing: "merged" }), "applied");
    await t.controls.settle();
    assert.equal(await diff.hands.rightText(), "ONE\ntwo\n");
    assert.equal(await diff.hands.leftText(), "one\ntwo\n");
    assert.equal(diff.record.edits(), 0);
    await diff.hands.type("typed\n");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "ONE\ntwo\n" }]);
  });

  test("the file changing on disk under an open proposal decides nothing", async (t) => {
    const path = await t.file("one.txt", "one\n");
    const diff = await t.show({ path, proposedText: "ONE\n" });
    await t.controls.writeDisk(path, "changed by someone\n");
    await t.expectVerdicts(diff, []);
    assert.equal(await diff.view.currentText(), "ONE\n");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "ONE\n" }]);
  });
}
