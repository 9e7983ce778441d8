import { describe, expect, it } from "vitest";
import {
  lineOf,
  original,
  path,
  type RegistryWithFile,
  seenToWrite,
  standingOf,
  startWithFile,
} from "./followed-file.ts";
import type { ProposalOwner } from "../../src/diff/proposal.ts";
import { ownerOf } from "./registry-under-test.ts";

/** The user accepts what they typed; it is sent, and nothing says that it has arrived. */
async function acceptTyped(test: RegistryWithFile): Promise<void> {
  test.carrier.confirms = false;
  const { id } = test.open("one", lineOf(0, "ONE"));
  const view = await test.editor.nextView();
  view.type(lineOf(0, "mine"));
  expect(await test.registry.accept(id)).toBe(true);
  test.carrier.handles.at(-1)?.send(7);
  await test.clock.advanceAsync(1_000);
}

/** What the user is told where a run takes back what was left, and its agent turns out to have exited. */
async function toldOfExit(run: RegistryWithFile): Promise<readonly string[]> {
  run.carrier.reachable.delete("one");
  await run.registry.restore();
  run.registry.sessionEnded("one");
  await run.clock.advanceAsync(1_000);
  return run.messageCodes();
}

/** The same in the run after, which finds this text in the file. */
async function toldInRunAfter({ store }: RegistryWithFile, text: string): Promise<readonly string[]> {
  return await toldOfExit(startWithFile({ store, text }));
}

describe("an accepted text on its way to the file", () => {
  it("an accepted change that waits for the rest of its answer is not told of", async () => {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    test.open("one", "other\n", "/ws/b.ts");
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    await test.registry.accept(id);
    await test.clock.advanceAsync(40_000);
    expect(test.messageCodes()).toEqual([]);
  });

  it("an agent that refuses to write a file that has changed is told of soon, unless it proposes anew", async () => {
    const test = startWithFile();
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

  it("is not missed where its agent writes it and the next one before anybody has looked", async () => {
    const test = startWithFile();
    test.stopWriting();
    test.files.canWatch = false;
    const first = test.open("one", lineOf(0, "ONE"));
    (await test.editor.nextView()).type(lineOf(0, "mine"));
    await test.registry.accept(first.id);
    test.files.addFile(path, lineOf(0, "mine"));
    const second = test.open("one", lineOf(4, "FIVE"));
    await test.editor.nextView((view) => view.request.id === second.id);
    await test.registry.accept(second.id);
    test.files.addFile(path, lineOf(4, "FIVE"));
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toEqual([]);
    expect(test.registry.kept.list).toEqual([]);
  });

  it("is with its agent once that was seen to write it, whatever becomes of the file before its session ends", async () => {
    for (const isWritten of [true, false]) {
      const test = startWithFile();
      if (!isWritten) test.stopWriting();
      await acceptTyped(test);
      await test.writeByOther("another\n");
      await test.clock.advanceAsync(1_000);
      test.registry.sessionEnded("one");
      await test.clock.advanceAsync(1_000);
      expect(test.messageCodes().includes("not-delivered")).toBe(!isWritten);
    }
  });

  it("is with its agent in later runs, too, whatever becomes of the file before them", async () => {
    const first = startWithFile();
    await acceptTyped(first);
    // Nothing says that the first run ends.
    expect(await toldInRunAfter(first, "another\n")).toEqual([]);
  });

  it("is with its agent in later runs once it was in the file as the agent exited", async () => {
    const first = startWithFile();
    first.stopWriting();
    await acceptTyped(first);
    const second = startWithFile({ store: first.store, text: lineOf(0, "mine") });
    expect(await toldOfExit(second)).toEqual([]);
    expect(await toldInRunAfter(second, "another\n")).toEqual([]);
  });

  it("is told of in a later run where no run has seen it written", async () => {
    const first = startWithFile();
    first.stopWriting();
    await acceptTyped(first);
    expect(await toldInRunAfter(first, "another\n")).toEqual(["not-delivered"]);
  });

  it("an agent that writes one of two texts and refuses the other one has not written both", async () => {
    const test = startWithFile();
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
    const test = startWithFile();
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
    const test = startWithFile();
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

  it("is told of when it does not arrive, also of an agent that was never seen to write", async () => {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(id);
    await test.clock.advanceAsync(29_000);
    expect(test.messageCodes()).toEqual([]);
    await test.clock.advanceAsync(2_000);
    expect(test.messageCodes()).toEqual(["not-written"]);
    expect(test.registry.proposals).toMatchObject([{ id, state: "kept", keptReason: "not-written" }]);
    expect(await test.registry.kept.read(id)).toBe(lineOf(0, "ONE"));
    expect(test.clock.pending).toBe(0);
  });

  it.each([
    { what: "as it was accepted", written: lineOf(0, "ONE") },
    { what: "with what another program has changed since", written: lineOf(0, "ONE").replace("five", "FIVE") },
  ])("and is written after all, $what, is kept no longer, and no message offers it", async ({ written }) => {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(id);
    await test.clock.advanceAsync(31_000);
    await test.writeByOther(lineOf(4, "FIVE"));
    await test.clock.advanceAsync(1_000);
    expect(test.registry.kept.list).toHaveLength(1);
    expect(test.editor.shownMessages[0]?.message.signal?.aborted).toBe(false);
    await test.writeByOther(written);
    await expect.poll(() => test.registry.kept.list).toEqual([]);
    expect(test.editor.shownMessages[0]?.message.signal?.aborted).toBe(true);
    expect(test.messageCodes()).toEqual(["not-written"]);
    await test.registry.stop({ keep: true });
    expect(test.store.kept.size).toBe(0);
  });

  it.each([
    { what: "the agent's own text", typed: undefined, kept: 0 },
    { what: "what the user has typed", typed: lineOf(0, "typed"), kept: 1 },
  ])("and is kept goes with the agent's next proposal for the file, $what: $kept left", async ({ typed, kept }) => {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    const view = await test.editor.nextView();
    if (typed !== undefined) view.type(typed);
    await test.registry.accept(id);
    await test.clock.advanceAsync(31_000);
    expect(test.registry.kept.list).toHaveLength(1);
    test.open("one", lineOf(0, "ONE again"));
    expect(test.registry.kept.list).toHaveLength(kept);
  });

  describe("and is kept", () => {
    /** Accepted, not written in time, and then the file was changed by somebody else. */
    async function unwritten(changed: string, action?: string) {
      const test = startWithFile();
      test.stopWriting();
      const { id } = test.open("one", lineOf(0, "ONE"));
      await test.editor.nextView();
      await test.registry.accept(id);
      await test.clock.advanceAsync(31_000);
      await test.writeByOther(changed);
      await test.clock.advanceAsync(1_000);
      if (action !== undefined) test.editor.shownMessages[0]?.answer(action);
      const nextView = async () => await test.editor.nextView((one) => one.request.id === id);
      return { ...test, id, nextView };
    }

    it("is written by the editor into a file that is as it was, or has changed elsewhere", async () => {
      for (const changed of [original, lineOf(4, "FIVE")]) {
        const { registry, onDisk } = await unwritten(changed, "Save to File");
        await expect.poll(() => registry.kept.list).toEqual([]);
        expect(await onDisk()).toBe(changed.replace("one", "ONE"));
      }
    });

    it("is shown beside the file as it is now", async () => {
      const { nextView } = await unwritten(lineOf(4, "FIVE"), "Show");
      const { request } = await nextView();
      expect(request).toMatchObject({ originalText: lineOf(4, "FIVE"), agentPresent: true });
      expect(request.draftText ?? request.proposedText).toBe("ONE\ntwo\nthree\nfour\nFIVE\n");
    });

    it("is shown with both versions where the same lines have changed, and written once that is resolved", async () => {
      const { id, registry, onDisk, nextView } = await unwritten(lineOf(0, "first"), "Save to File");
      const view = await nextView();
      expect(view.request).toMatchObject({ originalText: lineOf(0, "first"), standing: "conflict" });
      expect(registry.kept.list).toMatchObject([{ id, isShown: true }]);
      expect(await registry.kept.save(id)).toEqual({ kind: "conflict" });
      const again = await nextView();
      again.type(lineOf(0, "first ONE"));
      expect(await registry.kept.save(id)).toEqual({ kind: "saved", merged: false });
      expect(await onDisk()).toBe(lineOf(0, "first ONE"));
    });

    it("and shown with both versions is kept no longer once its agent has written it", async () => {
      const { registry, writeByOther, nextView } = await unwritten(lineOf(0, "first"), "Save to File");
      await nextView();
      await writeByOther(lineOf(0, "ONE"));
      await expect.poll(() => registry.kept.list).toEqual([]);
    });
  });

  it("that came with another agent's text, which was made from it, is not told of", async () => {
    const test = startWithFile();
    test.stopWriting();
    const first = test.open("one", lineOf(0, "ONE"));
    const second = test.open("two", lineOf(4, "FIVE"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    const accepting = test.registry.acceptAll([first.id, second.id]);
    await test.clock.advanceAsync(4_000);
    expect(await accepting).toEqual([]);
    await test.writeByOther("ONE\ntwo\nthree\nfour\nFIVE\n");
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toEqual([]);
  });

  it("of three that were accepted at once, the one that its agent refuses to write is told of, and kept", async () => {
    const test = startWithFile();
    test.stopWriting();
    test.carrier.reachable.add("three");
    const ids = [
      test.open("one", lineOf(0, "ONE")).id,
      test.open("two", lineOf(2, "THREE")).id,
      test.open("three", lineOf(4, "FIVE"), path, { dialect: "qwen", agentName: "Qwen Code" }).id,
    ];
    await expect.poll(() => test.editor.openViews.length).toBe(3);
    const accepting = test.registry.acceptAll(ids);
    await test.clock.advanceAsync(10_000);
    expect(await accepting).toEqual([]);
    // The agents are slow: all are accepted before the first of them has written.
    await test.writeByOther(lineOf(0, "ONE"));
    await test.writeByOther(lineOf(0, "ONE").replace("three", "THREE"));
    await test.clock.advanceAsync(8_000);
    expect(test.editor.shownMessages.map(({ message }) => [message.code, message.values["agent"]])).toEqual([
      ["not-written", "Qwen Code"],
    ]);
    expect(test.registry.kept.list).toMatchObject([{ id: ids[2], reason: "not-written" }]);
    expect(await test.registry.kept.read(ids[2] ?? "")).toBe("ONE\ntwo\nTHREE\nfour\nFIVE\n");
  });

  it("is told of at once where there is no room to wait for it", async () => {
    const test = startWithFile();
    test.stopWriting();
    const size = 6 * 1024 * 1024;
    for (const index of [1, 2, 3]) {
      const { id } = test.open("one", `${index}`.padEnd(size, "x"), `/ws/${index}.ts`);
      await test.editor.nextView(({ request }) => request.id === id);
      await test.registry.accept(id);
    }
    await expect.poll(() => test.registry.kept.list.map((one) => one.path)).toEqual(["/ws/1.ts"]);
  });

  it("an accepted change that never reaches the file is told, once, with the text", async () => {
    const test = startWithFile();
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
    const test = startWithFile();
    const { id } = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(id);
    await test.clock.advanceAsync(100_000);
    expect(test.messageCodes()).toEqual([]);
    expect(test.clock.pending).toBe(0);
  });
});

describe("an agent that exits with an accepted text", () => {
  it.each([
    { what: "what the user has typed", typed: lineOf(0, "typed"), isWriter: false, kept: ["not-written"] },
    { what: "the change of one that was seen to write", typed: undefined, isWriter: true, kept: ["not-written"] },
    { what: "the change of one that was not", typed: undefined, isWriter: false, kept: ["not-written"] },
  ])("loses nothing of $what", async ({ typed, isWriter, kept }) => {
    const test = startWithFile();
    if (isWriter) await seenToWrite(test, "one");
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    const view = await test.editor.nextView((one) => one.request.id === id);
    if (typed !== undefined) view.type(typed);
    await test.registry.accept(id);
    test.registry.sessionEnded("one");
    await test.clock.advanceAsync(3_000);
    expect(test.registry.kept.list.map(({ reason }) => reason)).toEqual(kept);
    expect(test.messageCodes()).toEqual(kept.map(() => "not-written"));
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toHaveLength(kept.length);
  });

  it("and has written it just before has written it", async () => {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"));
    const view = await test.editor.nextView();
    view.type(lineOf(0, "typed"));
    await test.registry.accept(id);
    test.registry.sessionEnded("one");
    await test.writeByOther(lineOf(0, "typed"));
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toEqual([]);
    expect(test.registry.kept.list).toEqual([]);
  });
});

describe("an agent whose model is told to write the user's text by itself", () => {
  const hook = { dialect: "qwen", agentName: "Qwen Code", isOfHook: true, outlivesConnection: false };

  /** Accepted as the user has typed it, by the agent's hook. */
  async function toldAnew(): Promise<RegistryWithFile> {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"), path, hook);
    const view = await test.editor.nextView();
    view.type(lineOf(0, "typed"));
    await test.registry.accept(id);
    test.registry.toldAnew("one", path);
    return test;
  }

  it("has time for it until its turn ends, and not until another tool does", async () => {
    const test = await toldAnew();
    test.registry.toolEnded("one", path);
    await test.clock.advanceAsync(9 * 60_000);
    expect(test.messageCodes()).toEqual([]);
    test.registry.toolEnded("one");
    await test.clock.advanceAsync(2_500);
    expect(test.messageCodes()).toEqual(["not-written"]);
    const [kept] = test.registry.kept.list;
    expect(await test.registry.kept.read(kept?.id ?? "")).toBe(lineOf(0, "typed"));
  });

  it("is not waited for for ever", async () => {
    const test = await toldAnew();
    await test.clock.advanceAsync(10 * 60_000 + 1_000);
    expect(test.messageCodes()).toEqual(["not-written"]);
  });

  it.each([
    { what: "without the user's words", proposed: lineOf(0, "ONE again"), told: ["not-written"] },
    { what: "with the user's words", proposed: lineOf(0, "typed\nand more"), told: [] },
  ])("and proposes something else, $what", async ({ proposed, told }) => {
    const test = await toldAnew();
    const again = test.open("one", proposed, path, hook);
    await test.editor.nextView(({ request }) => request.id === again.id);
    await test.registry.reject(again.id);
    test.registry.toolEnded("one");
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toEqual(told);
  });

  it("and whose tool fails is told of soon", async () => {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"), path, hook);
    await test.editor.nextView();
    await test.registry.accept(id);
    test.registry.toolEnded("one", path);
    await test.clock.advanceAsync(2_500);
    expect(test.messageCodes()).toEqual(["not-written"]);
  });
});

describe("an agent that asks about all tools of an answer before the first of them runs", () => {
  const ahead = { dialect: "pi", agentName: "Pi", isOfHook: true, asksAhead: true, outlivesConnection: false };

  /** Two changes of a file, of which the second is made from the first, are accepted. */
  async function acceptedBoth(second: string): Promise<RegistryWithFile> {
    const test = startWithFile();
    test.stopWriting();
    for (const text of [lineOf(0, "ONE"), second]) {
      const { id } = test.open("one", text, path, ahead);
      await test.editor.nextView(({ request }) => request.id === id);
      await test.registry.accept(id);
    }
    return test;
  }

  it("is not waited for while it still asks, and is asked at once", async () => {
    const test = await acceptedBoth(lineOf(0, "first"));
    expect(test.carrier.carried.map(({ outcome }) => outcome.kind)).toEqual(["accepted", "accepted"]);
    await test.clock.advanceAsync(60 * 60_000);
    expect(test.messageCodes()).toEqual([]);
  });

  it("has written all where the last one took the place of the others", async () => {
    const test = await acceptedBoth(lineOf(0, "first"));
    await test.writeByOther(lineOf(0, "first"));
    test.registry.toolEnded("one", path);
    await test.clock.advanceAsync(60_000);
    expect(test.messageCodes()).toEqual([]);
  });

  it("and that wrote nothing is told of once, with what the user saw last", async () => {
    const test = await acceptedBoth(lineOf(0, "first"));
    test.registry.toolEnded("one", path);
    await test.clock.advanceAsync(2_500);
    expect(test.messageCodes()).toEqual(["not-written"]);
    const [kept] = test.registry.kept.list;
    expect(await test.registry.kept.read(kept?.id ?? "")).toBe(lineOf(0, "first"));
  });

  it("makes its next change from what was accepted, until the file changes or its tool has ended", async () => {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"), path, ahead);
    await test.editor.nextView();
    await test.registry.accept(id);
    const text = (held: string): string | undefined => test.registry.aheadText("one", path, held);
    expect(text(original)).toBe(lineOf(0, "ONE"));
    expect(test.registry.aheadText("two", path, original)).toBeUndefined();
    expect(text(lineOf(4, "FIVE"))).toBeUndefined();
    test.registry.toolEnded("one", path);
    expect(text(original)).toBeUndefined();
  });
});

describe("an accepted text that is on its way when the editor ends", () => {
  const claude = { dialect: "claude", agentName: "Claude Code", outlivesConnection: false };

  /** Accepted, and not written; the run after it on the same store. */
  async function acceptedBefore(end: "killed" | "stopped" | "closed", changes: Partial<ProposalOwner> = {}) {
    const test = startWithFile();
    test.stopWriting();
    const { id } = test.open("one", lineOf(0, "ONE"), path, changes);
    await test.editor.nextView();
    await test.registry.accept(id);
    if (end === "killed") await test.clock.advanceAsync(600);
    else {
      await test.registry.stop({ keep: end === "stopped" });
      await test.registry.settled();
    }
    test.registry.end();
    return test;
  }

  const ends = (["killed", "stopped", "closed"] as const).flatMap((end) => [
    { end, who: "Gemini CLI", changes: {} },
    { end, who: "Claude Code", changes: claude },
    { end, who: "a hook", changes: { ...claude, isOfHook: true } },
  ]);

  it.each(ends)("of $who is told of and kept by the next run, the editor was $end", async ({ end, changes }) => {
    const { store } = await acceptedBefore(end, changes);
    const after = startWithFile({ store });
    await after.registry.restore();
    await expect.poll(() => after.messageCodes()).toEqual(["not-written"]);
    expect(after.registry.proposals).toMatchObject([{ state: "kept", keptReason: "not-written" }]);
    await after.clock.advanceAsync(1_000);
    await after.registry.stop({ keep: true });
    await after.registry.settled();
    const third = startWithFile({ store });
    await third.registry.restore();
    await third.clock.advanceAsync(1_000);
    // Once is enough; the list still has it.
    expect(third.messageCodes()).toEqual([]);
    expect(third.registry.kept.list).toMatchObject([{ reason: "not-written" }]);
    await third.writeByOther(lineOf(0, "ONE"));
    await expect.poll(() => third.registry.kept.list).toEqual([]);
  });

  it.each(ends)(
    "of $who that has arrived by the next run is not told of, the editor was $end",
    async ({ end, changes }) => {
      const { store } = await acceptedBefore(end, changes);
      const after = startWithFile({ store, text: lineOf(0, "ONE") });
      await after.registry.restore();
      await expect.poll(() => after.registry.kept.list).toEqual([]);
      await after.clock.advanceAsync(60_000);
      expect(after.messageCodes()).toEqual([]);
      expect(store.kept.size).toBe(0);
    },
  );

  it("costs no write where the agent writes at once", async () => {
    const test = startWithFile();
    let saved = 0;
    const save = test.store.save;
    test.store.save = async (record) => {
      saved += record.kept === undefined ? 0 : 1;
      await save(record);
    };
    const { id } = test.open("one", lineOf(0, "ONE"));
    await test.editor.nextView();
    await test.registry.accept(id);
    await test.clock.advanceAsync(5_000);
    expect([saved, test.store.kept.size, test.clock.pending]).toEqual([0, 0, 0]);
  });
});

describe("an agent that makes edits", () => {
  it("is told its own changes alone, so that it makes nobody else's twice", async () => {
    const test = startWithFile();
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

  it("is told the unsaved text that its file is to hold", async () => {
    const test = startWithFile();
    test.editor.openFile(path, original);
    test.editor.makeDirty(path, lineOf(4, "unsaved"));
    const { outcome } = test.open("one", lineOf(0, "ONE"), path, { dialect: "claude", writes: "edits" });
    (await test.editor.nextView()).accept();
    expect(await outcome).toEqual({ kind: "accepted", edited: false, text: "ONE\ntwo\nthree\nfour\nunsaved\n" });
  });

  it("and whose conflict was resolved is told of edits that fit nowhere else", async () => {
    const test = startWithFile();
    const { outcome } = test.open("one", lineOf(1, "TWO"), path, { dialect: "claude", writes: "edits" });
    const view = await test.editor.nextView();
    await test.writeByOther("zero\n" + lineOf(1, "2"));
    await standingOf(test, view, "conflict");
    view.type("zero\none\n2 and TWO\nthree\nfour\nfive\n");
    view.accept();
    expect(await outcome).toMatchObject({ told: "one\n2 and TWO\nthree\nfour\nfive\n" });
  });
});

describe("an accept that waits for its agent", () => {
  /** The user accepts while the agent is away, and the file changes before it is back. */
  async function acceptedWhileAway(changed: string) {
    const test = startWithFile();
    const { id } = test.open("one", original.replace("two", "TWO"));
    await test.editor.nextView();
    test.carrier.reachable.delete("one");
    test.registry.setAgentPresent("one", false);
    expect(await test.registry.accept(id)).toBe(true);
    test.files.addFile(path, changed);
    return test;
  }

  it("is waited for once its agent has it", async () => {
    const test = await acceptedWhileAway(original);
    test.stopWriting();
    test.carrier.reachable.add("one");
    test.registry.setAgentPresent("one", true);
    await expect.poll(() => test.registry.kept.list).toEqual([]);
    await test.clock.advanceAsync(31_000);
    expect(test.registry.kept.list).toMatchObject([{ reason: "not-written" }]);
  });

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

  it("is taken back once, also where its agent comes back twice while the file is read", async () => {
    const test = await acceptedWhileAway(original.replace("two", "2"));
    test.carrier.reachable.add("one");
    test.registry.setAgentPresent("one", true);
    test.registry.setAgentPresent("one", true);
    await expect.poll(() => test.carrier.carried.map(({ outcome }) => outcome.kind)).toContain("rejected");
    await new Promise((resolve) => setImmediate(resolve));
    expect(test.messageCodes().filter((code) => code === "outdated-accept")).toHaveLength(1);
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
