import { describe, expect, it } from "vitest";
import type { DiffRegistry } from "../../src/diff/diff-registry.ts";
import { ownerOf, startRegistry as start } from "./registry-under-test.ts";

async function registryCloses({ registry }: { registry: DiffRegistry }, sessionId: string, handle: string) {
  return registry.closeByAgent(ownerOf(sessionId), handle, { notify: false });
}

describe("diff registry, from one run to the next", () => {
  it("what is typed after everything ended is the next run's: this one writes nothing any more", async () => {
    const { clock, editor, open, registry, store } = start();
    const { id } = open("one");
    const view = await editor.nextView();
    await registry.stop({ keep: true });
    view.type("at the last moment\n");
    await registry.settled();
    expect(store.kept.get(id)?.draft).toBe("at the last moment\n");
    registry.end();
    // The next run has the outcome delivered.
    await store.remove(id);
    view.type("too late\n");
    await clock.advanceAsync(1_000);
    expect([...store.kept.keys()]).toEqual([]);
  });

  it("a verdict while the editor reloads is none: the proposal is kept as open, and asked about again", async () => {
    const { carrier, editor, open, registry, store } = start();
    open("one", "a\n", "/ws/a.ts");
    open("one", "b\n", "/ws/b.ts");
    const accepted = await editor.nextView((one) => one.request.path === "/ws/a.ts");
    const rejected = await editor.nextView((one) => one.request.path === "/ws/b.ts");
    accepted.type("mine\n");
    const stopping = registry.stop({ keep: true });
    accepted.accept();
    rejected.reject();
    await stopping;
    accepted.events.accepted("mine\n");
    rejected.events.closed();
    expect(carrier.carried).toEqual([]);
    expect([...store.kept.values()].map(({ facts, draft, outcome }) => [facts.input.path, draft, outcome])).toEqual([
      ["/ws/a.ts", "mine\n", undefined],
      ["/ws/b.ts", undefined, undefined],
    ]);
  });

  it("what was sent before a reload is sent again under the same event id, in the same order", async () => {
    const before = start();
    before.carrier.confirms = false;
    for (const name of ["b", "a"]) before.open("one", "new\n", `/ws/${name}.ts`);
    for (const name of ["b", "a"]) {
      (await before.editor.nextView((one) => one.request.path === `/ws/${name}.ts`)).accept();
      await expect.poll(() => before.carrier.carried.at(-1)?.path).toBe(`/ws/${name}.ts`);
    }
    await before.registry.stop({ keep: true });
    expect([...before.store.kept.values()].map(({ sentAs }) => sentAs)).toEqual(expect.arrayContaining([101, 102]));
    const after = start({ store: before.store });
    after.carrier.reachable.delete("one");
    await after.registry.restore();
    after.carrier.reachable.add("one");
    after.registry.setAgentPresent("one", true);
    expect(after.carrier.carried.map(({ path }) => path)).toEqual(["/ws/b.ts", "/ws/a.ts"]);
    expect(after.carrier.resentAs).toEqual([101, 102]);
  });

  it("L01 a decision takes the place of its draft at once: an editor that is killed then loses neither", async () => {
    const { carrier, clock, editor, open, store } = start();
    carrier.confirms = false;
    open("one");
    const view = await editor.nextView();
    view.type("mine\n");
    clock.advance(200);
    await expect.poll(() => [...store.kept.values()].map(({ draft }) => draft)).toEqual(["mine\n"]);
    view.accept();
    const kept = (): unknown => [...store.kept.values()].map(({ outcome, sentAs }) => [outcome, sentAs]);
    await expect.poll(kept).toEqual([[{ kind: "accepted", text: "mine\n", edited: true }, 101]]);
    expect(store.removed).toBe(0);
    carrier.handles[0]?.deliver();
    await expect.poll(kept).toEqual([]);
  });

  it("L01 what waited on disk names its event once it is sent: a run that is killed then tells nobody again", async () => {
    const { carrier, editor, open, registry, store } = start();
    carrier.confirms = false;
    // The connection takes it, and has no stream to send it on.
    carrier.nextEventId = 0;
    carrier.isStreaming = false;
    open("one");
    (await editor.nextView()).accept();
    const sentAs = (): readonly number[] => [...store.kept.values()].map((record) => record.sentAs);
    await expect.poll(sentAs).toEqual([0]);
    carrier.isStreaming = true;
    carrier.handles[0]?.send(101);
    registry.setAgentPresent("one", true);
    await expect.poll(sentAs).toEqual([101]);
  });

  it("writes what is typed within 500 ms, and forgets it at the end", async () => {
    const { clock, editor, open, store } = start();
    open("one");
    const view = await editor.nextView();
    clock.advance(500);
    view.type("mine\n");
    clock.advance(300);
    await expect.poll(() => [...store.kept.values()].map((record) => record.draft)).toEqual(["mine\n"]);
    view.reject();
    await expect.poll(() => store.kept.size).toBe(0);
  });

  it("writes a proposal nobody has typed into without asking its view for the text", async () => {
    const { clock, editor, open, store } = start();
    open("one");
    const view = await editor.nextView();
    let asked = 0;
    const { currentText } = view;
    view.currentText = () => {
      asked += 1;
      return currentText.call(view);
    };
    clock.advance(500);
    await expect.poll(() => store.kept.size).toBe(1);
    expect(asked).toBe(0);
    view.type("mine\n");
    clock.advance(500);
    await expect.poll(() => [...store.kept.values()].map((record) => record.draft)).toEqual(["mine\n"]);
    expect(asked).toBe(1);
  });

  it("restores a proposal with its draft for the same session, and takes its answer", async () => {
    const before = start();
    before.open("one");
    (await before.editor.nextView()).type("mine\n");
    await before.registry.stop({ keep: true });
    const after = start({ store: before.store });
    after.carrier.reachable.delete("one");
    await after.registry.restore();
    const view = await after.editor.nextView();
    expect(view.request).toMatchObject({ draftText: "mine\n", proposedText: "new\n", agentPresent: false });
    after.carrier.reachable.add("one");
    after.registry.setAgentPresent("one", true);
    view.accept();
    await after.editor.ended(view);
    expect(after.carrier.carried).toMatchObject([{ sessionId: "one", outcome: { kind: "accepted", text: "mine\n" } }]);
  });

  it("a stop rejects what is open and keeps no view", async () => {
    const { carrier, editor, open, registry } = start();
    const { outcome } = open("one");
    await editor.nextView();
    await registry.stop({ keep: false });
    expect((await outcome).kind).toBe("stopped");
    expect(carrier.carried.map((one) => one.outcome.kind)).toEqual(["rejected"]);
    expect(editor.openViews).toHaveLength(0);
  });

  it("what a newer proposal has left beside it is after two reloads still the user's, and never an answer", async () => {
    const first = start();
    first.open("one", "v1\n");
    (await first.editor.nextView()).type("mine\n");
    first.open("one", "v2\n");
    await first.editor.nextView((view) => view.request.proposedText === "v2\n");
    await first.registry.stop({ keep: true });
    const second = start({ store: first.store });
    await second.registry.restore();
    await second.registry.stop({ keep: true });
    const third = start({ store: first.store });
    await (await third.registry.restore()).shown;
    const kept = await third.editor.nextView((view) => view.request.draftText === "mine\n");
    expect(third.registry.proposals.map((proposal) => proposal.state)).toContain("kept");
    expect(kept.agentPresent).toBe(false);
    expect(await third.registry.closeByAgent(ownerOf("one"), "/ws/a.ts", { notify: false })).toMatchObject({
      text: "v2\n",
    });
    kept.accept();
    await third.editor.messages.next("agent-gone");
    expect(third.registry.kept.list).toMatchObject([{ path: "/ws/a.ts", reason: "superseded", isShown: false }]);
    expect(third.carrier.carried).toEqual([]);
  });

  it("text of a stopped run, whose agent was told, is the user's alone after the next start", async () => {
    const before = start();
    before.open("one");
    (await before.editor.nextView()).type("mine\n");
    await before.registry.stop({ keep: false });
    const after = start({ store: before.store });
    await (await after.registry.restore()).shown;
    (await after.editor.nextView()).accept();
    await after.editor.messages.next("agent-gone");
    expect(after.registry.kept.list).toHaveLength(1);
    expect(after.carrier.carried).toEqual([]);
  });

  it("an outcome on its way at a reload is delivered by the next run", async () => {
    const before = start();
    before.carrier.confirms = false;
    before.open("one");
    (await before.editor.nextView()).accept();
    await expect.poll(() => before.carrier.carried.length).toBe(1);
    await before.registry.stop({ keep: true });
    const after = start({ store: before.store });
    await after.registry.restore();
    expect(after.carrier.carried.map((one) => one.outcome)).toEqual([
      { kind: "accepted", text: "new\n", edited: false },
    ]);
    await expect.poll(() => after.store.kept.size).toBe(0);
  });

  it("a stop keeps the rejection for an owner that is away, and nothing for one that was told", async () => {
    const before = start();
    before.carrier.confirms = false;
    before.open("one");
    before.open("two");
    await expect.poll(() => before.editor.openViews.length).toBe(2);
    before.carrier.reachable.delete("one");
    await before.registry.stop({ keep: false });
    const after = start({ store: before.store });
    await after.registry.restore();
    expect(after.carrier.carried).toEqual([{ sessionId: "one", path: "/ws/a.ts", outcome: { kind: "rejected" } }]);
  });

  it("a restored proposal whose owner came back first shows its agent", async () => {
    const before = start();
    before.open("one");
    await before.editor.nextView();
    await before.registry.stop({ keep: true });
    const after = start({ store: before.store });
    await (await after.registry.restore()).shown;
    expect((await after.editor.nextView()).agentPresent).toBe(true);
  });

  it("nothing is restored into a registry that has been stopped meanwhile", async () => {
    const before = start();
    before.open("one");
    await before.editor.nextView();
    await before.registry.stop({ keep: true });
    const after = start({ store: before.store });
    const restoring = after.registry.restore();
    await after.registry.stop({ keep: true });
    await (await restoring).shown;
    expect(after.editor.views).toEqual([]);
    expect(before.store.kept.size).toBe(1);
  });

  it("another session fetches an outcome only when its owner has been away for ten seconds, also after a restart", async () => {
    const before = start();
    before.open("one");
    const view = await before.editor.nextView();
    before.carrier.reachable.delete("one");
    view.accept();
    await expect
      .poll(() => [...before.store.kept.values()].map((record) => record.outcome?.kind))
      .toEqual(["accepted"]);
    await before.registry.stop({ keep: true });
    const after = start({ store: before.store });
    after.clock.jump(3_600_000);
    after.carrier.reachable.delete("one");
    await after.registry.restore();
    const other = ownerOf("two");
    expect(await after.registry.closeByAgent(other, "/ws/a.ts", { notify: false })).toBeUndefined();
    after.clock.advance(10_000);
    expect(await after.registry.closeByAgent(other, "/ws/a.ts", { notify: false })).toMatchObject({ text: "new\n" });
  });

  it("an outcome that leaves, or arrives, while everything ends is written down as such", async () => {
    const before = start();
    before.carrier.confirms = false;
    before.carrier.nextEventId = 0;
    before.open("one");
    before.open("two");
    for (const view of [
      await before.editor.nextView(),
      await before.editor.nextView((one) => one !== before.editor.views[0]),
    ]) {
      view.accept();
    }
    await expect.poll(() => before.carrier.carried.length).toBe(2);
    await before.registry.stop({ keep: true });
    expect([...before.store.kept.values()].map(({ sentAs }) => sentAs)).toEqual([0, 0]);
    before.carrier.handles[0]?.send(207);
    before.carrier.handles[1]?.deliver();
    await before.registry.settled();
    // Of the one that arrived, whether it was written is for the next run to see.
    expect([...before.store.kept.values()].map(({ sentAs, kept }) => kept?.reason ?? sentAs)).toEqual([
      207,
      "not-written",
    ]);
  });

  it("what an agent proposes or closes while the editor reloads counts for the next run", async () => {
    const before = start();
    before.open("one");
    await before.editor.nextView();
    await before.registry.stop({ keep: true });
    const late = before.open("one", "late\n", "/ws/b.ts");
    expect(await registryCloses(before, "one", "/ws/a.ts")).toEqual({ text: "new\n", edited: false });
    await before.registry.settled();
    expect(before.editor.views).toHaveLength(1);
    const after = start({ store: before.store });
    await (await after.registry.restore()).shown;
    expect(after.registry.proposals.map(({ id, path }) => [id, path])).toEqual([[late.id, "/ws/b.ts"]]);
  });

  it("what an agent proposes while everything ends for good is rejected at once", async () => {
    const { carrier, open, registry } = start();
    await registry.stop({ keep: false });
    expect((await open("one").outcome).kind).toBe("stopped");
    expect(carrier.carried).toMatchObject([{ outcome: { kind: "rejected" } }]);
  });
});
