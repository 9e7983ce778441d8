import { describe, expect, it } from "vitest";
import { messageOf } from "../../src/support/errors.ts";
import { ownerOf, startRegistry as start } from "./registry-under-test.ts";

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
