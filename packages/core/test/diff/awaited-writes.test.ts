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
