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
