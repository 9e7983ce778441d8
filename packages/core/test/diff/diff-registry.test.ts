import { describe, expect, it } from "vitest";
import type { DiffRegistry } from "../../src/diff/diff-registry.ts";
import { messageOf } from "../../src/support/errors.ts";
import { ownerOf, startRegistry as start } from "./registry-under-test.ts";

async function registryCloses({ registry }: { registry: DiffRegistry }, sessionId: string, handle: string) {
  return registry.closeByAgent(ownerOf(sessionId), handle, { notify: false });
}

describe("diff registry", () => {
  it("D03 edit and accept tells the owner once, with the edited text", async () => {
    const { carrier, editor, open } = start();
    const { outcome } = open("one");
    const view = await editor.nextView();
    view.type("edited\n");
    view.accept();
    expect(await outcome).toEqual({ kind: "accepted", text: "edited\n", edited: true });
    expect(carrier.carried).toEqual([
      { sessionId: "one", path: "/ws/a.ts", outcome: { kind: "accepted", text: "edited\n", edited: true } },
    ]);
    view.accept();
    view.reject();
    expect(carrier.carried).toHaveLength(1);
  });

  it("D04 openDiff twice with one text is one proposal", async () => {
    const { editor, open } = start();
    const first = open("one");
    expect(open("one").id).toBe(first.id);
    await editor.nextView();
    expect(editor.openViews).toHaveLength(1);
  });

  it("D05 a second proposal for the file keeps what the user typed into the first, beside it", async () => {
    const { carrier, editor, open, registry } = start();
    const first = open("one", "v1\n");
    const view = await editor.nextView();
    view.type("mine\n");
    open("one", "v2\n");
    expect(await first.outcome).toEqual({ kind: "superseded" });
    await editor.nextView((one) => one.request.proposedText === "v2\n");
    expect(editor.openViews).toHaveLength(2);
    expect(await view.currentText()).toBe("mine\n");
    expect(registry.proposals.map((proposal) => proposal.state).toSorted()).toEqual(["kept", "shown"]);
    // Accepting the kept one reaches no agent, and leaves the text in the list.
    view.accept();
    await editor.ended(view);
    expect(carrier.carried).toEqual([]);
    expect(registry.kept.list).toMatchObject([{ id: first.id, path: "/ws/a.ts", reason: "superseded" }]);
    expect(await registry.kept.read(first.id)).toBe("mine\n");
  });

  it("an unedited first proposal simply gives way to the second", async () => {
    const { editor, open } = start();
    open("one", "v1\n");
    const view = await editor.nextView();
    open("one", "v2\n");
    await editor.ended(view);
    await editor.nextView();
    expect(editor.openViews.map((one) => one.request.proposedText)).toEqual(["v2\n"]);
  });

  it("D08 two agents on one file: each outcome goes to its own", async () => {
    const { carrier, editor, open } = start();
    open("one", "of one\n");
    open("two", "of two\n");
    const one = await editor.nextView((view) => view.request.proposedText === "of one\n");
    const two = await editor.nextView((view) => view.request.proposedText === "of two\n");
    two.reject();
    one.accept();
    await editor.ended(one);
    expect(carrier.carried.map(({ sessionId, outcome }) => `${sessionId} ${outcome.kind}`).toSorted()).toEqual([
      "one accepted",
      "two rejected",
    ]);
  });

  it("D07 an outcome decided while the owner is away is kept and handed over when it returns", async () => {
    const { carrier, editor, open, registry, store } = start();
    open("one");
    const view = await editor.nextView();
    carrier.reachable.delete("one");
    registry.setAgentPresent("one", false);
    view.accept();
    await editor.ended(view);
    expect(carrier.carried).toEqual([]);
    await expect.poll(() => [...store.kept.values()].map((record) => record.outcome?.kind)).toEqual(["accepted"]);
    carrier.reachable.add("one");
    registry.setAgentPresent("one", true);
    await expect.poll(() => carrier.carried.map((one) => one.outcome.kind)).toEqual(["accepted"]);
    await expect.poll(() => store.kept.size).toBe(0);
  });

  it("an answer given just after the owner's crash is not kept in silence: the user is told once the owner is missed", async () => {
    const { carrier, editor, open, registry } = start();
    open("one");
    const view = await editor.nextView();
    carrier.reachable.delete("one");
    view.type("mine\n");
    view.accept();
    await editor.ended(view);
    expect(editor.shownMessages).toEqual([]);
    registry.setAgentPresent("one", false);
    await editor.messages.next("kept-until-return");
    expect(registry.kept.list).toMatchObject([{ path: "/ws/a.ts", reason: "not-delivered", isShown: false }]);
    registry.setAgentPresent("one", false);
    expect(editor.shownMessages).toHaveLength(1);
  });

  it.each([
    { typed: undefined, written: undefined, told: [] },
    { typed: "mine\n", written: "\ufeffmine\r\n", told: [] },
    { typed: "mine\n", written: "old\n", told: ["kept-until-return"] },
    { typed: "mine\n", written: undefined, told: ["kept-until-return"] },
  ])(
    "an agent that ended just after it was sent an answer (typed $typed, in the file $written): the user is told $told",
    async ({ typed, written, told }) => {
      const { carrier, editor, files, open, registry } = start();
      await files.makeDirectory("/ws", 0o755);
      if (written !== undefined) await files.createExclusive("/ws/a.ts", written, 0o644);
      carrier.confirms = false;
      open("one");
      const view = await editor.nextView();
      if (typed !== undefined) view.type(typed);
      view.accept();
      await editor.ended(view);
      carrier.reachable.delete("one");
      registry.setAgentPresent("one", false);
      // Decided while nobody is here, told of in any case: what came before it had its turn.
      open("two", "other\n", "/ws/b.ts");
      carrier.reachable.delete("two");
      (await editor.nextView((one) => one.request.path === "/ws/b.ts")).accept();
      registry.setAgentPresent("two", false);
      await expect
        .poll(() => editor.shownMessages.some(({ message }) => message.values?.["path"] === "/ws/b.ts"))
        .toBe(true);
      const shown = editor.shownMessages.filter(({ message }) => message.values?.["path"] === "/ws/a.ts");
      expect(shown.map(({ message }) => message.code)).toEqual(told);
      expect(registry.concerns("one")).toBe(true);
    },
  );

  it("an editor's failure is told to agents without its stack", async () => {
    const { editor, open } = start();
    editor.fail("diffs.open", new Error("no window\n    at open (/opt/editor/diff.js:1:2)"));
    const failure = await open("one").shown.catch(messageOf);
    expect(failure).toBe("The editor could not show the proposal for /ws/a.ts: no window");
  });

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

  it("an undelivered outcome is fetched by closeDiff, once, by its owner alone", async () => {
    const { carrier, clock, editor, open, registry } = start();
    open("one");
    const view = await editor.nextView();
    carrier.reachable.delete("one");
    view.accept();
    await editor.ended(view);
    expect(await registry.closeByAgent(ownerOf("two"), "/ws/a.ts", { notify: false })).toBeUndefined();
    clock.advance(9_000);
    expect(await registry.closeByAgent(ownerOf("two"), "/ws/a.ts", { notify: false })).toBeUndefined();
    expect(await registry.closeByAgent(ownerOf("one"), "/ws/a.ts", { notify: false })).toEqual({
      text: "new\n",
      edited: false,
    });
    expect(await registry.closeByAgent(ownerOf("one"), "/ws/a.ts", { notify: false })).toBeUndefined();
  });

  it("closing by the agent returns the final text with the user's edits and tells the agent nothing", async () => {
    const { carrier, editor, open, registry } = start();
    const { outcome } = open("one");
    const view = await editor.nextView();
    view.type("edited\n");
    expect(await registry.closeByAgent(ownerOf("one"), "/ws/a.ts", { notify: false })).toEqual({
      text: "edited\n",
      edited: true,
    });
    expect((await outcome).kind).toBe("decided-in-terminal");
    await editor.ended(view);
    expect(carrier.carried).toEqual([]);
  });

  it("closing by the agent without suppression sends a rejection", async () => {
    const { carrier, editor, open, registry } = start();
    open("one");
    await editor.nextView();
    await registry.closeByAgent(ownerOf("one"), "/ws/a.ts", { notify: true });
    expect(carrier.carried.map((one) => one.outcome.kind)).toEqual(["rejected"]);
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

  it("D06 text typed for an agent whose answers die with its connection stays after the agent is gone", async () => {
    const { editor, open, registry } = start();
    const changes = { dialect: "claude", outlivesConnection: false };
    open("one", "v1\n", "/ws/a.ts", changes);
    open("one", "v1\n", "/ws/b.ts", changes);
    const edited = await editor.nextView((view) => view.request.path === "/ws/a.ts");
    const untouched = await editor.nextView((view) => view.request.path === "/ws/b.ts");
    edited.type("mine\n");
    registry.sessionEnded("one");
    await editor.ended(untouched);
    expect(editor.openViews).toEqual([edited]);
  });

  it("a path outside the workspace opens only after the user said yes", async () => {
    const { editor, registry } = start();
    registry.open(
      ownerOf("one"),
      { path: "/etc/hosts", text: "x", handle: "/etc/hosts" },
      { inside: false, kind: "change" },
    );
    expect(editor.openViews).toHaveLength(0);
    const question = editor.shownMessages[0];
    expect(question?.message.code).toBe("outside-workspace");
    question?.answer("Show");
    expect((await editor.nextView()).request.path).toBe("/etc/hosts");
  });

  it("what the user was not shown is not accepted together with all others", async () => {
    const { open, registry } = start();
    const input = { path: "/etc/hosts", text: "x", handle: "/etc/hosts" };
    const unseen = registry.open(ownerOf("one"), input, { inside: false, kind: "change" });
    const { shown } = open("one");
    await shown;
    expect(await registry.acceptAll()).toEqual([]);
    expect(await registry.acceptAll([unseen.id])).toEqual([]);
    expect(registry.proposals).toMatchObject([{ path: "/etc/hosts", state: "asking" }]);
  });

  it("F06 an editor that cannot show the proposal is told to the caller, and the terminal can still decide", async () => {
    const { editor, open, registry } = start();
    editor.fail("diffs.open", new Error("no window"));
    const { shown } = open("one");
    await expect(shown).rejects.toMatchObject({ code: "host-failed" });
    expect(await registry.closeByAgent(ownerOf("one"), "/ws/a.ts", { notify: false })).toEqual({
      text: "new\n",
      edited: false,
    });
  });

  it("keeps the byte order mark of the file for agents that drop it, and never doubles it", async () => {
    const { editor, files, open } = start();
    await files.createExclusive("/home/user/bom.ts", "\ufeffold\n", 0o600);
    const lost = open("one", "new\n", "/home/user/bom.ts", { byteOrderMark: "as-on-disk" });
    (await editor.nextView()).accept();
    expect(await lost.outcome).toMatchObject({ text: "\ufeffnew\n", edited: false });
    files.addFile("/home/user/bom.ts", "\ufeffnew\n");
    const kept = open("one", "\ufeffnewer\n", "/home/user/bom.ts", { byteOrderMark: "as-on-disk" });
    (await editor.nextView((view) => view.request.proposedText === "newer\n")).accept();
    expect(await kept.outcome).toMatchObject({ text: "\ufeffnewer\n", edited: false });
  });

  it("an emptied proposal never comes back as the original one", async () => {
    const { editor, open } = start();
    const { outcome } = open("one");
    const view = await editor.nextView();
    view.type("");
    view.accept();
    expect(await outcome).toMatchObject({ kind: "accepted", text: "\n", edited: true });
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

  it("an accept stands although the view closes while the text is worked out", async () => {
    const { carrier, editor, open } = start();
    const { outcome } = open("one", "new\n", "/ws/a.ts", { byteOrderMark: "as-on-disk" });
    const view = await editor.nextView();
    view.events.accepted("new\n");
    view.events.closed();
    expect((await outcome).kind).toBe("accepted");
    expect(carrier.carried.map((one) => one.outcome.kind)).toEqual(["accepted"]);
  });

  it("an accept stands although the agent's session ends while the text is worked out: what was typed goes to the user", async () => {
    const { editor, open, registry } = start();
    const changes = { byteOrderMark: "as-on-disk", dialect: "claude", outlivesConnection: false } as const;
    const { id } = open("one", "new\n", "/ws/a.ts", changes);
    const view = await editor.nextView();
    view.type("mine\n");
    view.accept();
    registry.sessionEnded("one");
    await expect.poll(() => registry.kept.list).toMatchObject([{ path: "/ws/a.ts", isShown: false }]);
    expect(await registry.kept.read(id)).toBe("mine\n");
  });

  it("a command cannot accept a view whose text the editor cannot say", async () => {
    const { carrier, editor, open, registry } = start();
    const { id } = open("one");
    const view = await editor.nextView();
    view.type("mine\n");
    editor.fail("view.currentText", new Error("gone"));
    expect(await registry.accept(id)).toBe(false);
    expect(carrier.carried).toEqual([]);
    expect(await registry.accept(id)).toBe(true);
    expect(carrier.carried.map((one) => one.outcome)).toEqual([{ kind: "accepted", text: "mine\n", edited: true }]);
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

  it("two proposals with one handle but different files are two, even with one text", async () => {
    const { open, registry } = start();
    const first = open("one");
    const second = registry.open(
      ownerOf("one"),
      { path: "/ws/b.ts", text: "new\n", handle: "/ws/a.ts" },
      { inside: true, kind: "change" },
    );
    expect(second.id).not.toBe(first.id);
    expect((await first.outcome).kind).toBe("superseded");
  });

  it("brings a view that is still opening to the front instead of opening a second one", async () => {
    const { editor, open, registry } = start();
    const { id } = open("one");
    expect(await registry.reveal(id)).toBe(true);
    expect(editor.views).toHaveLength(1);
  });

  it("revealing a proposal that waits for the user's word is that word", async () => {
    const { editor, registry } = start();
    const { id } = registry.open(
      ownerOf("one"),
      { path: "/etc/hosts", text: "x", handle: "/etc/hosts" },
      { inside: false, kind: "change" },
    );
    expect(await registry.reveal(id)).toBe(true);
    editor.shownMessages[0]?.answer("Show");
    await editor.nextView();
    expect(editor.views).toHaveLength(1);
  });

  it("a broken listener costs no agent its answer", async () => {
    const { carrier, editor, open, registry } = start();
    open("one");
    const view = await editor.nextView();
    registry.onDidChange(() => {
      throw new Error("listener");
    });
    view.accept();
    await expect.poll(() => carrier.carried.length).toBe(1);
  });

  it("typed text of an answer that a new round overtakes is offered to the user", async () => {
    const { carrier, editor, files, open, registry } = start();
    files.addFile("/ws/a.ts", "new\n");
    const { id } = open("one");
    const view = await editor.nextView();
    view.type("mine\n");
    carrier.reachable.delete("one");
    view.accept();
    await editor.ended(view);
    await expect.poll(() => editor.openViews.length).toBe(0);
    open("one", "v2\n");
    const told = await editor.messages.next("answer-not-used");
    expect(registry.kept.list).toMatchObject([{ id, reason: "not-delivered" }]);
    told.answer("Save to File");
    await expect.poll(() => registry.kept.list).toEqual([]);
    expect(await files.readText("/ws/a.ts", 100)).toBe("mine\n");
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
    expect([...before.store.kept.values()].map(({ sentAs }) => sentAs)).toEqual([207]);
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

  it("a new round just after an edited answer was sent says nothing to the user", async () => {
    const { carrier, editor, open } = start();
    carrier.confirms = false;
    open("one");
    const view = await editor.nextView();
    view.type("mine\n");
    view.accept();
    await expect.poll(() => carrier.carried.length).toBe(1);
    open("one", "v2\n");
    await editor.nextView((one) => one.request.proposedText === "v2\n");
    expect(editor.shownMessages).toEqual([]);
  });
});
