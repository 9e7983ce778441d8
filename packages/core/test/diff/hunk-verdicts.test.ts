import type { MemoryDiffView } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { lineOf, original, path, type RegistryWithFile, standingOf, startWithFile } from "./followed-file.ts";
import { parseStoredProposal } from "../../src/diff/stored-proposals.ts";
import { ownerOf } from "./registry-under-test.ts";

const proposed = "ONE\ntwo\nTHREE\nfour\nFIVE\n";

async function opened(
  options: Parameters<typeof startWithFile>[0] = {},
  text = proposed,
): Promise<RegistryWithFile & { readonly id: string; readonly view: MemoryDiffView }> {
  const test = startWithFile(options);
  const { id } = test.open("one", text);
  return { ...test, id, view: await test.editor.nextView() };
}

const hunksOf = ({ registry }: RegistryWithFile): unknown => registry.proposals[0]?.hunks;

describe("a verdict on one hunk", () => {
  it("accepted, goes into the left side and nowhere else", async () => {
    const test = await opened();
    expect(await test.registry.hunks.decide(test.id, "accept", 0)).toEqual({
      kind: "decided",
      left: 2,
      next: { start: 2, end: 3 },
    });
    expect(test.view.originalText).toBe("ONE\ntwo\nthree\nfour\nfive\n");
    expect(test.view.text).toBe(proposed);
    expect(test.view.edited).toBe(false);
    expect(hunksOf(test)).toEqual({ undecided: 2, accepted: 1, rejected: 0 });
    expect(test.registry.proposals[0]?.edited).toBe(false);
  });

  it("rejected, is undone on the right side", async () => {
    const test = await opened();
    expect(await test.registry.hunks.decide(test.id, "reject", 1)).toEqual({
      kind: "decided",
      left: 2,
      next: { start: 4, end: 5 },
    });
    expect(test.view.originalText).toBe(original);
    expect(test.view.text).toBe("ONE\ntwo\nthree\nfour\nFIVE\n");
    expect(hunksOf(test)).toEqual({ undecided: 2, accepted: 0, rejected: 1 });
    expect(test.registry.proposals[0]?.edited).toBe(true);
  });

  it("the last one decides the proposal, with the right side as its text", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "accept", 0);
    await test.registry.hunks.decide(test.id, "reject", 2);
    expect(await test.registry.hunks.decide(test.id, "accept", 9)).toEqual({ kind: "ended" });
    const text = "ONE\ntwo\nthree\nfour\nFIVE\n";
    expect(test.carrier.carried).toEqual([
      { sessionId: "one", path, outcome: { kind: "accepted", text, edited: true } },
    ]);
    expect(await test.registry.hunks.decide(test.id, "accept", 0)).toEqual({ kind: "ended" });
  });

  it("all accepted, the agent gets exactly what it proposed", async () => {
    const test = await opened();
    for (let count = 0; count < 3; count += 1) await test.registry.hunks.decide(test.id, "accept", 0);
    expect(test.carrier.carried.map(({ outcome }) => outcome)).toEqual([
      { kind: "accepted", text: proposed, edited: false },
    ]);
  });

  it("all rejected, the proposal is rejected", async () => {
    const test = await opened();
    for (let count = 0; count < 3; count += 1) await test.registry.hunks.decide(test.id, "reject", 0);
    expect(test.carrier.carried.map(({ outcome }) => outcome)).toEqual([{ kind: "rejected" }]);
    expect(test.view.text).toBe(original);
  });

  it("is taken back, the last one first", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "accept", 0);
    await test.registry.hunks.decide(test.id, "reject", 2);
    expect(await test.registry.hunks.undo(test.id)).toBe(true);
    expect(test.view.text).toBe(proposed);
    expect(hunksOf(test)).toEqual({ undecided: 2, accepted: 1, rejected: 0 });
    expect(await test.registry.hunks.undo(test.id)).toBe(true);
    expect(test.view.originalText).toBe(original);
    expect(hunksOf(test)).toEqual({ undecided: 3, accepted: 0, rejected: 0 });
    expect(await test.registry.hunks.undo(test.id)).toBe(false);
  });

  it("an accept of the whole proposal sends what the rejected hunks have left", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "reject", 0);
    expect(await test.registry.accept(test.id)).toBe(true);
    expect(test.carrier.carried.map(({ outcome }) => outcome)).toEqual([
      { kind: "accepted", text: "one\ntwo\nTHREE\nfour\nFIVE\n", edited: true },
    ]);
  });

  it("an edit that comes first is kept, and the verdict comes after it", async () => {
    const test = await opened();
    const { update } = test.view;
    let races = 0;
    test.view.update = async (change) => {
      races += 1;
      if (races === 1) test.view.type(`typed\n${test.view.text}`);
      return await update.call(test.view, change);
    };
    expect(await test.registry.hunks.decide(test.id, "reject", 9)).toMatchObject({ kind: "decided", left: 2 });
    expect(races).toBe(2);
    expect(test.view.text).toBe("typed\nONE\ntwo\nTHREE\nfour\nfive\n");
  });

  it("one on a view that goes on changing gives up, and nothing is changed", async () => {
    const test = await opened();
    test.view.update = async () => "stale";
    const deciding = test.registry.hunks.decide(test.id, "reject", 0);
    await test.clock.advanceAsync(5_000);
    expect(await deciding).toEqual({ kind: "none" });
    expect(test.view.text).toBe(proposed);
    expect(test.registry.proposals[0]?.edited).toBe(false);
    expect(test.registry.proposals[0]?.hunks).toBeUndefined();
  });

  it("an update of which the editor did not say that it is in is not made twice", async () => {
    const test = await opened();
    const { update } = test.view;
    test.view.update = async (change) => {
      test.view.update = update;
      await update.call(test.view, change);
      throw new Error("broken");
    };
    expect(await test.registry.hunks.decide(test.id, "reject", 0)).toMatchObject({ kind: "decided", left: 2 });
    expect(test.view.text).toBe("one\ntwo\nTHREE\nfour\nFIVE\n");
    expect(hunksOf(test)).toEqual({ undecided: 2, accepted: 0, rejected: 1 });
  });

  it("stays when the file changes", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "accept", 0);
    await test.registry.hunks.decide(test.id, "reject", 2);
    await test.writeByOther(`zero\n${original}`);
    await standingOf(test, test.view, "merged");
    expect(test.view.originalText).toBe("zero\nONE\ntwo\nthree\nfour\nfive\n");
    expect(test.view.text).toBe("zero\nONE\ntwo\nthree\nfour\nFIVE\n");
    expect(hunksOf(test)).toEqual({ undecided: 1, accepted: 1, rejected: 1 });
    expect(await test.registry.hunks.undo(test.id)).toBe(true);
    expect(test.view.text).toBe("zero\nONE\ntwo\nTHREE\nfour\nFIVE\n");
    expect(await test.registry.hunks.undo(test.id)).toBe(true);
    expect(test.view.originalText).toBe(`zero\n${original}`);
  });

  it("waits until a conflict is resolved", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "accept", 4);
    await test.writeByOther(lineOf(0, "other"));
    await standingOf(test, test.view, "conflict");
    expect(await test.registry.hunks.decide(test.id, "accept", 0)).toEqual({ kind: "conflict" });
    expect(await test.registry.hunks.undo(test.id)).toBe(false);
    test.view.type("other and ONE\ntwo\nTHREE\nfour\nFIVE\n");
    expect(await test.registry.hunks.decide(test.id, "accept", 0)).toMatchObject({ kind: "decided", left: 1 });
    expect(test.view.originalText).toBe("other and ONE\ntwo\nthree\nfour\nFIVE\n");
  });

  it("is none where the agent takes no edited text", async () => {
    const test = startWithFile();
    const { id } = test.registry.open(
      { ...ownerOf("one") },
      { path, text: proposed, handle: path },
      { inside: true, kind: "change", isReadOnly: true },
    );
    const view = await test.editor.nextView();
    expect(await test.registry.hunks.decide(id, "reject", 0)).toEqual({ kind: "read-only" });
    expect(view.text).toBe(proposed);
    expect(await test.registry.hunks.of(id)).toHaveLength(3);
  });

  it("is there again after a reload", async () => {
    const before = await opened();
    await before.registry.hunks.decide(before.id, "accept", 0);
    await before.registry.hunks.decide(before.id, "reject", 2);
    await before.registry.stop({ keep: true });
    const after = startWithFile({ store: before.store });
    await after.registry.restore();
    const view = await after.editor.nextView();
    expect(view.originalText).toBe("ONE\ntwo\nthree\nfour\nfive\n");
    expect(view.text).toBe("ONE\ntwo\nthree\nfour\nFIVE\n");
    expect(hunksOf(after)).toEqual({ undecided: 1, accepted: 1, rejected: 1 });
    expect(await after.registry.hunks.undo(before.id)).toBe(true);
    expect(view.text).toBe(proposed);
  });

  it("is on disk within half a second, for an editor that is killed", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "accept", 0);
    await test.clock.advanceAsync(500);
    expect(test.store.kept.get(test.id)?.base?.hunks).toMatchObject({ left: "ONE\ntwo\nthree\nfour\nfive\n" });
  });

  it("is read back from disk as it was, and a record without verdicts, or with broken ones, is the whole review", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "accept", 0);
    await test.registry.hunks.decide(test.id, "reject", 2);
    await test.clock.advanceAsync(500);
    const record = test.store.kept.get(test.id);
    expect(record?.base?.hunks?.steps).toHaveLength(2);
    expect(parseStoredProposal(JSON.stringify(record))?.base?.hunks).toEqual(record?.base?.hunks);
    const withHunks = (hunks: unknown): string => JSON.stringify({ ...record, base: { ...record?.base, hunks } });
    for (const hunks of [undefined, { left: 1 }, "broken"]) {
      const read = parseStoredProposal(withHunks(hunks));
      expect(read?.base?.file.text).toBe(original);
      expect(read?.draft).toBe(record?.draft);
      expect(read?.base?.hunks).toBeUndefined();
    }
  });

  it("that the editor's own undo has taken back counts as undecided again", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "accept", 0);
    await test.registry.hunks.decide(test.id, "reject", 2);
    test.view.undo();
    expect(test.view.text).toBe(proposed);
    expect(await test.registry.hunks.decide(test.id, "reject", 4)).toMatchObject({ left: 1 });
    expect(hunksOf(test)).toEqual({ undecided: 1, accepted: 1, rejected: 1 });
    expect(await test.registry.hunks.undo(test.id)).toBe(true);
    expect(test.view.text).toBe(proposed);
  });

  it("on added lines that the editor's own undo has put back does not put them back twice", async () => {
    const added = `${original}six\n`;
    const test = await opened({}, added.replace("one", "ONE"));
    await test.registry.hunks.decide(test.id, "reject", 5);
    test.view.undo();
    expect(await test.registry.hunks.undo(test.id)).toBe(false);
    expect(test.view.text).toBe(added.replace("one", "ONE"));
  });

  it("that the user has typed over is not taken back", async () => {
    const test = await opened();
    await test.registry.hunks.decide(test.id, "reject", 0);
    test.view.type("mine\ntwo\nTHREE\nfour\nFIVE\n");
    expect(await test.registry.hunks.undo(test.id)).toBe(false);
    expect(test.view.text).toBe("mine\ntwo\nTHREE\nfour\nFIVE\n");
  });
});

it("counts what is to be decided when asked, and says so once", async () => {
  const test = await opened();
  let changes = 0;
  test.registry.onDidChange(() => (changes += 1));
  expect(test.registry.proposals[0]?.hunks).toBeUndefined();
  expect(await test.registry.hunks.of(test.id)).toHaveLength(3);
  expect(await test.registry.hunks.of(test.id)).toHaveLength(3);
  expect(changes).toBe(1);
  expect(hunksOf(test)).toEqual({ undecided: 3, accepted: 0, rejected: 0 });
  expect(await test.registry.hunks.of("nobody")).toBeUndefined();
  expect(await test.registry.hunks.decide("nobody", "accept", 0)).toEqual({ kind: "ended" });
});
