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
