import { describe, expect, it } from "vitest";
import { lineOf, path, seenToWrite, startWithFile } from "./followed-file.ts";
import { ownerOf } from "./registry-under-test.ts";

describe("several proposals for one file", () => {
  it("accepted all at once, one after the other, keep all their lines", async () => {
    const test = startWithFile();
    test.carrier.reachable.add("three");
    test.open("one", lineOf(0, "ONE"));
    test.open("two", lineOf(2, "THREE"));
    test.open("three", lineOf(4, "FIVE"));
    await expect.poll(() => test.editor.openViews.length).toBe(3);
    expect(await test.registry.acceptAll()).toEqual([]);
    expect(await test.onDisk()).toBe("ONE\ntwo\nTHREE\nfour\nFIVE\n");
  });

  it("accepted all at once leave a conflict open, and say so", async () => {
    const test = startWithFile();
    test.open("one", lineOf(1, "TWO"));
    const second = test.open("two", lineOf(1, "2"));
    await expect.poll(() => test.editor.openViews.length).toBe(2);
    expect(await test.registry.acceptAll()).toEqual([second.id]);
    expect(test.registry.proposals).toMatchObject([{ id: second.id, standing: "conflict" }]);
    expect(await test.onDisk()).toBe(lineOf(1, "TWO"));
  });

  it("the next accept waits for a slow agent to write, and takes nothing of it back", async () => {
    const test = startWithFile();
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
    const test = startWithFile();
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
    const test = startWithFile();
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
    const test = startWithFile();
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
    const test = startWithFile();
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
    const test = startWithFile();
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

  it("an agent that was waited for in vain is not waited for again, until it writes", async () => {
    const test = startWithFile();
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
    const test = startWithFile();
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
    const test = startWithFile();
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
    const test = startWithFile();
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
    const test = startWithFile();
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
});
