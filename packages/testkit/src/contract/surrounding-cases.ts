import { strict as assert } from "node:assert";
import { isAbsolute, join } from "node:path";
import { type ContractCase, declareCase, type EditorHostControls, type TestRunner } from "./contract-case.ts";

export function declareSurroundingCases(runner: TestRunner, create: () => Promise<EditorHostControls>): void {
  const test = (name: string, body: (test: ContractCase) => Promise<void>): void =>
    declareCase(runner, create, name, body);

  test("the host has a name of its own, and process ids", async (t) => {
    const { name, displayName, version, pids } = t.controls.host.identity;
    assert.match(name, /^[a-z][a-z0-9-]*$/);
    assert.notEqual(displayName, "");
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.ok(pids.length > 0 && pids.every((pid) => Number.isSafeInteger(pid) && pid > 0));
  });

  test("folders are absolute, and the one of the test is among them", async (t) => {
    const folders = t.controls.host.workspace.folders();
    assert.ok(folders.every((folder) => isAbsolute(folder)));
    assert.ok(folders.includes(t.controls.folder));
    const { storageDirectory } = t.controls.host;
    assert.ok(storageDirectory === undefined || isAbsolute(storageDirectory));
  });

  test("a change of folders is told", async (t) => {
    if (t.controls.setFolders === undefined) return;
    let told = 0;
    t.controls.host.workspace.onDidChangeFolders(() => {
      told += 1;
    });
    const folders = [t.controls.folder, join(t.controls.folder, "second")];
    await t.controls.setFolders(folders);
    await t.controls.settle();
    assert.ok(told > 0);
    assert.deepEqual(t.controls.host.workspace.folders(), folders);
  });

  test("a change of trust is told", async (t) => {
    if (t.controls.setTrusted === undefined) return;
    await t.controls.setTrusted(false);
    await t.controls.settle();
    let told = 0;
    t.controls.host.workspace.onDidChangeTrust(() => {
      told += 1;
    });
    await t.controls.setTrusted(true);
    await t.controls.settle();
    assert.ok(told > 0);
    assert.equal(t.controls.host.workspace.trusted(), true);
  });

  test("a notice asks nothing and takes no focus", async (t) => {
    await t.controls.focusTerminal();
    const focused = await t.controls.focusedElement();
    const message = { code: "contract", severity: "info", text: "All is well.", values: {}, actions: [] } as const;
    t.controls.answerNextMessage?.(undefined);
    assert.equal(await t.controls.host.messages.show(message), undefined);
    assert.equal(await t.controls.focusedElement(), focused);
    assert.equal(t.controls.questionsAsked(), 0);
  });

  test("the chosen action of a message comes back", async (t) => {
    if (t.controls.answerNextMessage === undefined) return;
    const message = {
      code: "contract",
      severity: "warning",
      text: "Shall it be?",
      values: {},
      actions: ["Yes", "No"],
    } as const;
    t.controls.answerNextMessage("No");
    assert.equal(await t.controls.host.messages.show(message), "No");
    t.controls.answerNextMessage(undefined);
    assert.equal(await t.controls.host.messages.show(message), undefined);
  });

  test("a message that has become moot has no answer, and does not stand there any more", async (t) => {
    if (t.controls.answerNextMessage === undefined) return;
    const over = new AbortController();
    const { signal } = over;
    const text = "Shall it still be?";
    const message = { code: "contract", severity: "warning", text, values: {}, actions: ["Yes"], signal } as const;
    const answer = t.controls.host.messages.show(message);
    await t.controls.settle();
    const seen = await t.controls.messagesSeen?.();
    if (seen !== undefined) assert.deepEqual(seen, [text]);
    over.abort();
    assert.equal(await answer, undefined);
    assert.equal(await t.controls.host.messages.show(message), undefined);
    await t.controls.settle();
    assert.deepEqual((await t.controls.messagesSeen?.()) ?? [], []);
  });

  test("documents: unsaved changes are known and can be saved", async (t) => {
    const { documents } = t.controls.host;
    if (documents === undefined) return;
    const path = await t.openedFile("one.txt", "one\n");
    assert.equal(documents.isDirty(path), false);
    assert.equal(documents.isDirty(join(t.controls.folder, "not-open.txt")), undefined);
    assert.equal(await documents.save(join(t.controls.folder, "not-open.txt")), false);
    if (t.controls.makeDirty === undefined) return;
    await t.controls.makeDirty(path, "unsaved\n");
    await t.controls.settle();
    assert.equal(documents.isDirty(path), true);
    assert.equal(await documents.readText(path, 1000), "unsaved\n");
    assert.equal(await documents.save(path), true);
    assert.equal(documents.isDirty(path), false);
  });

  test("documents: a file is shown without taking focus when asked so", async (t) => {
    const { documents } = t.controls.host;
    if (documents === undefined) return;
    const path = await t.file("one.txt", "one\ntwo\n");
    await t.controls.focusTerminal();
    const focused = await t.controls.focusedElement();
    await documents.open({ path, preview: false, focus: false });
    await t.controls.settle();
    assert.ok(t.controls.host.editors.openFiles().includes(path));
    assert.equal(await t.controls.focusedElement(), focused);
  });

  test("diagnostics are a list, for one file and for all", async (t) => {
    const { diagnostics } = t.controls.host;
    if (diagnostics === undefined) return;
    const path = await t.openedFile("one.txt", "one\n");
    const { signal } = new AbortController();
    assert.deepEqual(await diagnostics.read(path, signal), []);
    assert.ok(Array.isArray(await diagnostics.read(undefined, signal)));
    // The time is up: what is known comes at once.
    assert.ok(Array.isArray(await diagnostics.read(path, AbortSignal.abort())));
  });
}
