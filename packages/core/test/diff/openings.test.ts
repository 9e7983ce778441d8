import { describe, expect, it } from "vitest";
import type { OpenReviews, ProposalInfo } from "../../src/diff/model.ts";
import { type RegistryUnderTest, startRegistry } from "./registry-under-test.ts";

const claude = { dialect: "claude", agentName: "Claude Code", outlivesConnection: false } as const;

function infoOf({ registry }: RegistryUnderTest, id: string): ProposalInfo | undefined {
  return registry.proposals.find((proposal) => proposal.id === id);
}

/** A held review of /ws/a.ts, "old" on disk, "new" proposed, in which the user has typed "mine". */
async function withHeld(changes: Parameters<RegistryUnderTest["open"]>[3] = {}) {
  const under = startRegistry();
  under.files.addFile("/ws/a.ts", "one\ntwo\nthree\n");
  const opened = under.open("one", "one\ntwo\n3\n", "/ws/a.ts", changes);
  const view = await under.editor.nextView();
  view.type("mine\ntwo\n3\n");
  expect(await under.registry.openings.hold(opened.id)).toBe(true);
  return { ...under, ...opened, view };
}

describe("a review that is held", () => {
  it("closes without an answer, is in the list, and opens again with what was typed", async () => {
    const { carrier, editor, registry, id, view, outcome } = await withHeld();
    expect(view.state).toEqual({ kind: "withdrawn", reason: "stopped" });
    // A view that tells of its end late, as of one that the user closed, gives no answer.
    view.events.closed();
    expect(registry.proposals).toMatchObject([{ id, state: "hidden", isHeld: true, edited: true }]);
    expect(carrier.carried).toEqual([]);
    expect(await registry.reveal(id)).toBe(true);
    const [again] = editor.openViews;
    expect(again?.text).toBe("mine\ntwo\n3\n");
    expect(registry.proposals).toMatchObject([{ id, state: "shown", isHeld: false, edited: true }]);
    again?.accept();
    expect(await outcome).toEqual({ kind: "accepted", text: "mine\ntwo\n3\n", edited: true });
  });

  it("is accepted and rejected from the list", async () => {
    const held = await withHeld();
    expect(await held.registry.accept(held.id)).toBe(true);
    expect(await held.outcome).toEqual({ kind: "accepted", text: "mine\ntwo\n3\n", edited: true });
    const other = await withHeld();
    expect(await other.registry.reject(other.id)).toBe(true);
    expect((await other.outcome).kind).toBe("rejected");
  });

  it("is left alone when all are accepted, unless it is named", async () => {
    const { registry, id } = await withHeld();
    expect(await registry.acceptAll()).toEqual([]);
    expect(registry.isOpen(id)).toBe(true);
    expect(await registry.acceptAll([id])).toEqual([]);
    expect(registry.isOpen(id)).toBe(false);
  });

  it("follows its file, and says so in the list before it is shown again", async () => {
    const under = await withHeld();
    under.files.addFile("/ws/a.ts", "one\ntwo\nthree\nfour\n");
    await expect
      .poll(() => {
        under.clock.advance(2_000);
        return infoOf(under, under.id)?.standing;
      })
      .toBe("merged");
    expect(infoOf(under, under.id)).toMatchObject({ isHeld: true });
    await under.registry.reveal(under.id);
    expect(under.editor.openViews).toMatchObject([
      { text: "mine\ntwo\n3\nfour\n", originalText: "one\ntwo\nthree\nfour\n", standing: "merged" },
    ]);
  });

  it("says that its agent is away, and is still held when that comes back", async () => {
    const under = await withHeld();
    under.registry.setAgentPresent("one", false);
    expect(infoOf(under, under.id)).toMatchObject({ state: "away", isHeld: true });
    under.registry.setAgentPresent("one", true);
    expect(infoOf(under, under.id)).toMatchObject({ state: "hidden", isHeld: true });
    expect(under.editor.openViews).toEqual([]);
  });

  it.each([{}, claude])("leaves what was typed as a kept text when its agent exits (%o)", async (changes) => {
    const under = await withHeld(changes);
    under.registry.sessionEnded("one");
    expect(under.registry.kept.list).toMatchObject([{ id: under.id, reason: "agent-exited", isShown: false }]);
    expect(infoOf(under, under.id)).toMatchObject({ state: "kept", isHeld: false });
    expect(await under.registry.kept.read(under.id)).toBe("mine\ntwo\n3\n");
    expect(under.editor.openViews).toEqual([]);
  });

  it("gives way to a newer proposal, which is shown; what was typed is kept", async () => {
    const under = await withHeld();
    under.open("one", "newer\n");
    const view = await under.editor.nextView((one) => one.isOpen);
    expect(view.request.proposedText).toBe("newer\n");
    expect((await under.outcome).kind).toBe("superseded");
    expect(under.registry.kept.list).toMatchObject([{ id: under.id, reason: "superseded" }]);
  });

  it("is the answer to the same question again", async () => {
    const { editor, open, id } = await withHeld();
    expect(open("one", "one\ntwo\n3\n").id).toBe(id);
    expect(editor.openViews).toEqual([]);
  });

  it.each([
    { what: "a reload", end: async (under: RegistryUnderTest) => under.registry.stop({ keep: true }) },
    { what: "the end of the editor's process", end: async () => {} },
  ])("is held after $what, too, with its text", async ({ end }) => {
    const under = await withHeld();
    await end(under);
    const next = startRegistry({ store: under.store });
    next.files.addFile("/ws/a.ts", "one\ntwo\nthree\nfour\n");
    await (await next.registry.restore()).shown;
    expect(next.editor.views).toEqual([]);
    expect(infoOf(next, under.id)).toMatchObject({ isHeld: true, state: "hidden", edited: true, standing: "merged" });
    await next.registry.reveal(under.id);
    expect(next.editor.openViews).toMatchObject([{ text: "mine\ntwo\n3\nfour\n" }]);
  });

  it("that was opened again is open after the end of the editor's process, too", async () => {
    const under = await withHeld();
    await under.registry.reveal(under.id);
    under.clock.advance(500);
    await expect.poll(() => under.store.kept.get(under.id)?.aside).toBeUndefined();
    const next = startRegistry({ store: under.store });
    next.files.addFile("/ws/a.ts", "one\ntwo\nthree\n");
    await (await next.registry.restore()).shown;
    expect(next.editor.openViews).toMatchObject([{ text: "mine\ntwo\n3\n" }]);
  });

  it("is only its terminal's to answer after a reload if its answer died with the connection", async () => {
    const under = await withHeld(claude);
    await under.registry.stop({ keep: true });
    const next = startRegistry({ store: under.store });
    next.files.addFile("/ws/a.ts", "one\ntwo\nthree\n");
    await (await next.registry.restore()).shown;
    expect(next.editor.views).toEqual([]);
    expect(infoOf(next, under.id)).toMatchObject({ state: "terminal", isHeld: true });
    await next.registry.reveal(under.id);
    expect(next.editor.openViews).toMatchObject([{ text: "mine\ntwo\n3\n", request: { decidedBy: "terminal" } }]);
  });

  it("is not, if the editor cannot say what was typed: the view stays", async () => {
    const { editor, open, registry } = startRegistry();
    const { id } = open("one");
    const view = await editor.nextView();
    editor.fail("view.currentText");
    expect(await registry.openings.hold(id)).toBe(false);
    expect(view.isOpen).toBe(true);
    expect(registry.proposals).toMatchObject([{ isHeld: false, state: "shown" }]);
  });

  it("is held while it is still being opened", async () => {
    const { editor, open, registry } = startRegistry();
    const { id } = open("one");
    expect(await registry.openings.hold(id)).toBe(true);
    expect(editor.views).toHaveLength(1);
    expect(editor.openViews).toEqual([]);
    expect(registry.proposals).toMatchObject([{ isHeld: true }]);
  });

  it("is not what nobody knows, or what is being decided", async () => {
    const { editor, open, registry } = startRegistry();
    expect(await registry.openings.hold("nobody")).toBe(false);
    const { id, outcome } = open("one");
    (await editor.nextView()).accept();
    expect(await registry.openings.hold(id)).toBe(false);
    expect((await outcome).kind).toBe("accepted");
  });

  it("that is a kept text by now is closed as one", async () => {
    const { editor, open, registry } = startRegistry();
    const { id } = open("one");
    (await editor.nextView()).type("mine\n");
    registry.sessionEnded("one");
    expect(registry.kept.list).toMatchObject([{ isShown: true }]);
    expect(await registry.openings.hold(id)).toBe(true);
    expect(registry.kept.list).toMatchObject([{ isShown: false }]);
    expect(await registry.kept.read(id)).toBe("mine\n");
  });
});

describe("when reviews open by themselves", () => {
  it("on demand: three agents' are in the list with their lines, and one opens when it is asked for", async () => {
    const under = startRegistry({ openReviews: () => "onDemand" });
    under.files.addFile("/ws/a.ts", "one\ntwo\n");
    const first = under.open("one", "one\n2\n3\n", "/ws/a.ts");
    under.open("two", "x", "/ws/new.ts", { agentName: "Qwen Code", dialect: "qwen" });
    under.open("three", "", "/ws/a.ts", claude);
    await expect
      .poll(() => under.registry.proposals.map(({ state, isHeld, lines }) => [state, isHeld, lines]))
      .toEqual([
        ["listed", false, { added: 2, removed: 1 }],
        ["listed", false, { added: 1, removed: 0 }],
        ["listed", false, { added: 0, removed: 2 }],
      ]);
    expect(under.editor.views).toEqual([]);
    expect(await under.registry.reveal(first.id)).toBe(true);
    expect(under.editor.openViews).toMatchObject([{ request: { id: first.id } }]);
    expect(infoOf(under, first.id)?.state).toBe("shown");
  });

  it("on demand: an accept from the list looks at the file once more, and shows what stands in its way", async () => {
    const under = startRegistry({ openReviews: () => "onDemand" });
    under.files.addFile("/ws/a.ts", "one\ntwo\nthree\n");
    const { id, outcome } = under.open("one", "one\n2\nthree\n");
    await expect.poll(() => infoOf(under, id)?.lines).toEqual({ added: 1, removed: 1 });
    under.files.addFile("/ws/a.ts", "one\ntwo!\nthree\n");
    expect(await under.registry.accept(id)).toBe(false);
    expect(under.editor.openViews).toMatchObject([{ request: { id }, standing: "conflict" }]);
    const other = under.open("two", "0\none\ntwo\nthree\n", "/ws/b.ts");
    under.files.addFile("/ws/b.ts", "one\ntwo\nthree\n");
    await expect.poll(() => infoOf(under, other.id)?.lines).toEqual({ added: 1, removed: 0 });
    under.files.addFile("/ws/b.ts", "one\ntwo\nthree\nfour\n");
    expect(await under.registry.accept(other.id)).toBe(true);
    expect(await other.outcome).toMatchObject({ text: "0\none\ntwo\nthree\nfour\n" });
    under.registry.sessionEnded("one");
    expect((await outcome).kind).toBe("agent-gone");
  });

  it("on demand: what was only in the list is so after a reload, what was opened is opened", async () => {
    const openReviews = (): OpenReviews => "onDemand";
    const under = startRegistry({ openReviews });
    const listed = under.open("one", "a\n", "/ws/a.ts");
    const opened = under.open("one", "b\n", "/ws/b.ts");
    await under.registry.reveal(opened.id);
    await under.registry.stop({ keep: true });
    const next = startRegistry({ store: under.store, openReviews });
    await (await next.registry.restore()).shown;
    expect(next.editor.views.map(({ request }) => request.id)).toEqual([opened.id]);
    expect(infoOf(next, listed.id)).toMatchObject({ state: "listed", isHeld: false });
    const last = startRegistry({ store: under.store });
    await (await last.registry.restore()).shown;
    expect(last.editor.openViews.map(({ request }) => request.id).toSorted()).toEqual(
      [listed.id, opened.id].toSorted(),
    );
  });

  it("when idle: not before the user has been quiet for three seconds, whatever they did", async () => {
    const under = startRegistry({ openReviews: () => "whenIdle" });
    under.editor.openFile("/ws/a.ts", "old\n");
    const { id } = under.open("one");
    await expect.poll(() => infoOf(under, id)?.state).toBe("listed");
    const acts = [
      () => under.editor.setCursor({ line: 0, character: 1 }),
      () => under.editor.makeDirty("/ws/a.ts", "old!\n"),
      () => under.editor.focusFile("/ws/a.ts"),
    ];
    for (const act of acts) {
      under.clock.advance(2_900);
      act();
      expect(infoOf(under, id)?.state).toBe("listed");
    }
    under.clock.advance(2_999);
    expect(infoOf(under, id)?.state).toBe("listed");
    under.clock.advance(1);
    expect((await under.editor.nextView()).request.id).toBe(id);
    // The user is quiet still: the next one need not wait.
    under.open("two", "x\n", "/ws/b.ts");
    const second = await under.editor.nextView((view) => view.request.path === "/ws/b.ts");
    // And who types into a review is not quiet.
    second.type("mine\n");
    const third = under.open("two", "x\n", "/ws/c.ts");
    await expect.poll(() => infoOf(under, third.id)?.state).toBe("listed");
  });

  it("when idle: what was decided or held meanwhile is not opened", async () => {
    const under = startRegistry({ openReviews: () => "whenIdle" });
    const [decided, held, left] = ["a", "b", "c"].map((name) => under.open("one", "x\n", `/ws/${name}.ts`));
    await expect.poll(() => under.registry.proposals.map(({ state }) => state)).toEqual(["listed", "listed", "listed"]);
    await under.registry.reject(decided?.id ?? "");
    expect(await under.registry.openings.hold(held?.id ?? "")).toBe(true);
    under.clock.advance(3_000);
    expect((await under.editor.nextView()).request.id).toBe(left?.id);
    expect(under.editor.views).toHaveLength(1);
  });

  it("follows the setting when it changes", async () => {
    let openReviews: OpenReviews = "onDemand";
    const under = startRegistry({ openReviews: () => openReviews });
    const { id } = under.open("one");
    await expect.poll(() => infoOf(under, id)?.state).toBe("listed");
    openReviews = "always";
    under.registry.openings.reconsider();
    expect((await under.editor.nextView()).request.id).toBe(id);
  });
});

describe("the lines that a proposal changes", () => {
  it.each([
    { before: "a\nb\n", after: "a\nb\nc\n", added: 1, removed: 0 },
    { before: "a\r\nb\r\n", after: "a\nB\n", added: 1, removed: 1 },
    { before: "a\nb\n", after: "a\nb", added: 1, removed: 1 },
    { before: "a\n", after: "", added: 0, removed: 1 },
    { before: "a\n", after: "a\n", added: 0, removed: 0 },
  ])("are counted as git counts them: $before to $after", async ({ before, after, added, removed }) => {
    const under = startRegistry();
    under.files.addFile("/ws/a.ts", before);
    const { id } = under.open("one", after);
    await under.editor.nextView();
    expect(infoOf(under, id)?.lines).toEqual({ added, removed });
  });

  it("are those of what the user has typed, too, and those of long texts come later", async () => {
    const under = startRegistry();
    under.files.addFile("/ws/a.ts", "a\n".repeat(70_000));
    const { id } = under.open("one", "b\n");
    const view = await under.editor.nextView();
    expect(infoOf(under, id)?.lines).toBeUndefined();
    let told: ProposalInfo["lines"];
    under.registry.onDidChange(() => {
      told = infoOf(under, id)?.lines;
    });
    await expect
      .poll(() => {
        under.clock.advance(1);
        return told;
      })
      .toEqual({ added: 1, removed: 70_000 });
    view.type("b\nc\n");
    under.clock.advance(500);
    await expect
      .poll(() => {
        under.clock.advance(1);
        return infoOf(under, id)?.lines;
      })
      .toEqual({ added: 2, removed: 70_000 });
  });
});
