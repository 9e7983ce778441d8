import { describe, expect, it } from "vitest";
import type { ProposalOwner } from "../../src/diff/proposal.ts";
import { ownerOf, type RegistryUnderTest, startRegistry } from "./registry-under-test.ts";

const path = "/ws/a.ts";

/** What another session than the owner gets by closeDiff. */
function fetched({ registry }: RegistryUnderTest, changes: Partial<ProposalOwner> = {}): Promise<unknown> {
  return registry.closeByAgent(ownerOf("two", changes), path, { notify: false });
}

/** A registry with an outcome of session "one", accepted while that is away. */
async function acceptedWhileAway(): Promise<RegistryUnderTest> {
  const under = startRegistry();
  under.open("one");
  const view = await under.editor.nextView();
  under.carrier.reachable.delete("one");
  view.accept();
  await under.editor.ended(view);
  return under;
}

describe("who may have an outcome", () => {
  it("no agent of another kind, however long the owner is away", async () => {
    const under = await acceptedWhileAway();
    under.clock.advance(3_600_000);
    expect(await fetched(under, { dialect: "claude" })).toBeUndefined();
    expect(await fetched(under)).toEqual({ text: "new\n", edited: false });
  });

  it("nobody else while the owner has a stream, however long it does not confirm", async () => {
    const under = startRegistry();
    under.carrier.confirms = false;
    under.open("one");
    (await under.editor.nextView()).accept();
    await expect.poll(() => under.carrier.carried.length).toBe(1);
    under.clock.advance(3_600_000);
    expect(await fetched(under)).toBeUndefined();
  });

  it("nobody else in the ten seconds after the owner's session ended", async () => {
    const under = await acceptedWhileAway();
    under.clock.advance(9_000);
    under.registry.sessionEnded("one");
    under.clock.advance(9_000);
    expect(await fetched(under)).toBeUndefined();
    under.clock.advance(1_000);
    expect(await fetched(under)).toEqual({ text: "new\n", edited: false });
  });

  it("nobody else in the ten seconds after the owner's stream was lost, however long ago the user decided", async () => {
    const under = startRegistry();
    under.carrier.confirms = false;
    under.open("one");
    (await under.editor.nextView()).accept();
    await expect.poll(() => under.carrier.carried.length).toBe(1);
    under.clock.advance(60_000);
    under.carrier.lose("one", under.clock.monotonic());
    under.clock.advance(9_000);
    expect(await fetched(under)).toBeUndefined();
    under.clock.advance(1_000);
    expect(await fetched(under)).toEqual({ text: "new\n", edited: false });
  });

  it("who comes back is handed its own alone", async () => {
    const under = await acceptedWhileAway();
    under.carrier.reachable.add("one");
    under.registry.setAgentPresent("two", true);
    expect(under.carrier.carried).toEqual([]);
    under.registry.setAgentPresent("one", true);
    await expect.poll(() => under.carrier.carried.map(({ sessionId }) => sessionId)).toEqual(["one"]);
  });

  it("a rejection is nobody's once its owner has ended", async () => {
    const under = startRegistry();
    under.open("one");
    const view = await under.editor.nextView();
    under.carrier.reachable.delete("one");
    view.reject();
    await under.editor.ended(view);
    expect(under.registry.concerns("one")).toBe(true);
    under.registry.sessionEnded("one");
    expect(under.registry.concerns("one")).toBe(false);
    await expect.poll(() => under.store.kept.size).toBe(0);
  });

  it("what an earlier run sent comes again in the order of its events, in whatever order it is read", async () => {
    const before = startRegistry();
    before.carrier.confirms = false;
    for (const name of ["b", "a"]) {
      before.open("one", "new\n", `/ws/${name}.ts`);
      (await before.editor.nextView((one) => one.request.path === `/ws/${name}.ts`)).accept();
      await expect.poll(() => before.carrier.carried.at(-1)?.path).toBe(`/ws/${name}.ts`);
    }
    await before.registry.stop({ keep: true });
    const { store } = before;
    const inOrder = [...store.kept.values()].toSorted((a, b) => b.sentAs - a.sentAs);
    store.load = async () => inOrder;
    const after = startRegistry({ store });
    after.carrier.reachable.delete("one");
    await after.registry.restore();
    after.carrier.reachable.add("one");
    after.registry.setAgentPresent("one", true);
    expect(after.carrier.carried.map((one) => one.path)).toEqual(["/ws/b.ts", "/ws/a.ts"]);
  });
});

describe("text that was typed and taken back", () => {
  it("is no edit, also where the editor has made line ends its own", async () => {
    const { clock, editor, open, registry, store } = startRegistry();
    const { outcome } = open("one", "a\r\nb\r\n");
    const view = await editor.nextView();
    view.type("a\nb\n");
    expect(registry.proposals[0]?.edited).toBe(true);
    clock.advance(500);
    await expect.poll(() => registry.proposals[0]?.edited).toBe(false);
    expect([...store.kept.values()].map(({ draft }) => draft)).toEqual([undefined]);
    view.accept();
    expect(await outcome).toEqual({ kind: "accepted", text: "a\r\nb\r\n", edited: false });
  });
});

describe("text that stayed for the user", () => {
  it("leaves what its agent has yet to be told on disk when the user is done with it", async () => {
    const before = startRegistry();
    before.open("one");
    (await before.editor.nextView()).type("mine\n");
    before.carrier.reachable.delete("one");
    await before.registry.stop({ keep: false });
    const { store } = before;
    const after = startRegistry({ store });
    after.carrier.reachable.delete("one");
    await (await after.registry.restore()).shown;
    (await after.editor.nextView()).reject();
    const kept = (): unknown => [...store.kept.values()].map(({ outcome, draft }) => [outcome?.kind, draft]);
    await expect.poll(kept).toEqual([["rejected", undefined]]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(kept()).toEqual([["rejected", undefined]]);
    after.carrier.reachable.add("one");
    after.registry.setAgentPresent("one", true);
    expect(after.carrier.carried.map((one) => one.outcome.kind)).toEqual(["rejected"]);
    await expect.poll(() => store.kept.size).toBe(0);
  });
});

describe("who decides first", () => {
  it("an agent that closes while everything ends is told by its own answer, not by a rejection, too", async () => {
    const { carrier, editor, open, registry } = startRegistry();
    const { outcome } = open("one");
    const view = await editor.nextView();
    view.type("mine\n");
    const held = holdFirstText(view);
    const stopping = registry.stop({ keep: false });
    expect(await registry.closeByAgent(ownerOf("one"), path, { notify: false })).toMatchObject({ text: "mine\n" });
    held.release();
    await stopping;
    expect((await outcome).kind).toBe("decided-in-terminal");
    expect(carrier.carried).toEqual([]);
  });

  it("an accept by a command counts from the moment of the command, also where the agent closes meanwhile", async () => {
    const { carrier, editor, open, registry } = startRegistry();
    const { id, outcome } = open("one");
    const view = await editor.nextView();
    view.type("mine\n");
    const held = holdFirstText(view);
    const accepting = registry.accept(id);
    const closing = registry.closeByAgent(ownerOf("one"), path, { notify: true });
    await expect.poll(() => held.isAsked).toBe(true);
    await Promise.race([closing, new Promise((resolve) => setImmediate(resolve))]);
    held.release();
    expect(await accepting).toBe(true);
    await closing;
    expect((await outcome).kind).toBe("accepted");
    expect(carrier.carried.map((one) => one.outcome.kind)).toEqual(["accepted"]);
  });

  it("what was typed before the editor said that the view is there is what the agent gets", async () => {
    const { editor, open, registry } = startRegistry();
    let show = (): void => {};
    const held = new Promise<void>((resolve) => {
      show = resolve;
    });
    const { open: openView } = editor.diffs;
    Object.assign(editor.diffs, {
      open: async (...request: Parameters<typeof openView>) => {
        const opened = await openView(...request);
        await held;
        return opened;
      },
    });
    open("one");
    (await editor.nextView()).type("mine\n");
    const closing = registry.closeByAgent(ownerOf("one"), path, { notify: false });
    await new Promise((resolve) => setImmediate(resolve));
    show();
    expect(await closing).toEqual({ text: "mine\n", edited: true });
  });

  it("a view that comes after the decision is closed for its reason", async () => {
    const { editor, open, registry } = startRegistry();
    let isAsked = false;
    let show = (): void => {};
    const held = new Promise<void>((resolve) => {
      show = resolve;
    });
    const { open: openView } = editor.diffs;
    Object.assign(editor.diffs, {
      open: async (...request: Parameters<typeof openView>) => {
        isAsked = true;
        await held;
        return await openView(...request);
      },
    });
    open("one");
    await expect.poll(() => isAsked).toBe(true);
    await registry.closeByAgent(ownerOf("one"), path, { notify: false });
    show();
    await expect
      .poll(() => editor.views.map(({ state }) => state))
      .toEqual([{ kind: "withdrawn", reason: "decided-in-terminal" }]);
  });

  it("a path outside the workspace stays hidden without a yes, and the terminal can still decide", async () => {
    const { editor, registry } = startRegistry();
    registry.open(ownerOf("one"), { path, text: "x", handle: path }, { inside: false, kind: "change" });
    editor.shownMessages[0]?.answer(undefined);
    await expect.poll(() => registry.proposals.map(({ state }) => state)).toEqual(["hidden"]);
    expect(editor.views).toEqual([]);
    expect(await registry.closeByAgent(ownerOf("one"), path, { notify: false })).toEqual({ text: "x", edited: false });
  });

  it("an agent has at most 200 proposals open, and others are not touched by that", async () => {
    const { open } = startRegistry();
    for (let index = 0; index < 200; index += 1) open("one", "new\n", `/ws/${index}.ts`);
    expect(() => open("one")).toThrow(expect.objectContaining({ code: "too-large" }));
    expect(() => open("two")).not.toThrow();
  });
});

describe("drafts that cannot be kept", () => {
  it("are told once for as long as that lasts, and once more when it begins again", async () => {
    const { clock, editor, open, store } = startRegistry();
    const save = store.save;
    const fail = async (): Promise<void> => await Promise.reject(new Error("disk full"));
    let saved = 0;
    open("one");
    const view = await editor.nextView();
    const type = async (): Promise<void> => {
      const before = saved;
      view.type(`mine ${before}\n`);
      clock.advance(500);
      await expect.poll(() => saved).toBe(before + 1);
    };
    const counted =
      (work: (typeof store)["save"]): (typeof store)["save"] =>
      async (record) => {
        saved += 1;
        await work(record);
      };
    const told = (): number => editor.shownMessages.filter(({ message }) => message.code === "draft-not-kept").length;
    store.save = counted(fail);
    await type();
    await expect.poll(told).toBe(1);
    await type();
    store.save = counted(save);
    await type();
    expect(told()).toBe(1);
    store.save = counted(fail);
    await type();
    await expect.poll(told).toBe(2);
  });
});

interface HeldText {
  readonly isAsked: boolean;
  release(): void;
}

/** The editor takes its time to say for the first time what a view holds. */
function holdFirstText(view: { currentText: () => Promise<string> }): HeldText {
  const { currentText } = view;
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isAsked = false;
  view.currentText = async () => {
    const isFirst = !isAsked;
    isAsked = true;
    if (isFirst) await gate;
    return await currentText.call(view);
  };
  return {
    get isAsked() {
      return isAsked;
    },
    release,
  };
}
