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

  it("of an agent that was never seen to write, an unchanged file says nothing", async () => {
    const test = startWithFile();
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
    { what: "what the user has typed", typed: lineOf(0, "typed"), isWriter: false, kept: ["agent-exited"] },
    { what: "the change of one that was seen to write", typed: undefined, isWriter: true, kept: ["agent-exited"] },
    { what: "the change of one that may write elsewhere", typed: undefined, isWriter: false, kept: [] },
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
