import type { MemoryDiffView } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { conflictEnd, conflictStart } from "../../src/diff/model.ts";
import { original, path, standingOf, startWithFile } from "./followed-file.ts";
import { ownerOf, type RegistryUnderTest, startRegistry, TestStore } from "./registry-under-test.ts";

describe("a review whose file changes", () => {
  it("shows the change on the left, carries it over to the right, and loses it in no accept", async () => {
    const test = startWithFile();
    const { outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    expect(view).toMatchObject({ originalText: original, standing: "unchanged" });
    await test.writeByOther(original.replace("four", "FOUR"));
    await standingOf(test, view, "merged");
    expect(view).toMatchObject({
      originalText: original.replace("four", "FOUR"),
      text: "one\nTWO\nthree\nFOUR\nfive\n",
      edited: false,
    });
    expect(test.registry.proposals).toMatchObject([{ standing: "merged", edited: false }]);
    view.accept();
    expect(await outcome).toEqual({ kind: "accepted", text: "one\nTWO\nthree\nFOUR\nfive\n", edited: false });
  });

  it("between the check of its path and the review is followed, also where its text was known before", async () => {
    const test = startWithFile();
    test.clock.advance(5_000);
    const checked = { facts: await test.files.lstat(path) };
    const input = { path, text: original.replace("two", "TWO"), handle: path };
    const facts = { inside: true, kind: "change", real: path, checked } as const;
    test.registry.open(ownerOf("two"), input, facts);
    await test.editor.nextView();
    test.files.addFile(path, original.replace("four", "FOUR"));
    test.registry.open(ownerOf("one"), input, facts);
    const view = await test.editor.nextView();
    expect(view.originalText).toBe(original);
    await test.clock.advanceAsync(100);
    await standingOf(test, view, "merged");
    expect(view).toMatchObject({
      originalText: original.replace("four", "FOUR"),
      text: "one\nTWO\nthree\nFOUR\nfive\n",
    });
  });

  it("keeps what the user has typed, too", async () => {
    const test = startWithFile();
    const { outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    view.type("one\nmine\nthree\nfour\nfive\n");
    await test.writeByOther(original.replace("four", "FOUR"));
    await standingOf(test, view, "merged");
    view.accept();
    expect(await outcome).toEqual({ kind: "accepted", text: "one\nmine\nthree\nFOUR\nfive\n", edited: true });
  });

  it("a change that is taken back leaves the proposal as it came", async () => {
    const test = startWithFile();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther(original.replace("four", "FOUR"));
    await standingOf(test, view, "merged");
    await test.writeByOther(original);
    await standingOf(test, view, "unchanged");
    expect(view.text).toBe(original.replace("two", "TWO"));
  });

  it("changes of the same line are a conflict that must be resolved before an accept", async () => {
    const test = startWithFile();
    const { outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther(original.replace("two", "2"));
    await standingOf(test, view, "conflict");
    expect(view.text).toBe(`one\n${conflictStart}\n2\n=======\nTWO\n${conflictEnd}\nthree\nfour\nfive\n`);
    expect(test.registry.proposals).toMatchObject([{ standing: "conflict" }]);
    view.accept();
    await expect.poll(test.messageCodes).toEqual(["not-accepted-conflict"]);
    expect(view.isOpen).toBe(true);
    view.type("one\n2 and TWO\nthree\nfour\nfive\n");
    await test.clock.advanceAsync(200);
    await standingOf(test, view, "merged");
    view.accept();
    expect(await outcome).toMatchObject({ kind: "accepted", text: "one\n2 and TWO\nthree\nfour\nfive\n" });
  });

  it("a conflict that nobody has touched goes when the file makes way", async () => {
    const test = startWithFile();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther(original.replace("two", "2"));
    await standingOf(test, view, "conflict");
    await test.writeByOther(original.replace("five", "FIVE"));
    await standingOf(test, view, "merged");
    expect(view.text).toBe("one\nTWO\nthree\nfour\nFIVE\n");
  });

  it("an accept looks once more, also where nobody told of the change", async () => {
    const test = startWithFile();
    test.files.canWatch = false;
    const { outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    test.files.addFile(path, original.replace("four", "FOUR"));
    view.accept();
    expect(await outcome).toMatchObject({ kind: "accepted", text: "one\nTWO\nthree\nFOUR\nfive\n" });
  });

  it("is read again before an accept, whatever its times say, and for the terminal's answer only where they differ", async () => {
    const test = startWithFile();
    test.clock.advance(5_000);
    let readings = 0;
    test.files.onBefore((call) => {
      if (call === "readReal") readings += 1;
    });
    test.open("one", original.replace("two", "TWO"));
    const { id } = test.open("two", original.replace("two", "TWO"));
    await test.editor.nextView();
    await test.editor.nextView();
    expect(readings).toBe(2);
    await test.registry.closeByAgent(ownerOf("one"), path, { notify: false });
    expect(readings).toBe(2);
    let lastLooks = 0;
    test.files.onBefore((call) => {
      if (call === "readReal" && test.registry.proposals.some((one) => one.id === id)) lastLooks += 1;
    });
    expect(await test.registry.accept(id)).toBe(true);
    expect(lastLooks).toBe(1);
  });

  it("an accept by a command that would overwrite a change is refused, and the review shows it", async () => {
    const test = startWithFile();
    test.files.canWatch = false;
    const { id } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    test.files.addFile(path, original.replace("two", "2"));
    expect(await test.registry.accept(id)).toBe(false);
    expect(view).toMatchObject({ standing: "conflict", isOpen: true, originalText: original.replace("two", "2") });
    expect(test.messageCodes()).toEqual(["not-accepted-conflict"]);
    expect(test.carrier.carried).toEqual([]);
  });

  it("a second accept while the first one is being decided is none: the user is told once what is in the way", async () => {
    const test = startWithFile();
    test.files.canWatch = false;
    const { id } = test.open("one", original.replace("two", "TWO"));
    await test.editor.nextView();
    test.files.addFile(path, original.replace("two", "2"));
    expect(await Promise.all([test.registry.accept(id), test.registry.accept(id)])).toEqual([false, false]);
    expect(test.messageCodes()).toEqual(["not-accepted-conflict"]);
  });

  it("an accept by a command in the middle of an update takes back no change", async () => {
    const test = startWithFile();
    const { id, outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    // The editor takes its time: what it says of the right side meanwhile is the text of before.
    const update = view.update.bind(view);
    let finish = (): void => {};
    const begun = new Promise<void>((resolve) => {
      view.update = async (change) => {
        resolve();
        await new Promise<void>((made) => {
          finish = made;
        });
        return await update(change);
      };
    });
    test.files.addFile(path, original.replace("four", "FOUR"));
    void test.clock.advanceAsync(100);
    await begun;
    const accepted = test.registry.accept(id);
    await Promise.resolve();
    finish();
    expect(await accepted).toBe(true);
    expect(await outcome).toMatchObject({ kind: "accepted", text: "one\nTWO\nthree\nFOUR\nfive\n" });
  });

  it.each(["an accept", "the next look"])(
    "an update that came in although its view denies it is no conflict for %s",
    async (how) => {
      const test = startWithFile();
      const { id, outcome } = test.open("one", "one\ntwo\nTHREE\nfour\nfive\n");
      const view = await test.editor.nextView();
      const update = view.update.bind(view);
      let denied = 0;
      view.update = async (change) => {
        const result = await update(change);
        denied += 1;
        return denied === 1 ? "stale" : result;
      };
      await test.writeByOther(original.replace("two", "TWO"));
      await expect.poll(() => denied).toBe(1);
      if (how === "the next look") {
        await test.clock.advanceAsync(200);
        await standingOf(test, view, "merged");
        expect(view.originalText).toBe(original.replace("two", "TWO"));
      }
      expect(await test.registry.accept(id)).toBe(true);
      expect(await outcome).toMatchObject({ text: "one\nTWO\nTHREE\nfour\nfive\n" });
    },
  );

  it("where the system tells of no changes, it is looked for them", async () => {
    const test = startWithFile();
    test.files.canWatch = false;
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.clock.advanceAsync(2_000);
    test.files.addFile(path, original.replace("four", "FOUR and more"));
    await test.clock.advanceAsync(2_100);
    await standingOf(test, view, "merged");
  });

  it("a review that is shown again after a refused accept holds what was typed", async () => {
    const test = startWithFile();
    const { id, outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    Object.assign(view, { update: async () => "gone" });
    test.files.addFile(path, original.replace("two", "2"));
    expect(await test.registry.accept(id)).toBe(false);
    const again = await test.editor.nextView((one) => one !== view);
    expect(again.standing).toBe("conflict");
    expect(again.text).toContain(conflictStart);
    again.type("resolved\n");
    again.accept();
    expect(await outcome).toMatchObject({ kind: "accepted", text: "resolved\n" });
  });

  it("a file that is cut to nothing for a moment is not taken for an emptied one", async () => {
    const test = startWithFile();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther("");
    await test.clock.advanceAsync(200);
    expect(view.standing).toBe("unchanged");
    await test.writeByOther(original.replace("four", "FOUR"));
    await standingOf(test, view, "merged");
  });

  it("a file that comes into being under a proposal to make it is a conflict", async () => {
    const test = startWithFile();
    test.files.vanish(path);
    const { id } = test.open("one", "mine\n");
    const view = await test.editor.nextView();
    await test.writeByOther("theirs\n");
    await standingOf(test, view, "conflict");
    expect(await test.registry.accept(id)).toBe(false);
  });

  it("an agent's terminal that decides in the middle of a conflict gets no markers", async () => {
    const test = startWithFile();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther(original.replace("two", "2"));
    await standingOf(test, view, "conflict");
    expect(await test.registry.closeByAgent(ownerOf("one"), path, { notify: false })).toMatchObject({
      text: original.replace("two", "TWO"),
    });
  });

  it("keys typed while a change comes in are not lost", async () => {
    const test = startWithFile();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    const update = view.update.bind(view);
    let calls = 0;
    Object.assign(view, {
      update: async (change: Parameters<typeof update>[0]) => {
        calls += 1;
        if (calls === 1) view.type("one\ntyped\nthree\nfour\nfive\n");
        return await update(change);
      },
    });
    await test.writeByOther(original.replace("four", "FOUR"));
    await expect.poll(() => calls).toBe(1);
    await test.clock.advanceAsync(200);
    await expect.poll(() => view.text).toBe("one\ntyped\nthree\nFOUR\nfive\n");
    expect(view.edited).toBe(true);
  });

  it("a change between two runs of the editor is found by the next one", async () => {
    const store = new TestStore();
    const before = startWithFile({ store });
    before.open("one", original.replace("two", "TWO"));
    (await before.editor.nextView()).type("one\nmine\nthree\nfour\nfive\n");
    await before.registry.stop({ keep: true });
    const after = startWithFile({ store, text: original.replace("four", "FOUR") });
    await after.registry.restore();
    const view = await after.editor.nextView();
    expect(view).toMatchObject({ text: "one\nmine\nthree\nFOUR\nfive\n", standing: "merged", edited: true });
    expect(view.originalText).toBe(original.replace("four", "FOUR"));
  });

  it("a file that is no text is not replaced unseen after it has changed", async () => {
    const test = startWithFile({ text: "\ud800" });
    const bytes = (text: string) => Object.assign(test.files, { readReal: async () => Buffer.from(text, "latin1") });
    bytes("\xff one");
    const { id, outcome } = test.open("one", "new\n");
    const view = await test.editor.nextView();
    expect(view.originalText).toBe("");
    test.clock.advance(5);
    bytes("\xff two");
    test.files.addFile(path, "longer than before");
    expect(await test.registry.accept(id)).toBe(false);
    expect(test.messageCodes()).toEqual(["not-accepted-changed-unreadable"]);
    expect(view.isOpen).toBe(true);
    expect(await test.registry.accept(id)).toBe(true);
    expect(await outcome).toMatchObject({ kind: "accepted", text: "new\n" });
  });
});

it("after a restart a link that has come in the file's place is not followed", async () => {
  const store = new TestStore();
  const before = startRegistry({ store });
  before.files.addFile(path, original);
  const input = { path, text: "new\n", handle: path };
  before.registry.open(ownerOf("one"), input, { inside: true, kind: "change", real: path });
  await before.editor.nextView();
  await before.registry.stop({ keep: true });

  const after = startRegistry({ store });
  after.files.addFile("/home/user/secret", "secret\n");
  after.files.addLink(path, "/home/user/secret");
  await after.registry.restore();
  const view = await after.editor.nextView();
  await after.clock.advanceAsync(1_000);
  expect(`${view.request.originalText}${view.originalText}${view.text}`).not.toContain("secret");
});

async function editorShows(
  { editor }: RegistryUnderTest,
  view: MemoryDiffView,
  expected: { readonly unsaved: boolean; readonly text: string },
): Promise<void> {
  await editor.viewBecomes(view, (one) => one.unsaved === expected.unsaved && one.text === expected.text);
}

describe("a file with unsaved text", () => {
  it("is compared with that text, and the accepted text holds both", async () => {
    const test = startWithFile();
    test.editor.openFile(path, original);
    test.editor.makeDirty(path, original.replace("four", "unsaved"));
    const { outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    expect(view).toMatchObject({
      originalText: original.replace("four", "unsaved"),
      unsaved: true,
      text: "one\nTWO\nthree\nunsaved\nfive\n",
      standing: "merged",
      edited: false,
    });
    expect(test.messageCodes()).toEqual([]);
    view.accept();
    expect(await outcome).toMatchObject({ kind: "accepted", text: "one\nTWO\nthree\nunsaved\nfive\n" });
    // The document takes what the agent has written: a later save takes nothing back.
    await test.clock.advanceAsync(200);
    await expect.poll(() => test.editor.documents.isDirty(path)).toBe(false);
  });

  it("is followed as it is typed and saved", async () => {
    const test = startWithFile();
    test.editor.openFile(path, original);
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    test.editor.makeDirty(path, original.replace("four", "typed"));
    await test.clock.advanceAsync(100);
    await editorShows(test, view, { unsaved: true, text: "one\nTWO\nthree\ntyped\nfive\n" });
    test.files.addFile(path, original.replace("four", "typed"));
    await test.editor.documents.save(path);
    await test.clock.advanceAsync(100);
    await editorShows(test, view, { unsaved: false, text: "one\nTWO\nthree\ntyped\nfive\n" });
  });

  it("that was typed on after the accept stays as it is", async () => {
    const test = startWithFile();
    test.editor.openFile(path, original);
    test.editor.makeDirty(path, original.replace("four", "unsaved"));
    const { outcome } = test.open("one", original.replace("two", "TWO"));
    (await test.editor.nextView()).accept();
    await outcome;
    test.editor.makeDirty(path, original.replace("four", "unsaved, and more"));
    await test.clock.advanceAsync(200);
    expect(await test.editor.documents.readText(path, 1_000)).toBe(original.replace("four", "unsaved, and more"));
    expect(test.editor.documents.isDirty(path)).toBe(true);
  });
});
