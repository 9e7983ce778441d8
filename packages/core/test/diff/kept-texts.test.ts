import { describe, expect, it } from "vitest";
import type { KeptReason } from "../../src/diff/model.ts";
import { ownerOf, type RegistryUnderTest, startRegistry } from "./registry-under-test.ts";

const claude = { dialect: "claude", outlivesConnection: false } as const;

/** A registry with a kept text "mine" for /ws/a.ts, where the agent had proposed "new", and its review. */
async function withKeptText(onDisk?: string) {
  const under = startRegistry();
  if (onDisk !== undefined) under.files.addFile("/ws/a.ts", onDisk);
  else under.files.addDirectory("/ws");
  const { id } = under.open("one", "new\n");
  const view = await under.editor.nextView();
  view.type("mine\n");
  under.registry.sessionEnded("one");
  return { ...under, id, view };
}

function reasons({ registry }: RegistryUnderTest): readonly KeptReason[] {
  return registry.kept.list.map(({ reason }) => reason);
}

describe("kept texts", () => {
  it("the edited review of an agent that has exited is one, its untouched one goes", async () => {
    const under = startRegistry();
    under.open("one", "new\n", "/ws/a.ts");
    under.open("one", "new\n", "/ws/b.ts");
    (await under.editor.nextView((view) => view.request.path === "/ws/a.ts")).type("mine\n");
    const untouched = await under.editor.nextView((view) => view.request.path === "/ws/b.ts");
    under.registry.sessionEnded("one");
    await under.editor.ended(untouched);
    const since = under.clock.now();
    expect(under.registry.kept.list).toMatchObject([
      { agentName: "Gemini CLI", path: "/ws/a.ts", reason: "agent-exited", since, isShown: true },
    ]);
    expect(under.registry.proposals.map(({ path, state }) => [path, state])).toEqual([["/ws/a.ts", "kept"]]);
  });

  it.each([
    { what: "the file that the proposal was written into", onDisk: "new\n", saved: "mine\n" },
    { what: "a file that is not there any more", onDisk: undefined, saved: "mine\n" },
    { what: "a file with other line ends and a mark", onDisk: "\ufeffnew\r\n", saved: "\ufeffmine\r\n" },
  ])("is saved into $what", async ({ onDisk, saved }) => {
    const { editor, files, id, registry, store, view } = await withKeptText(onDisk);
    expect(await registry.kept.save(id)).toEqual({ kind: "saved", merged: false });
    expect(await files.readText("/ws/a.ts", 100)).toBe(saved);
    await editor.ended(view);
    expect(registry.kept.list).toEqual([]);
    await expect.poll(() => store.kept.size).toBe(0);
  });

  it("what is typed into its review later is on disk within half a second, too", async () => {
    const { clock, store, view } = await withKeptText("new\n");
    view.type("mine, and more\n");
    clock.advance(500);
    await expect.poll(() => [...store.kept.values()].map(({ draft }) => draft)).toEqual(["mine, and more\n"]);
  });

  it("is saved through the document where the file is open, which stays unsaved where it was", async () => {
    const { editor, files, id, registry } = await withKeptText("new\n");
    editor.openFile("/ws/a.ts", "new\n");
    expect(await registry.kept.save(id)).toEqual({ kind: "saved", merged: false });
    expect(await editor.documents.readText("/ws/a.ts", 100)).toBe("mine\n");
    // The editor in memory has a disk of its own.
    expect(await files.readText("/ws/a.ts", 100)).toBe("new\n");
  });

  it("is not saved over what else was written, and stays", async () => {
    const { files, id, registry } = await withKeptText("old\n");
    files.addFile("/ws/a.ts", "of somebody else\n");
    expect(await registry.kept.save(id)).toEqual({ kind: "conflict" });
    expect(await files.readText("/ws/a.ts", 100)).toBe("of somebody else\n");
    expect(registry.kept.list).toHaveLength(1);
    expect(await registry.kept.read(id)).toBe("mine\n");
  });

  it("is merged with what else was written into other lines", async () => {
    const under = startRegistry();
    under.files.addFile("/ws/a.ts", "one\ntwo\nthree\n");
    const { id } = under.open("one", "1\ntwo\nthree\n");
    (await under.editor.nextView()).type("1, mine\ntwo\nthree\n");
    under.registry.sessionEnded("one");
    under.files.addFile("/ws/a.ts", "one\ntwo\n3\n");
    expect(await under.registry.kept.save(id)).toEqual({ kind: "saved", merged: true });
    expect(await under.files.readText("/ws/a.ts", 100)).toBe("1, mine\ntwo\n3\n");
  });

  it("is not saved over what is written at the last moment", async () => {
    const { files, id, registry } = await withKeptText("new\n");
    files.onBefore((call, path) => {
      if (call === "replaceText") files.addFile(path, "just written\n");
    });
    expect(await registry.kept.save(id)).toEqual({ kind: "conflict" });
    expect(await files.readText("/ws/a.ts", 100)).toBe("just written\n");
  });

  it("is still there after a failure, which is told with its reason", async () => {
    const { files, id, registry } = await withKeptText("new\n");
    files.failNext("replaceText", "EACCES");
    expect(await registry.kept.save(id)).toEqual({ kind: "failed", reason: "EACCES: /ws/a.ts" });
    expect(registry.kept.list).toHaveLength(1);
  });

  it("discarding it takes its review and what is on disk away", async () => {
    const { editor, id, registry, store, view } = await withKeptText();
    expect(registry.kept.discard(id)).toBe(true);
    await editor.ended(view);
    await expect.poll(() => store.kept.size).toBe(0);
    expect(registry.kept.discard(id)).toBe(false);
    expect(await registry.kept.save(id)).toBeUndefined();
    expect(await registry.kept.read(id)).toBeUndefined();
  });

  it("closing its review leaves it in the list, over a restart too, and the list opens it again", async () => {
    const under = await withKeptText();
    under.view.closeByUser();
    await expect.poll(() => under.registry.kept.list).toMatchObject([{ id: under.id, isShown: false }]);
    await under.registry.stop({ keep: true });
    const after = startRegistry({ store: under.store });
    await (await after.registry.restore()).shown;
    expect(after.editor.openViews).toEqual([]);
    expect(after.registry.kept.list).toMatchObject([{ id: under.id, isShown: false, since: under.clock.now() }]);
    expect(await after.registry.kept.read(under.id)).toBe("mine\n");
    expect(await after.registry.reveal(under.id)).toBe(true);
    expect(after.editor.openViews).toMatchObject([{ text: "mine\n", agentPresent: false }]);
  });

  it("an accepted text, edited or not, that its agent has not got when it exits is one", async () => {
    const under = startRegistry();
    const { id } = under.open("one", "new\n");
    const view = await under.editor.nextView();
    under.carrier.reachable.delete("one");
    view.accept();
    await under.editor.ended(view);
    under.registry.sessionEnded("one");
    await under.editor.messages.next("not-delivered");
    expect(reasons(under)).toEqual(["not-delivered"]);
    expect(await under.registry.kept.read(id)).toBe("new\n");
    await under.registry.stop({ keep: true });
    const after = startRegistry({ store: under.store });
    await (await after.registry.restore()).shown;
    expect(await after.registry.kept.read(id)).toBe("new\n");
  });

  it("one that its agent gets after all is none any more", async () => {
    const under = startRegistry();
    under.open("one", "new\n");
    const view = await under.editor.nextView();
    under.carrier.reachable.delete("one");
    view.accept();
    await under.editor.ended(view);
    under.registry.setAgentPresent("one", false);
    expect(reasons(under)).toEqual(["not-delivered"]);
    under.carrier.reachable.add("one");
    under.registry.setAgentPresent("one", true);
    await expect.poll(() => under.carrier.carried.map(({ outcome }) => outcome.kind)).toEqual(["accepted"]);
    expect(under.registry.kept.list).toEqual([]);
    await expect.poll(() => under.store.kept.size).toBe(0);
  });

  it("an answer that its agent shows to have while the file is looked at is none", async () => {
    const under = startRegistry();
    under.carrier.confirms = false;
    under.files.addFile("/ws/a.ts", "old\n");
    under.open("one", "new\n");
    const view = await under.editor.nextView();
    view.type("mine\n");
    view.accept();
    await under.editor.ended(view);
    const readText = under.files.readText.bind(under.files);
    let letGo: (() => void) | undefined;
    under.files.readText = async (path, limit) => {
      await new Promise<void>((resolve) => (letGo = resolve));
      return await readText(path, limit);
    };
    under.registry.setAgentPresent("one", false);
    await expect.poll(() => letGo).toBeDefined();
    under.carrier.handles[0]?.deliver();
    letGo?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reasons(under)).toEqual([]);
    expect(under.editor.shownMessages).toEqual([]);
  });

  it("an agent that comes back does not write what the user has discarded meanwhile", async () => {
    const under = startRegistry();
    const { id } = under.open("one", "new\n");
    const view = await under.editor.nextView();
    under.carrier.reachable.delete("one");
    view.accept();
    await under.editor.ended(view);
    under.registry.setAgentPresent("one", false);
    expect(under.registry.kept.discard(id)).toBe(true);
    under.carrier.reachable.add("one");
    under.registry.setAgentPresent("one", true);
    expect(under.carrier.carried.map(({ outcome }) => outcome.kind)).toEqual(["rejected"]);
  });

  it("what was typed into a proposal that Claude's user answered in the terminal is one", async () => {
    const under = startRegistry();
    under.files.addFile("/ws/a.ts", "new\n");
    const { id } = under.open("one", "new\n", "/ws/a.ts", claude);
    const view = await under.editor.nextView();
    view.type("mine\n");
    await under.registry.closeByAgent(ownerOf("one", claude), "/ws/a.ts", { notify: false });
    await under.editor.ended(view);
    expect(reasons(under)).toEqual(["answered-in-terminal"]);
    (await under.editor.messages.next("edits-not-used")).answer("Save to File");
    await expect.poll(() => under.registry.kept.list).toEqual([]);
    expect(await under.files.readText("/ws/a.ts", 100)).toBe("mine\n");
    expect(await under.registry.kept.read(id)).toBeUndefined();
  });

  it("a message's Save to File that cannot be done is told, and the text stays", async () => {
    const under = await withKeptText("old\n");
    under.files.addFile("/ws/a.ts", "of somebody else\n");
    under.view.accept();
    (await under.editor.messages.next("agent-gone")).answer("Save to File");
    await under.editor.messages.next("kept-text-not-saved");
    expect(under.registry.kept.list).toHaveLength(1);
  });

  it.each(["save", "discard"] as const)("%s in the list takes the offer of a message back", async (act) => {
    const under = await withKeptText("new\n");
    under.view.accept();
    const { message } = await under.editor.messages.next("agent-gone");
    expect(message.signal?.aborted).toBe(false);
    await under.registry.kept[act](under.id);
    expect(message.signal?.aborted).toBe(true);
  });
});
