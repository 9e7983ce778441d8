import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPanelLab, until } from "./panel-lab.ts";

const change = (path: string) => ({ path, before: "one\ntwo\n", after: "one\n2\n", isEditable: true }) as const;

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

  it.each(["failed", "done"] as const)(
    "and accepted is told of, and kept, where its tool has ended without it: %s",
    async (state) => {
      const { talk, editor, file, companion } = createPanelLab();
      const { agent } = await talk();
      agent.asks("q1", change(file));
      (await editor.nextView()).accept();
      await until(() => (agent.answers.length > 0 ? true : undefined));
      agent.tell({ kind: "tool", id: "t", at: 0, tool: "edit", name: "Edit", title: "Edit", state });
      const told = (): unknown => editor.shownMessages.map(({ message }) => message.code);
      await expect.poll(told, { timeout: 5_000 }).toEqual(["not-written"]);
      expect(companion.proposals).toMatchObject([{ path: file, keptReason: "not-written" }]);
      writeFileSync(file, "one\n2\n");
      await expect.poll(() => companion.keptTexts, { timeout: 5_000 }).toEqual([]);
    },
  );

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

  it("is decided once where both places are answered at once: the agent is told what the diff says", async () => {
    const { talk, editor, file } = createPanelLab();
    const { agent, page, id } = await talk();
    agent.asks("q1", change(file));
    const view = await editor.nextView();
    view.type("one\n2, or two\n");
    view.accept();
    page.say({ type: "answer", conversation: id, id: "q1", answer: { type: "choice", choiceId: "no" } });
    await until(() => (agent.answers.length > 0 ? true : undefined));
    await editor.ended(view);
    expect(agent.answers).toEqual([{ type: "choice", choiceId: "yes", text: "one\n2, or two\n" }]);
  });

  it("is asked and answered in the window that has the conversation, and in no other one", async () => {
    const lab = createPanelLab();
    const { agent, id, page } = await lab.talk();
    agent.asks("q1", change(lab.file));
    await lab.editor.nextView();
    await lab.panels.library.opened(id)?.conversation.flush();
    const other = createPanelLab({ beside: lab });
    const reader = other.page(id);
    reader.say({ type: "ready" });
    expect((await until(() => reader.last("hello"))).open).toMatchObject({ access: { kind: "read-only" } });
    reader.say({ type: "answer", conversation: id, id: "q1", answer: { type: "choice", choiceId: "yes" } });
    reader.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "mine" }] });
    await until(() => (other.done.length === 2 ? true : undefined));
    expect(other.done).toEqual([
      "warning: This conversation is open in another window. Answer there.",
      "warning: This conversation is open in another window, so this was not sent.",
    ]);
    // What was written is given back.
    expect(reader.last("insert")).toEqual({ type: "insert", blocks: [{ type: "text", text: "mine" }] });
    expect(other.editor.views).toEqual([]);
    page.say({ type: "answer", conversation: id, id: "q1", answer: { type: "choice", choiceId: "yes" } });
    await until(() => (agent.answers.length > 0 ? true : undefined));
  });

  it("is answered in the conversation where its file does not let it be reviewed", async () => {
    const { talk, companion, file } = createPanelLab();
    const asked: string[] = [];
    companion.review = ({ path }) => new Promise(() => asked.push(path));
    const { agent, id, page } = await talk();
    agent.asks("q1", change(file));
    await until(() => (asked.length > 0 ? true : undefined));
    page.say({ type: "answer", conversation: id, id: "q1", answer: { type: "choice", choiceId: "yes" } });
    await until(() => (agent.answers.length > 0 ? true : undefined));
    expect(agent.answers).toEqual([{ type: "choice", choiceId: "yes" }]);
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

  it("of a file with a byte order mark is accepted, whichever of its texts the agent tells with it", async () => {
    const mark = "\uFEFF";
    for (const [before, after] of [
      [mark, ""],
      [mark, mark],
      ["", mark],
      ["", ""],
    ]) {
      const { talk, editor, file } = createPanelLab();
      writeFileSync(file, `${mark}one\ntwo\n`);
      const { agent } = await talk();
      agent.asks("q1", { ...change(file), before: `${before}one\ntwo\n`, after: `${after}one\n2\n` });
      const view = await editor.nextView();
      expect(view.request).toMatchObject({
        originalText: "one\ntwo\n",
        proposedText: "one\n2\n",
        standing: "unchanged",
      });
      // What somebody else has written meanwhile is still merged.
      writeFileSync(file, `${mark}one\ntwo\nthree\n`);
      view.accept();
      await until(() => (agent.answers.length > 0 ? true : undefined));
      expect(agent.answers).toEqual([{ type: "choice", choiceId: "yes", text: `${after}one\n2\nthree\n` }]);
    }
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
