import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPanelLab, until } from "./panel-lab.ts";

const change = (path: string) => ({ path, before: "one\ntwo\n", after: "one\n2\n", isEditable: true }) as const;

describe("a page", () => {
  it("gets everything with each ready, and nothing before", async () => {
    const { page, agents } = createPanelLab();
    const one = page();
    expect(one.messages).toEqual([]);
    one.say({ type: "ready" });
    const hello = await until(() => one.last("hello"));
    expect(hello).toMatchObject({ agents: [{ id: "claude", isInstalled: false }], conversations: [] });
    // What takes longer comes behind.
    expect((await until(() => one.last("agents"))).agents).toMatchObject([{ isInstalled: true }]);
    one.say({ type: "ready" });
    await until(() => (one.messages.filter(({ type }) => type === "hello").length === 2 ? true : undefined));
    expect(agents).toEqual([]);
  });

  it("begins a conversation, and follows it by patches", async () => {
    const { talk } = createPanelLab();
    const { page, agent, id } = await talk();
    agent.say({ type: "append", id: "m1", to: "message", text: "Hello" });
    const patch = await until(() =>
      page.messages.find((one) => one.type === "patch" && JSON.stringify(one.patch).includes("Hello")),
    );
    expect(patch).toMatchObject({ conversation: id });
    expect(agent.prompts).toMatchObject([{ blocks: [{ type: "text", text: "Do it" }] }]);
  });

  it("that was away is told the whole conversation when it is back", async () => {
    const { talk } = createPanelLab();
    const { page, agent, id } = await talk();
    page.isThere = false;
    agent.say({ type: "append", id: "m1", to: "message", text: "While you were away" });
    await until(() => (page.link.conversation?.snapshot().entries.length === 2 ? true : undefined));
    page.isThere = true;
    page.messages.length = 0;
    page.say({ type: "ready", conversation: id });
    const { open } = await until(() => page.last("hello"));
    expect(open?.entries.map(({ entry }) => entry)).toMatchObject([
      { kind: "prompt" },
      { text: "While you were away" },
    ]);
    page.say({ type: "resync", conversation: id });
    expect((await until(() => page.last("conversation"))).open).toMatchObject({ id });
  });

  it("gets what a command sent while it was being loaded, and loses the keyboard when it is hidden", async () => {
    const { page, panels } = createPanelLab();
    const one = page();
    const other = page();
    const block = { type: "mention", path: "/a.ts" } as const;
    one.link.send({ type: "insert", blocks: [block] });
    one.say({ type: "ready" });
    expect(await until(() => one.last("insert"))).toEqual({ type: "insert", blocks: [block] });
    expect(one.messages[0]?.type).toBe("hello");
    one.say({ type: "focus", hasFocus: true, isInQuestion: false });
    expect(panels.active).toBe(one.link);
    one.link.hidden();
    expect(one.link.hasFocus).toBe(false);
    // Where the user was last, and not where the newest page is.
    expect(panels.active).toBe(one.link);
    expect(panels.active).not.toBe(other.link);
  });

  it("leads to a session of its own in a terminal, which the panel lets go of first", async () => {
    const { talk, done } = createPanelLab();
    const { page, id } = await talk();
    page.say({ type: "act", conversation: id, action: "terminal" });
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual(["start claude s1"]);
    expect(page.link.conversation?.status.state).toMatchObject({ kind: "ended" });
  });

  it("leads to the agent itself for a sign-in that no command does", async () => {
    const { talk, done } = createPanelLab();
    const { page, agent, id } = await talk();
    agent.say({ type: "state", state: { kind: "signed-out", methods: [{ id: "oauth", name: "Log in" }] } });
    await until(() => (page.link.conversation?.status.state.kind === "signed-out" ? true : undefined));
    page.say({ type: "act", conversation: id, action: "sign-in" });
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual(["start claude "]);
  });

  it("opens what a turn did to its files: one as a diff, several together", async () => {
    const { talk, done, file, panels } = createPanelLab();
    const { agent, page, id } = await talk();
    const turn = (await panels.library.get(id))?.conversation.snapshot().entries[0]?.entry.id ?? "";
    const second = file.replace("main", "second");
    const asked = (path: string, after: string, before?: string): void => {
      agent.tell({
        kind: "tool",
        id: path,
        at: 0,
        tool: "edit",
        name: "Edit",
        title: "Edit",
        state: "done",
        changes: [{ path, after, ...(before === undefined ? {} : { before }) }],
      });
      writeFileSync(path, after);
      agent.say({ type: "file-changed", path, isAsked: true });
    };
    asked(file, "one\n2\n", "one\ntwo\n");
    await until(() => (page.link.conversation?.status.turns[0]?.files.length === 1 ? true : undefined));
    page.say({ type: "changes", conversation: id, turn, action: "review" });
    await until(() => (done.length === 1 ? true : undefined));
    asked(second, "new\n");
    await until(() => (page.link.conversation?.status.turns[0]?.files.length === 2 ? true : undefined));
    page.say({ type: "changes", conversation: id, turn, action: "review" });
    await until(() => (done.length === 2 ? true : undefined));
    expect(done).toEqual([`change ${file}`, `changes ${file} ${second}`]);
  });

  it("cannot make the host do what is no message, or what is about another conversation", async () => {
    const { talk, done } = createPanelLab();
    const { page, agent } = await talk();
    for (const message of [undefined, "ready", { type: "exec", command: "rm" }, { type: "send", blocks: 1 }])
      page.babble(message);
    page.say({ type: "stop", conversation: "another" });
    page.say({ type: "open-link", href: "https://example.org" });
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual(["link https://example.org"]);
    expect(agent.prompts).toHaveLength(1);
  });
});

describe("a change that is asked for", () => {
  it("is decided in the diff, with what the user typed there", async () => {
    const { talk, editor, file, companion } = createPanelLab();
    const { agent, id, page } = await talk();
    agent.asks("q1", change(file));
    const view = await editor.nextView();
    expect(view.request).toMatchObject({ agentName: "Claude Code", path: file, proposedText: "one\n2\n" });
    expect(companion.proposals).toMatchObject([{ conversationId: id }]);
    await until(() => (page.last("conversations")?.conversations[0]?.state === "waiting" ? true : undefined));
    view.type("one\n2, or two\n");
    view.accept();
    await until(() => (agent.answers.length > 0 ? true : undefined));
    expect(agent.answers).toEqual([{ type: "choice", choiceId: "yes", text: "one\n2, or two\n" }]);
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  });

  it("is decided in the conversation, and its diff goes", async () => {
    const { talk, editor, file, panels } = createPanelLab();
    const { agent, page, id } = await talk();
    agent.asks("q1", change(file));
    const view = await editor.nextView();
    expect(panels.library.waiting).toBe(1);
    page.say({ type: "answer", conversation: id, id: "q1", answer: { type: "choice", choiceId: "always" } });
    await editor.ended(view);
    expect(agent.answers).toEqual([{ type: "choice", choiceId: "always" }]);
    expect(panels.library.waiting).toBe(0);
  });

  it("is rejected with the user's words, or by the choice that says no", async () => {
    const { talk, editor, file } = createPanelLab();
    const { agent, page, id } = await talk();
    agent.asks("q1", change(file));
    await editor.nextView();
    page.say({ type: "answer", conversation: id, id: "q1", answer: { type: "reject", message: "not so" } });
    await until(() => (agent.answers.length === 1 ? true : undefined));
    agent.asks("q2", { ...change(file), after: "other\n" });
    (await editor.nextView(({ isOpen }) => isOpen)).reject();
    await until(() => (agent.answers.length === 2 ? true : undefined));
    expect(agent.answers).toEqual([{ type: "reject", message: "not so" }, { type: "reject" }]);
  });

  it("is not accepted over a conflict: the question stays in both places", async () => {
    const { talk, editor, file } = createPanelLab();
    const { agent, page, id } = await talk();
    agent.asks("q1", change(file));
    const view = await editor.nextView();
    writeFileSync(file, "one\nzwei\n");
    page.say({ type: "answer", conversation: id, id: "q1", answer: { type: "choice", choiceId: "yes" } });
    await editor.messages.next("not-accepted-conflict");
    expect(agent.answers).toEqual([]);
    expect(view.isOpen).toBe(true);
    view.type("one\n2\n");
    page.say({ type: "answer", conversation: id, id: "q1", answer: { type: "choice", choiceId: "yes" } });
    await until(() => (agent.answers.length > 0 ? true : undefined));
    // It is what the agent has asked for.
    expect(agent.answers).toEqual([{ type: "choice", choiceId: "yes" }]);
  });

  it("that is taken back takes its diff along, and what was typed is kept", async () => {
    const { talk, editor, file, companion } = createPanelLab();
    const { agent } = await talk();
    agent.asks("q1", change(file));
    const view = await editor.nextView();
    view.type("typed\n");
    agent.withdraws("q1");
    await until(() => (companion.keptTexts.length > 0 ? true : undefined));
    expect(companion.keptTexts).toMatchObject([{ reason: "withdrawn", path: file }]);
    expect(agent.answers).toEqual([]);
  });

  it("ends with its agent's process", async () => {
    const { talk, editor, file, companion } = createPanelLab();
    const { agent } = await talk();
    agent.asks("q1", change(file));
    const view = await editor.nextView();
    await agent.close();
    await editor.ended(view);
    expect(companion.proposals).toEqual([]);
  });

  it("is shown again from the conversation after its diff was closed", async () => {
    const { talk, editor, file, companion } = createPanelLab();
    const { agent, page, id } = await talk();
    agent.asks("q1", change(file));
    (await editor.nextView()).closeByUser();
    await until(() => (companion.proposals[0]?.state === "hidden" ? true : undefined));
    editor.forgetEndedViews();
    page.say({ type: "open-diff", conversation: id, entry: "q1", path: file });
    expect((await editor.nextView()).request.path).toBe(file);
    expect(agent.answers).toEqual([]);
  });

  it("that is only a part of its file, or leads nowhere, is answered in the conversation alone", async () => {
    const { talk, editor, file } = createPanelLab();
    const { agent, page, id } = await talk();
    agent.asks("q1", { ...change(file), isFragment: true });
    agent.asks("q2", change("relative.ts"));
    for (const question of ["q1", "q2"]) {
      page.say({ type: "answer", conversation: id, id: question, answer: { type: "choice", choiceId: "yes" } });
    }
    await until(() => (agent.answers.length === 2 ? true : undefined));
    expect(editor.views).toEqual([]);
  });
});
