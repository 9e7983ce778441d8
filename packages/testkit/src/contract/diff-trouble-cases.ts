import { strict as assert } from "node:assert";
import { type ContractCase, declareCase } from "./contract-case.ts";
import type { EditorHostControls, TestRunner } from "./editor-host-controls.ts";

export function declareDiffTroubleCases(runner: TestRunner, create: () => Promise<EditorHostControls>): void {
  const test = (name: string, body: (test: ContractCase) => Promise<void>): void =>
    declareCase(runner, create, name, body);

  test("a file with unsaved changes: the user cancels, nothing is shown and nothing is lost", async (t) => {
    if (t.controls.makeDirty === undefined) return;
    const path = await t.openedFile("one.txt", "one\n");
    await t.controls.makeDirty(path, "unsaved\n");
    t.controls.answerUnsaved?.("cancel");
    const { opening, hands, record } = await t.ask({ path, proposedText: "ONE\n" });
    assert.equal(opening.kind, "declined");
    assert.equal(await hands.isShown(), false);
    assert.deepEqual(record.verdicts, []);
    assert.equal(t.controls.host.documents?.isDirty(path) ?? true, true);
    assert.equal(await t.controls.readDisk(path), "one\n");
  });

  test("a file with unsaved changes: the user compares, and the unsaved text stays", async (t) => {
    if (t.controls.makeDirty === undefined) return;
    const path = await t.openedFile("one.txt", "one\n");
    await t.controls.makeDirty(path, "unsaved\n");
    t.controls.answerUnsaved?.("compare");
    const diff = await t.show({ path, proposedText: "ONE\n" });
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "ONE\n" }]);
    await diff.view.close("accepted");
    await t.controls.settle();
    assert.equal(t.controls.host.documents?.isDirty(path) ?? true, true);
    assert.equal(await t.controls.readDisk(path), "one\n");
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
