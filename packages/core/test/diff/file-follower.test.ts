import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryDiffView } from "@patchbay/testkit";
import { conflictEnd, conflictStart } from "../../src/diff/model.ts";
import { ownerOf, type RegistryUnderTest, startRegistry, TestStore } from "./registry-under-test.ts";

const path = "/ws/a.ts";
const original = "one\ntwo\nthree\nfour\nfive\n";

/** A registry whose file is there, with agents that write what they are told was accepted. */
function start(options: { readonly store?: TestStore; readonly text?: string } = {}) {
  const test = startRegistry(options.store === undefined ? {} : { store: options.store });
  test.files.addFile(path, options.text ?? original);
  const carry = test.carrier.carry.bind(test.carrier);
  let writes = true;
  test.carrier.carry = (to, outcome, onDelivered) => {
    const carried = carry(to, outcome, onDelivered);
    if (writes && carried !== undefined && outcome.kind === "accepted") test.files.addFile(to.path, outcome.text);
    return carried;
  };
  return {
    ...test,
    /** Agents take what they are told and write nothing. */
    stopWriting: () => {
      writes = false;
    },
    onDisk: async () => await test.files.readText(path, 10_000),
    /** Another program writes the file, and everybody has seen it. */
    writeByOther: async (text: string) => {
      test.files.addFile(path, text);
      await test.clock.advanceAsync(100);
    },
    messageCodes: () => test.editor.shownMessages.map(({ message }) => message.code),
  };
}

async function standingOf({ editor }: RegistryUnderTest, view: MemoryDiffView, standing: string): Promise<void> {
  await editor.viewBecomes(view, (one) => one.standing === standing);
}

describe("a review whose file changes", () => {
  it("shows the change on the left, carries it over to the right, and loses it in no accept", async () => {
    const test = start();
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

  it("keeps what the user has typed, too", async () => {
    const test = start();
    const { outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    view.type("one\nmine\nthree\nfour\nfive\n");
    await test.writeByOther(original.replace("four", "FOUR"));
    await standingOf(test, view, "merged");
    view.accept();
    expect(await outcome).toEqual({ kind: "accepted", text: "one\nmine\nthree\nFOUR\nfive\n", edited: true });
  });

  it("a change that is taken back leaves the proposal as it came", async () => {
    const test = start();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther(original.replace("four", "FOUR"));
    await standingOf(test, view, "merged");
    await test.writeByOther(original);
    await standingOf(test, view, "unchanged");
    expect(view.text).toBe(original.replace("two", "TWO"));
  });

  it("changes of the same line are a conflict that must be resolved before an accept", async () => {
    const test = start();
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
    const test = start();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther(original.replace("two", "2"));
    await standingOf(test, view, "conflict");
    await test.writeByOther(original.replace("five", "FIVE"));
    await standingOf(test, view, "merged");
    expect(view.text).toBe("one\nTWO\nthree\nfour\nFIVE\n");
  });

  it("an accept looks once more, also where nobody told of the change", async () => {
    const test = start();
    test.files.canWatch = false;
    const { outcome } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    test.files.addFile(path, original.replace("four", "FOUR"));
    view.accept();
    expect(await outcome).toMatchObject({ kind: "accepted", text: "one\nTWO\nthree\nFOUR\nfive\n" });
  });

  it("an accept by a command that would overwrite a change is refused, and the review shows it", async () => {
    const test = start();
    test.files.canWatch = false;
    const { id } = test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    test.files.addFile(path, original.replace("two", "2"));
    expect(await test.registry.accept(id)).toBe(false);
    expect(view).toMatchObject({ standing: "conflict", isOpen: true, originalText: original.replace("two", "2") });
    expect(test.messageCodes()).toEqual(["not-accepted-conflict"]);
    expect(test.carrier.carried).toEqual([]);
  });

  it("an accept by a command in the middle of an update takes back no change", async () => {
    const test = start();
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
      const test = start();
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
    const test = start();
    test.files.canWatch = false;
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.clock.advanceAsync(2_000);
    test.files.addFile(path, original.replace("four", "FOUR and more"));
    await test.clock.advanceAsync(2_100);
    await standingOf(test, view, "merged");
  });

  it("a review that is shown again after a refused accept holds what was typed", async () => {
    const test = start();
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
    const test = start();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther("");
    await test.clock.advanceAsync(200);
    expect(view.standing).toBe("unchanged");
    await test.writeByOther(original.replace("four", "FOUR"));
    await standingOf(test, view, "merged");
  });

  it("a file that comes into being under a proposal to make it is a conflict", async () => {
    const test = start();
    test.files.vanish(path);
    const { id } = test.open("one", "mine\n");
    const view = await test.editor.nextView();
    await test.writeByOther("theirs\n");
    await standingOf(test, view, "conflict");
    expect(await test.registry.accept(id)).toBe(false);
  });

  it("an agent's terminal that decides in the middle of a conflict gets no markers", async () => {
    const test = start();
    test.open("one", original.replace("two", "TWO"));
    const view = await test.editor.nextView();
    await test.writeByOther(original.replace("two", "2"));
    await standingOf(test, view, "conflict");
    expect(await test.registry.closeByAgent(ownerOf("one"), path, { notify: false })).toMatchObject({
      text: original.replace("two", "TWO"),
    });
  });

  it("keys typed while a change comes in are not lost", async () => {
    const test = start();
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
    const before = start({ store });
    before.open("one", original.replace("two", "TWO"));
    (await before.editor.nextView()).type("one\nmine\nthree\nfour\nfive\n");
    await before.registry.stop({ keep: true });
    const after = start({ store, text: original.replace("four", "FOUR") });
    await after.registry.restore();
    const view = await after.editor.nextView();
    expect(view).toMatchObject({ text: "one\nmine\nthree\nFOUR\nfive\n", standing: "merged", edited: true });
    expect(view.originalText).toBe(original.replace("four", "FOUR"));
  });

  it("a file that is no text is not replaced unseen after it has changed", async () => {
    const test = start({ text: "\ud800" });
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

describe("a file with unsaved text", () => {
  it("is compared with that text, and the accepted text holds both", async () => {
    const test = start();
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
    const test = start();
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
    const test = start();
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

describe("an accept that waits for its agent", () => {
  /** The user accepts while the agent is away, and the file changes before it is back. */
  async function acceptedWhileAway(changed: string) {
    const test = start();
    const { id } = test.open("one", original.replace("two", "TWO"));
    await test.editor.nextView();
    test.carrier.reachable.delete("one");
    test.registry.setAgentPresent("one", false);
    expect(await test.registry.accept(id)).toBe(true);
    test.files.addFile(path, changed);
    return test;
  }

  it("takes in what has changed until the agent is back", async () => {
    const test = await acceptedWhileAway(original.replace("four", "FOUR"));
    test.carrier.reachable.add("one");
    test.registry.setAgentPresent("one", true);
    await expect.poll(test.onDisk).toBe("one\nTWO\nthree\nFOUR\nfive\n");
  });

  it("is fetched by closeDiff with what has changed", async () => {
    const test = await acceptedWhileAway(original.replace("four", "FOUR"));
    expect(await test.registry.closeByAgent(ownerOf("one"), path, { notify: false })).toMatchObject({
      text: "one\nTWO\nthree\nFOUR\nfive\n",
    });
  });

  it("is taken back where the file has changed in the same lines, and its text is kept", async () => {
    const test = await acceptedWhileAway(original.replace("two", "2"));
    test.carrier.reachable.add("one");
    test.registry.setAgentPresent("one", true);
    await expect.poll(() => test.carrier.carried.map(({ outcome }) => outcome.kind)).toEqual(["rejected"]);
    expect(await test.onDisk()).toBe(original.replace("two", "2"));
    expect(test.messageCodes()).toContain("outdated-accept");
    const [kept] = test.registry.kept.list;
    expect(kept?.reason).toBe("not-written");
    expect(await test.registry.kept.read(kept?.id ?? "")).toBe(original.replace("two", "TWO"));
  });
});

/** A session writes what was accepted, so that it is known to write here. */
async function seenToWrite(test: RegistryUnderTest, session: string): Promise<void> {
  const { id } = test.open(session, "written\n", "/ws/written.ts");
  await test.editor.nextView();
  await test.registry.accept(id);
  await test.clock.advanceAsync(200);
}

async function editorShows(
  { editor }: RegistryUnderTest,
  view: MemoryDiffView,
  expected: { readonly unsaved: boolean; readonly text: string },
): Promise<void> {
  await editor.viewBecomes(view, (one) => one.unsaved === expected.unsaved && one.text === expected.text);
}

describe("several proposals for one file", () => {
  const lineOf = (index: number, word: string): string => {
    const lines = original.split("\n");
    return lines.with(index, word).join("\n");
  };

  it("accepted all at once, one after the other, keep all their lines", async () => {
    const test = start();
    test.carrier.reachable.add("three");
    test.open("one", lineOf(0, "ONE"));
    test.open("two", lineOf(2, "THREE"));
    test.open("three", lineOf(4, "FIVE"));
    await expect.poll(() => test.editor.openViews.length).toBe(3);
    expect(await test.registry.acceptAll()).toEqual([]);
    expect(await test.onDisk()).toBe("ONE\ntwo\nTHREE\nfour\nFIVE\n");
  });

  it("accepted all at once leave a conflict open, and say so", async () => {
    const test = start();
    test.open("one", lineOf(1, "TWO"));
    const second = test.open("two", lineOf(1, "2"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    expect(await test.registry.acceptAll()).toEqual([second.id]);
    expect(test.registry.proposals).toMatchObject([{ id: second.id, standing: "conflict" }]);
    expect(await test.onDisk()).toBe(lineOf(1, "TWO"));
  });

  it("the next accept waits for a slow agent to write, and takes nothing of it back", async () => {
    const test = start();
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    const second = test.open("two", lineOf(2, "THREE"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    expect(await test.registry.accept(first.id)).toBe(true);
    const accepting = test.registry.accept(second.id);
    await test.clock.advanceAsync(500);
    expect(test.carrier.carried).toHaveLength(1);
    test.files.addFile(path, lineOf(0, "ONE"));
    await test.clock.advanceAsync(100);
    expect(await accepting).toBe(true);
    expect(await second.outcome).toMatchObject({ text: "ONE\ntwo\nTHREE\nfour\nfive\n" });
  });

  it("what is typed while an accept waits is accepted, too", async () => {
    const test = start();
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    const second = test.open("two", lineOf(2, "THREE"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    await test.registry.accept(first.id);
    const view = await test.editor.nextView((one) => one.request.id === second.id);
    const accepting = test.registry.accept(second.id);
    await test.clock.advanceAsync(500);
    view.type(lineOf(2, "typed meanwhile"));
    test.files.addFile(path, lineOf(0, "ONE"));
    await test.clock.advanceAsync(100);
    expect(await accepting).toBe(true);
    expect(await second.outcome).toMatchObject({ text: "ONE\ntwo\ntyped meanwhile\nfour\nfive\n" });
  });

  it("an agent's terminal that decides while an accept waits is the one that decides", async () => {
    const test = start();
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    const second = test.open("two", lineOf(2, "THREE"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    await test.registry.accept(first.id);
    const accepting = test.registry.accept(second.id);
    await test.clock.advanceAsync(500);
    expect(await test.registry.closeByAgent(ownerOf("two"), path, { notify: false })).toMatchObject({
      text: lineOf(2, "THREE"),
    });
    expect((await second.outcome).kind).toBe("decided-in-terminal");
    await test.clock.advanceAsync(3_000);
    expect(await accepting).toBe(false);
    expect(test.carrier.carried).toHaveLength(1);
  });

  it("an agent that never writes does not keep the next one waiting for ever, nor is its change dropped", async () => {
    const test = start();
    await seenToWrite(test, "one");
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    const second = test.open("two", lineOf(2, "THREE"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    await test.registry.accept(first.id);
    const accepting = test.registry.accept(second.id);
    await test.clock.advanceAsync(3_000);
    expect(await accepting).toBe(true);
    expect(await second.outcome).toMatchObject({ text: "ONE\ntwo\nTHREE\nfour\nfive\n" });
  });

  it("an agent that writes only when all its files are decided holds the others up until then", async () => {
    const test = start();
    await seenToWrite(test, "one");
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    const batched = test.open("one", "other\n", "/ws/b.ts");
    const second = test.open("two", lineOf(2, "THREE"));
    await expect.poll(() => test.editor.openViews.length).toBe(3);
    await test.registry.accept(first.id);
    const refused = test.registry.accept(second.id);
    await test.clock.advanceAsync(3_000);
    expect(await refused).toBe(false);
    expect(test.messageCodes()).toEqual(["not-accepted-not-written-yet"]);
    await test.registry.accept(batched.id);
    test.files.addFile(path, lineOf(0, "ONE"));
    await test.clock.advanceAsync(200);
    expect(await test.registry.accept(second.id)).toBe(true);
    expect(await second.outcome).toMatchObject({ text: "ONE\ntwo\nTHREE\nfour\nfive\n" });
  });

  it("accepted all at once go on with the rest of an answer that its agent writes as a whole", async () => {
    const test = start();
    await seenToWrite(test, "one");
    test.stopWriting();
    const carry = test.carrier.carry.bind(test.carrier);
    test.carrier.carry = (to, outcome, onDelivered) => {
      if (to.path === "/ws/b.ts") test.files.addFile(path, lineOf(0, "ONE"));
      return carry(to, outcome, onDelivered);
    };
    test.open("one", lineOf(0, "ONE"));
    const second = test.open("two", lineOf(2, "THREE"));
    test.open("one", "other\n", "/ws/b.ts");
    await expect.poll(() => test.editor.openViews.length).toBe(3);
    expect(await test.registry.acceptAll()).toEqual([]);
    expect(await second.outcome).toMatchObject({ text: "ONE\ntwo\nTHREE\nfour\nfive\n" });
  });

  it("an accepted change that waits for the rest of its answer is not told of", async () => {
    const test = start();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    test.open("one", "other\n", "/ws/b.ts");
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    await test.registry.accept(id);
    await test.clock.advanceAsync(40_000);
    expect(test.messageCodes()).toEqual([]);
  });

  it("an agent that makes edits is told its own changes alone, so that it makes nobody else's twice", async () => {
    const test = start();
    const edits = { dialect: "claude", writes: "edits" as const };
    const { outcome } = test.open("one", lineOf(0, "ONE"), path, edits);
    const view = await test.editor.nextView();
    await test.writeByOther(lineOf(4, "FIVE"));
    await standingOf(test, view, "merged");
    view.type("ONE\ntyped\nthree\nfour\nFIVE\n");
    view.accept();
    expect(await outcome).toEqual({
      kind: "accepted",
      edited: true,
      text: "ONE\ntyped\nthree\nfour\nFIVE\n",
      told: "ONE\ntyped\nthree\nfour\nfive\n",
    });
  });

  it("an agent that makes edits is told the unsaved text that its file is to hold", async () => {
    const test = start();
    test.editor.openFile(path, original);
    test.editor.makeDirty(path, lineOf(4, "unsaved"));
    const { outcome } = test.open("one", lineOf(0, "ONE"), path, { dialect: "claude", writes: "edits" });
    (await test.editor.nextView()).accept();
    expect(await outcome).toEqual({ kind: "accepted", edited: false, text: "ONE\ntwo\nthree\nfour\nunsaved\n" });
  });

  it("an agent that makes edits and whose conflict was resolved is told of edits that fit nowhere else", async () => {
    const test = start();
    const { outcome } = test.open("one", lineOf(1, "TWO"), path, { dialect: "claude", writes: "edits" });
    const view = await test.editor.nextView();
    await test.writeByOther("zero\n" + lineOf(1, "2"));
    await standingOf(test, view, "conflict");
    view.type("zero\none\n2 and TWO\nthree\nfour\nfive\n");
    view.accept();
    expect(await outcome).toMatchObject({ told: "one\n2 and TWO\nthree\nfour\nfive\n" });
  });

  it("an agent that refuses to write a file that has changed is told of soon, unless it proposes anew", async () => {
    const test = start();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    const view = await test.editor.nextView();
    await test.writeByOther(lineOf(4, "FIVE"));
    await standingOf(test, view, "merged");
    expect(await test.registry.accept(id)).toBe(true);
    await test.clock.advanceAsync(6_000);
    expect(test.messageCodes()).toEqual(["not-written"]);
    expect(test.registry.kept.list.map(({ reason }) => reason)).toEqual(["not-written"]);
    const again = test.open("one", "ONE\ntwo\nthree\nfour\nFIVE\nmore\n");
    await test.editor.nextView();
    await test.registry.accept(again.id);
    test.open("one", "another\n");
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toEqual(["not-written"]);
  });

  it("an agent that was waited for in vain is not waited for again, until it writes", async () => {
    const test = start();
    test.stopWriting();
    const propose = async (session: string, line: number, word: string): Promise<string> => {
      const { id } = test.open(session, lineOf(line, word));
      await test.editor.nextView((view) => view.request.id === id);
      return id;
    };
    await test.registry.accept(await propose("one", 0, "ONE"));
    for (const [session, word] of [
      ["two", "for one"],
      ["one", "for two"],
    ] as const) {
      const waiting = test.registry.accept(await propose(session, 2, word));
      await test.clock.advanceAsync(3_000);
      expect(await waiting).toBe(true);
    }
    // No time passes: nothing is waited for.
    expect(await test.registry.accept(await propose("two", 2, "THREE again"))).toBe(true);
  });

  it("a change that was not written in time does not stand in the way of one that it does not go with", async () => {
    const test = start();
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    const second = test.open("two", lineOf(0, "1"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    await test.registry.accept(first.id);
    const accepting = test.registry.accept(second.id);
    await test.clock.advanceAsync(3_000);
    expect(await accepting).toBe(true);
    expect(await second.outcome).toMatchObject({ text: lineOf(0, "1") });
  });

  it("accepted all at once, each holds what the ones before it make of the file, whether these are seen to write or not", async () => {
    const test = start();
    test.stopWriting();
    test.carrier.reachable.add("three");
    test.open("one", lineOf(0, "ONE"));
    test.open("two", lineOf(2, "THREE"));
    test.open("three", lineOf(4, "FIVE"));
    await expect.poll(() => test.editor.openViews.length).toBe(3);
    const accepting = test.registry.acceptAll();
    await test.clock.advanceAsync(6_000);
    expect(await accepting).toEqual([]);
    expect(test.carrier.carried.at(-1)?.outcome).toMatchObject({ text: "ONE\ntwo\nTHREE\nfour\nFIVE\n" });
  });

  it("accepted one by one, none holds what an agent that was never seen to write was told", async () => {
    const test = start();
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    const second = test.open("two", lineOf(2, "THREE"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    await test.registry.accept(first.id);
    const accepting = test.registry.accept(second.id);
    await test.clock.advanceAsync(3_000);
    expect(await accepting).toBe(true);
    expect(await second.outcome).toMatchObject({ text: lineOf(2, "THREE") });
  });

  it("two of one agent that writes do not wait for each other", async () => {
    const test = start();
    await seenToWrite(test, "one");
    test.stopWriting();
    const propose = (handle: string, text: string) =>
      test.registry.open(ownerOf("one"), { path, text, handle }, { inside: true, kind: "change" });
    const first = propose("first", lineOf(0, "ONE"));
    const second = propose("second", lineOf(2, "THREE"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    await test.registry.accept(first.id);
    const accepting = test.registry.accept(second.id);
    await test.clock.advanceAsync(3_000);
    expect(await accepting).toBe(true);
  });

  it("an agent that writes one of two texts and refuses the other one has not written both", async () => {
    const test = start();
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(first.id);
    const second = test.registry.open(
      ownerOf("one"),
      { path, text: lineOf(2, "THREE"), handle: "second" },
      { inside: true, kind: "change" },
    );
    const view = await test.editor.nextView((one) => one.request.id === second.id);
    view.type(lineOf(2, "typed"));
    view.accept();
    await second.outcome;
    await test.writeByOther(lineOf(0, "ONE"));
    await test.clock.advanceAsync(6_000);
    expect(test.messageCodes()).toEqual(["not-written"]);
    expect(test.registry.kept.list).toMatchObject([{ reason: "not-written" }]);
  });

  it("what another program writes right after an accept is not taken for the agent's", async () => {
    const test = start();
    await seenToWrite(test, "one");
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(id);
    await test.writeByOther(lineOf(4, "FIVE"));
    await test.clock.advanceAsync(6_000);
    expect(test.messageCodes()).toEqual(["not-written"]);
  });

  it.each([
    { what: "an agent's change", typed: undefined, told: [] },
    { what: "what the user has typed", typed: "let x = 3;", told: ["not-written"] },
  ])("what formatters and fixers make of $what", async ({ typed, told }) => {
    const test = start();
    await seenToWrite(test, "one");
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "if (one) { two( 'x' ) }\nlet x = 2;"));
    const view = await test.editor.nextView((one) => one.request.id === id);
    if (typed !== undefined) view.type(lineOf(0, `if (one) { two( 'x' ) }\n${typed}`));
    await test.registry.accept(id);
    await test.writeByOther(lineOf(0, `if (one) {\n  two("x");\n}\nconst x = 2;`));
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toEqual(told);
  });

  it("of an agent that was never seen to write, an unchanged file says nothing", async () => {
    const test = start();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(id);
    await test.clock.advanceAsync(100_000);
    expect(test.messageCodes()).toEqual([]);
    expect(test.registry.kept.list).toEqual([]);
    expect(test.clock.pending).toBe(0);
  });

  it("an accepted change that never reaches the file is told, once, with the text", async () => {
    const test = start();
    const written = test.open("one", "written\n", "/ws/b.ts");
    await test.editor.nextView();
    await test.registry.accept(written.id);
    await test.clock.advanceAsync(200);
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(id);
    await test.clock.advanceAsync(31_000);
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toEqual(["not-written"]);
  });

  it("one that does is not told of", async () => {
    const test = start();
    const { id } = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(id);
    await test.clock.advanceAsync(100_000);
    expect(test.messageCodes()).toEqual([]);
    expect(test.clock.pending).toBe(0);
  });
});

describe("whatever agents, user and other programs do to one file", () => {
  const count = 12;
  const numbered = Array.from({ length: count }, (_, index) => `line ${index}`);
  const action = fc.oneof(
    fc.record({ kind: fc.constant("disk" as const), line: fc.nat(count - 1) }),
    fc.record({ kind: fc.constant("unseen" as const), line: fc.nat(count - 1) }),
    fc.record({ kind: fc.constant("type" as const), line: fc.nat(count - 1), view: fc.nat(2) }),
    fc.record({ kind: fc.constant("accept" as const), view: fc.nat(2) }),
    fc.record({ kind: fc.constant("wait" as const) }),
  );

  it("no accepted hunk and no outside change is lost, or a conflict is shown", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(count - 1), { minLength: 3, maxLength: 3 }),
        fc.array(action, { maxLength: 8 }),
        async (agentLines, actions) => {
          const test = start({ text: numbered.join("\n") });
          test.carrier.reachable.add("three");
          const views: MemoryDiffView[] = [];
          for (const [index, session] of ["one", "two", "three"].entries()) {
            const text = numbered.with(agentLines[index] ?? 0, `agent ${index}`).join("\n");
            const { id } = test.open(session, text);
            views.push(await test.editor.nextView((view) => view.request.id === id));
          }
          /** Words that must be on disk in the end, or in a review that is not accepted. */
          const wanted = new Set<string>();
          for (const [step, todo] of [...actions, { kind: "all" as const }].entries()) {
            const disk = (await test.onDisk()) ?? "";
            const at = "line" in todo ? todo.line : 0;
            const lines = disk.split("\n");
            if (todo.kind === "disk" || todo.kind === "unseen") {
              // Another program changes a line, and knows what it replaces.
              const before = lines[at] ?? "";
              if (!before.startsWith("line")) continue;
              wanted.add(`other ${step}`);
              const changed = lines.with(at, `other ${step}`).join("\n");
              if (todo.kind === "disk") await test.writeByOther(changed);
              else test.files.addFile(path, changed);
            } else if (todo.kind === "type") {
              const view = views[todo.view];
              const own = view?.text.split("\n") ?? [];
              if (view?.isOpen !== true || own[at]?.startsWith("line") !== true) continue;
              view.type(own.with(at, `typed ${step}`).join("\n"));
            } else if (todo.kind === "accept") {
              const view = views[todo.view];
              if (view?.isOpen !== true) continue;
              const said = view.text.split("\n").filter((line) => /^(agent|typed)/u.test(line));
              const id = view.request.id;
              const accepting = test.registry.accept(id);
              await test.clock.advanceAsync(50);
              if (await accepting) for (const line of said) wanted.add(line);
            } else if (todo.kind === "all") {
              await test.clock.advanceAsync(200);
              await test.registry.acceptAll();
            } else await test.clock.advanceAsync(300);
          }
          const found = new Set(((await test.onDisk()) ?? "").split("\n"));
          const inConflicts = test.registry.proposals
            .filter(({ standing }) => standing === "conflict")
            .map(({ id }) => views.find((view) => view.request.id === id)?.text ?? "");
          for (const word of wanted) expect([...found], inConflicts.join("\n--\n")).toContain(word);
          // Every agent's hunk is on disk, or its review is open and says why.
          for (const [index, view] of views.entries()) {
            const isKept =
              found.has(`agent ${index}`) || view.text.includes("typed") || !view.text.includes(`agent ${index}`);
            if (!view.isOpen) expect(isKept).toBe(true);
            else expect(view.standing).toBe("conflict");
          }
        },
      ),
      { numRuns: 150 },
    );
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
