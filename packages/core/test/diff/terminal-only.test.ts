import { describe, expect, it } from "vitest";
import type { MemoryDiffView } from "@patchbay/testkit";
import type { ProposalOwner } from "../../src/diff/proposal.ts";
import { ownerOf, type RegistryUnderTest, startRegistry, type TestStore } from "./registry-under-test.ts";

const claude = { dialect: "claude", agentName: "Claude Code", outlivesConnection: false } as const;
const path = "/ws/a.ts";
const before = "one\ntwo\nthree\n";
const proposed = "one\n2\nthree\n";
const edited = "one\n2, or two\nthree\n";

interface AfterReload extends RegistryUnderTest {
  readonly view: MemoryDiffView;
  /** Claude's session of this run. */
  readonly owner: ProposalOwner;
}

/** What a run has left, in which Claude proposed a change and the user typed, or not. */
async function left(typed: string | undefined, changes: Partial<ProposalOwner> = {}): Promise<TestStore> {
  const first = startRegistry();
  first.files.addFile(path, before);
  first.open("one", proposed, path, { ...claude, ...changes });
  const view = await first.editor.nextView();
  if (typed !== undefined) view.type(typed);
  const stopping = first.registry.stop({ keep: true });
  // Its connection ends with the run.
  first.registry.sessionEnded("one");
  await stopping;
  await first.registry.settled();
  first.registry.end();
  return first.store;
}

async function reloaded(typed?: string, changes: Partial<ProposalOwner> = {}): Promise<AfterReload> {
  const under = startRegistry({ store: await left(typed, changes) });
  under.files.addFile(path, before);
  await (await under.registry.restore()).shown;
  const view = await under.editor.nextView();
  return { ...under, view, owner: ownerOf("two", claude) };
}

/** The terminal was answered with yes. */
function write({ files }: AfterReload): void {
  files.addFile(path, proposed);
}

describe("a proposal of Claude after a reload of the editor", () => {
  it.each([undefined, edited])("is there again (typed: %j), for its terminal to answer", async (typed) => {
    const { registry, view } = await reloaded(typed);
    expect(view.request).toMatchObject({ decidedBy: "terminal", agentPresent: true, proposedText: proposed });
    expect(view.text).toBe(typed ?? proposed);
    expect(registry.proposals).toMatchObject([{ path, state: "terminal", edited: typed !== undefined }]);
  });

  it("an accept decides nothing and says where to answer; the review goes on", async () => {
    const { carrier, editor, registry, view } = await reloaded(edited);
    expect(await registry.accept(view.request.id)).toBe(false);
    await editor.messages.next("answer-in-terminal");
    expect(registry.proposals).toMatchObject([{ state: "terminal" }]);
    expect(editor.openViews.map(({ text }) => text)).toEqual([edited]);
    expect(carrier.carried).toEqual([]);
    expect(await registry.acceptAll()).toEqual([]);
  });

  it("once the terminal's yes is written, the edits are offered and applied onto it", async () => {
    const under = await reloaded(edited);
    write(under);
    await under.clock.advanceAsync(3_000);
    const offer = await under.editor.messages.next("written-without-edits");
    // The review is about the edits alone from then on.
    expect(under.view).toMatchObject({ originalText: proposed, text: edited, agentPresent: false });
    expect(under.registry.kept.list).toMatchObject([{ path, reason: "answered-in-terminal", isShown: true }]);
    // Somebody else writes another line meanwhile.
    under.files.addFile(path, `${proposed}four\n`);
    offer.answer("Apply My Edits");
    await expect.poll(() => under.registry.kept.list).toEqual([]);
    expect(await under.files.readText(path, 100)).toBe(`${edited}four\n`);
    await under.editor.ended(under.view);
  });

  it("an untouched one goes when its terminal's yes is written", async () => {
    const under = await reloaded();
    write(under);
    await under.clock.advanceAsync(3_000);
    await under.editor.ended(under.view);
    expect(under.registry.proposals).toEqual([]);
    expect(under.editor.shownMessages).toEqual([]);
  });

  it("an untouched one goes when its terminal has answered, whatever that was", async () => {
    const under = await reloaded();
    expect(await under.registry.closeByAgent(under.owner, path, { notify: false })).toBeUndefined();
    await under.editor.ended(under.view);
    expect(under.registry.proposals).toEqual([]);
  });

  it("what was typed is kept when the terminal has answered no", async () => {
    const under = await reloaded(edited);
    await under.registry.closeByAgent(under.owner, path, { notify: false });
    await under.clock.advanceAsync(3_000);
    await under.editor.messages.next("edits-not-used");
    expect(under.registry.kept.list).toMatchObject([{ path, reason: "answered-in-terminal" }]);
    expect(await under.registry.kept.read(under.view.request.id)).toBe(edited);
  });

  it("is not closed by another terminal of Claude's, nor by another agent", async () => {
    const own = { pid: 900, mark: "start-900" };
    const under = await reloaded(undefined, { process: own });
    const other = { ...under.owner, process: { pid: 901, mark: "start-901" } };
    await under.registry.closeByAgent(other, path, { notify: false });
    await under.registry.closeAllOfSession(other);
    await under.registry.closeByAgent(ownerOf("three"), path, { notify: false });
    // Not known to be this one, which is not enough to end all.
    await under.registry.closeAllOfSession(under.owner);
    expect(under.registry.proposals).toMatchObject([{ state: "terminal" }]);
    await under.registry.closeAllOfSession({ ...under.owner, process: own });
    await under.editor.ended(under.view);
  });

  it("is answered by the time its agent asks for something else", async () => {
    const own = { pid: 900, mark: "start-900" };
    const under = await reloaded(undefined, { process: own });
    const propose = (session: string, pid: number) =>
      under.registry.open(
        { ...under.owner, sessionId: session, process: { pid, mark: `start-${pid}` } },
        { path: "/ws/other.ts", text: "other\n", handle: session },
        { inside: true, kind: "change" },
      );
    propose("another terminal", 901);
    expect(under.registry.proposals).toMatchObject([{ state: "terminal" }, { sessionId: "another terminal" }]);
    propose("the same", 900);
    await under.editor.ended(under.view);
    expect(under.registry.proposals).toMatchObject([{ sessionId: "another terminal" }, { sessionId: "the same" }]);
  });

  it("is there after a second reload, too, and gone with its agent", async () => {
    const under = await reloaded(edited);
    await under.registry.stop({ keep: true });
    const third = startRegistry({ store: under.store });
    third.files.addFile(path, before);
    await (await third.registry.restore()).shown;
    expect(third.registry.proposals).toMatchObject([{ state: "terminal", edited: true }]);
    third.registry.sessionEnded("one");
    expect(third.registry.kept.list).toMatchObject([{ path, reason: "agent-exited" }]);
  });

  it("closing its view keeps what was typed, rejecting it does not", async () => {
    const closed = await reloaded(edited);
    closed.view.closeByUser();
    await expect.poll(() => closed.registry.kept.list).toMatchObject([{ path, isShown: false }]);
    expect(await closed.registry.kept.read(closed.view.request.id)).toBe(edited);
    const rejected = await reloaded(edited);
    rejected.view.reject();
    await rejected.editor.ended(rejected.view);
    expect(rejected.registry.proposals).toEqual([]);
  });
});
