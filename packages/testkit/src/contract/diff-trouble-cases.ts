import { strict as assert } from "node:assert";
import { join } from "node:path";
import { type Clock, createCompanion, createNodePlatform, type DiffUpdate, type ProcessFacts } from "@patchbay/core";
import { createMacFiles } from "../platform/mac-files.ts";
import {
  type ContractCase,
  declareCase,
  type EditorHostControls,
  type ShownDiff,
  type TestRunner,
} from "./contract-case.ts";

/** Waits a tenth of what it is told to, so that what takes seconds fits into a test. */
const hurriedClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs / 10);
    return { dispose: () => clearTimeout(timer) };
  },
};

async function becomes({ controls }: ContractCase, what: string, is: () => boolean): Promise<void> {
  for (const until = Date.now() + 4_000; !is(); await new Promise((resolve) => setTimeout(resolve, 20))) {
    assert.ok(Date.now() < until, `waited for ${what}`);
    await controls.settle();
  }
}

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

  test("a file that an agent names in another case, as macOS lets it, is reviewed on its unsaved text", async (t) => {
    const { controls } = t;
    if (controls.makeDirty === undefined || controls.host.documents?.unsavedText === undefined) return;
    const node = createNodePlatform();
    const facts: ProcessFacts = Object.assign(Object.create(node.process), { platform: "darwin" });
    const platform = { ...node, process: facts, files: createMacFiles(node.files) };
    const companion = createCompanion({ host: controls.host, platform });
    const path = await t.openedFile("Caf\u00e9.txt", "one\ntwo\nthree\n");
    await controls.makeDirty(path, "one\ntwo\n3\n");
    const conversation = { id: "contract", agent: "gemini", agentName: "Contract Agent" };
    const named = join(controls.folder, "CAFE\u0301.TXT");
    const review = await companion.review({ conversation, path: named, text: "ONE\ntwo\nthree\n", isEditable: true });
    await review.shown;
    await controls.settle();
    const diff = controls.diff(review.id);
    assert.equal(await diff.leftText(), "one\ntwo\n3\n");
    assert.equal(await diff.rightText(), "ONE\ntwo\n3\n");
    assert.equal(controls.questionsAsked(), 0);
    await companion.stop();
  });

  test("what was accepted and is not written is told, shown beside the file as it is, and goes once it is written", async (t) => {
    const { controls } = t;
    const platform = { ...createNodePlatform(), clock: hurriedClock };
    const companion = createCompanion({ host: controls.host, platform });
    const path = await t.file("one.txt", "one\ntwo\nthree\n");
    const conversation = { id: "contract", agent: "gemini", agentName: "Contract Agent" };
    const review = await companion.review({ conversation, path, text: "ONE\ntwo\nthree\n", isEditable: true });
    await review.shown;
    await controls.settle();
    await controls.diff(review.id).accept();
    await becomes(t, "the verdict", () => companion.proposals.length === 0);
    companion.conversationEnded(conversation.id);
    const isKept = (): boolean => companion.proposals.some(({ keptReason }) => keptReason === "not-written");
    await becomes(t, "the text among those that are kept", isKept);
    assert.equal(await controls.readDisk(path), "one\ntwo\nthree\n");
    assert.equal((await controls.messagesSeen?.())?.length ?? 1, 1);
    await controls.writeDisk(path, "first\ntwo\nthree\n");
    assert.deepEqual(await companion.saveKeptText(review.id), { kind: "conflict" });
    await controls.settle();
    const shown = controls.diff(review.id);
    assert.equal(await shown.isShown(), true);
    assert.equal(await shown.leftText(), "first\ntwo\nthree\n");
    assert.match(await shown.rightText(), /first[^]*ONE/u);
    assert.equal(await controls.readDisk(path), "first\ntwo\nthree\n");
    await controls.writeDisk(path, "ONE\ntwo\nthree\n");
    await becomes(t, "no text that is kept", () => companion.keptTexts.length === 0);
    await controls.settle();
    assert.equal(await controls.diff(review.id).isShown(), false);
    assert.deepEqual((await controls.messagesSeen?.()) ?? [], []);
    await companion.stop();
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

/** What core asks of a view whose file has changed. */
export function declareDiffUpdateCases(runner: TestRunner, create: () => Promise<EditorHostControls>): void {
  const test = (name: string, body: (test: ContractCase) => Promise<void>): void =>
    declareCase(runner, create, name, body);
  const change: DiffUpdate = {
    originalText: "one\ntwo\nTHREE\n",
    unsaved: false,
    expectedText: "ONE\ntwo\nthree\n",
    text: "ONE\ntwo\nTHREE\n",
    proposedText: "ONE\ntwo\nTHREE\n",
    standing: "merged",
  };
  const shown = async (t: ContractCase): Promise<ShownDiff> =>
    await t.show({ path: await t.file("one.txt", "one\ntwo\nthree\n"), proposedText: "ONE\ntwo\nthree\n" });
  const update = async (t: ContractCase, diff: ShownDiff, changes: Partial<DiffUpdate> = {}): Promise<string> => {
    const result = await diff.view.update({ ...change, ...changes });
    await t.controls.settle();
    return result;
  };

  test("both sides follow a file that has changed, without an event", async (t) => {
    const diff = await shown(t);
    assert.equal(await update(t, diff), "applied");
    assert.equal(await diff.hands.leftText(), change.originalText);
    assert.equal(await diff.hands.rightText(), change.text);
    assert.equal(await diff.view.currentText(), change.text);
    assert.equal(diff.record.edits(), 0);
    assert.equal(t.controls.questionsAsked(), 0);
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: change.text }]);
  });

  test("a right side that holds anything else by now stays as it is", async (t) => {
    const diff = await shown(t);
    await diff.hands.type("mine\n");
    await t.controls.settle();
    assert.equal(await update(t, diff), "stale");
    assert.equal(await diff.view.currentText(), "mine\n");
    assert.equal(await update(t, diff, { expectedText: "mine\n", text: "mine\nTHREE\n" }), "applied");
    assert.equal(await diff.view.currentText(), "mine\nTHREE\n");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: "mine\nTHREE\n" }]);
  });

  test("an updated right side that nobody has touched closes without a question", async (t) => {
    const diff = await shown(t);
    await update(t, diff);
    await diff.hands.close();
    await t.controls.settle();
    assert.equal(await diff.hands.isShown(), false);
    assert.equal(t.controls.questionsAsked(), 0);
    assert.deepEqual(
      diff.record.verdicts.map((verdict) => (verdict.kind === "closed" ? "rejected" : verdict.kind)),
      ["rejected"],
    );
  });

  test("after an accept that was not possible the review goes on", async (t) => {
    const diff = await shown(t);
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: change.expectedText }]);
    // A view that went with the accept says so, and core shows the proposal again.
    if ((await update(t, diff, { standing: "conflict" })) === "gone") return;
    assert.equal(await diff.hands.isShown(), true);
    await diff.hands.type("resolved\n");
    await t.controls.settle();
    diff.view.setStanding("merged");
    await diff.hands.accept();
    await t.expectVerdicts(diff, [
      { kind: "accepted", text: change.expectedText },
      { kind: "accepted", text: "resolved\n" },
    ]);
  });

  test("an accepted hunk changes the left side only", async (t) => {
    const diff = await shown(t);
    const accepted: Partial<DiffUpdate> = { originalText: "ONE\ntwo\nthree\n", text: change.expectedText };
    const proposedText = change.expectedText;
    assert.equal(await update(t, diff, { ...accepted, proposedText, standing: "unchanged" }), "applied");
    assert.equal(await diff.hands.leftText(), "ONE\ntwo\nthree\n");
    assert.equal(await diff.hands.rightText(), change.expectedText);
    assert.equal(diff.record.edits(), 0);
    await diff.hands.close();
    await t.controls.settle();
    assert.equal(t.controls.questionsAsked(), 0);
  });

  test("a rejected hunk changes the right side only, in one undo step and without an event", async (t) => {
    const path = await t.file("one.txt", "one\ntwo\nthree\n");
    const diff = await t.show({ path, proposedText: "ONE\ntwo\nTHREE\n" });
    const rejected: DiffUpdate = {
      originalText: "one\ntwo\nthree\n",
      unsaved: false,
      expectedText: "ONE\ntwo\nTHREE\n",
      text: "ONE\ntwo\nthree\n",
      proposedText: "ONE\ntwo\nTHREE\n",
      standing: "unchanged",
    };
    assert.equal(await update(t, diff, rejected), "applied");
    assert.equal(await diff.hands.leftText(), rejected.originalText);
    assert.equal(await diff.view.currentText(), rejected.text);
    assert.equal(diff.record.edits(), 0);
    if (diff.hands.undo !== undefined) {
      await diff.hands.undo();
      await t.controls.settle();
      assert.equal(await diff.hands.rightText(), rejected.expectedText);
      assert.equal(diff.record.edits(), 1);
      assert.equal(await update(t, diff, rejected), "applied");
    }
    await diff.hands.accept();
    await t.expectVerdicts(diff, [{ kind: "accepted", text: rejected.text }]);
  });

  test("a view that has ended says that it is gone", async (t) => {
    const diff = await shown(t);
    await diff.view.close("rejected");
    await t.controls.settle();
    assert.equal(await update(t, diff), "gone");
    assert.equal(await diff.hands.isShown(), false);
  });

  test("a request that comes rebased shows the file as it is now and the proposal on it", async (t) => {
    const path = await t.file("one.txt", "one\ntwo\nthree\n");
    const { originalText, text } = change;
    const diff = await t.show({ path, proposedText: text, originalText, standing: "merged" });
    assert.equal(await diff.hands.leftText(), originalText);
    assert.equal(await diff.hands.rightText(), text);
    await diff.hands.reject();
    await t.expectVerdicts(diff, [{ kind: "rejected" }]);
  });
}
