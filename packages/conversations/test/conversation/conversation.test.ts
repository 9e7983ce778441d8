import { PatchbayError } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import type { Entry, QuestionEntry } from "../../src/model/entries.ts";
import { type Lab, makeLab, textBlock } from "./conversation-lab.ts";

/** Sends a prompt and waits until the agent has it. */
async function ask(lab: Lab, conversation: Conversation, text: string): Promise<string> {
  const id = conversation.prompt([textBlock(text)]);
  if (id === undefined) throw new Error("The conversation cannot be written.");
  await expect.poll(() => lab.sessions.some(({ prompts }) => prompts.some((prompt) => prompt.id === id))).toBe(true);
  return id;
}

async function endTurn(lab: Lab, conversation: Conversation): Promise<void> {
  const count = ends(conversation);
  lab.session.end();
  await expect.poll(() => ends(conversation)).toBeGreaterThan(count);
}

const ends = (conversation: Conversation): number => kinds(conversation).filter((kind) => kind === "turn-end").length;
const entries = (conversation: Conversation): readonly Entry[] =>
  conversation.snapshot().entries.map(({ entry }) => entry);
const kinds = (conversation: Conversation): readonly string[] => entries(conversation).map(({ kind }) => kind);
const texts = (conversation: Conversation): readonly string[] =>
  entries(conversation).flatMap((entry) => (entry.kind === "message" ? [entry.text] : []));
const queued = (conversation: Conversation): readonly unknown[] =>
  conversation.status.queue.map(({ blocks }) => blocks[0]);

const question = (id: string): QuestionEntry => ({
  kind: "question",
  id,
  at: 0,
  question: {
    type: "permission",
    toolId: "t1",
    title: "Run npm test?",
    command: "npm test",
    choices: [
      { id: "yes", name: "Allow", kind: "allow-once" },
      { id: "no", name: "Deny", kind: "reject-once" },
    ],
  },
});

describe("a conversation", () => {
  it("starts nothing when it is shown, and the agent with the first prompt", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    conversation.snapshot();
    conversation.setDraft({ blocks: [textBlock("Hel")], caret: 3 });
    expect(lab.sessions).toHaveLength(0);
    await ask(lab, conversation, "Hello there");
    expect(lab.sessions).toHaveLength(1);
    expect(lab.session.request.start).toEqual({ kind: "new" });
    expect(conversation.snapshot()).toMatchObject({ title: "Hello there", draft: { blocks: [] } });
    await conversation.close();
    expect(lab.session.isClosed).toBe(true);
  });

  it("starts its agent before there is a prompt where it is asked to, and remembers no session that was not used", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await conversation.wake();
    expect(lab.sessions).toHaveLength(1);
    expect(conversation.status.capabilities).toBeDefined();
    expect(conversation.isEmpty).toBe(true);
    expect(conversation.about.sessionId).toBeUndefined();
    await conversation.setOption("mode", "plan");
    await ask(lab, conversation, "Hello there");
    expect(lab.sessions).toHaveLength(1);
    expect(lab.session.options).toEqual([{ id: "mode", value: "plan" }]);
    expect(conversation.about.sessionId).toBeDefined();
    await conversation.close();
  });

  it("sends one prompt at a time; those that wait can be changed, moved, removed", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    const two = conversation.prompt([textBlock("two")]) ?? "";
    const three = conversation.prompt([textBlock("three")]) ?? "";
    const four = conversation.prompt([textBlock("four")]) ?? "";
    expect(conversation.queue.move(three, 0)).toBe(true);
    expect(conversation.queue.edit(two, [textBlock("TWO")])).toBe(true);
    expect(conversation.queue.remove(four)).toBe(true);
    expect(queued(conversation)).toEqual([textBlock("three"), textBlock("TWO")]);
    expect(lab.session.prompts).toHaveLength(1);
    await endTurn(lab, conversation);
    await expect.poll(() => lab.session.prompts.map(({ id }) => id)).toContain(three);
    expect(conversation.queue.edit(three, [])).toBe(false);
    await endTurn(lab, conversation);
    await expect.poll(() => lab.session.prompts.at(-1)?.blocks).toEqual([textBlock("TWO")]);
    await conversation.close();
  });

  it("prompts once what is sent twice under one name, whatever became of it", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    const ids = [1, 2, 3].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
    const [one, two, three] = ids;
    for (const id of ids) conversation.prompt([textBlock("once")], { id: id ?? "" });
    await expect.poll(() => lab.session.prompts.map(({ id }) => id)).toEqual([one]);
    expect(conversation.queue.remove(three ?? "")).toBe(true);
    for (const id of ids) expect(conversation.prompt([textBlock("twice")], { id: id ?? "" })).toBe(id);
    expect(conversation.status.queue.map(({ id }) => id)).toEqual([two]);
    await conversation.close();
    const again = await lab.open();
    expect(again.prompt([textBlock("twice")], { id: one ?? "" })).toBe(one);
    expect(again.status.queue.map(({ id }) => id)).toEqual([two]);
    await again.close();
  });

  it("queues a prompt before the first of some others that still waits, else at the end", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    const two = conversation.prompt([textBlock("two")]) ?? "";
    const three = conversation.prompt([textBlock("three")]) ?? "";
    conversation.prompt([textBlock("before three")], { before: ["gone", three] });
    conversation.prompt([textBlock("before two")], { before: [two, three] });
    conversation.prompt([textBlock("last")], { before: ["gone"] });
    const texts = ["before two", "two", "before three", "three", "last"];
    expect(queued(conversation)).toEqual(texts.map((text) => textBlock(text)));
    await conversation.close();
  });

  it("stops the turn for a prompt that is to be sent now", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    conversation.prompt([textBlock("two")]);
    const three = conversation.prompt([textBlock("three")]) ?? "";
    expect(await conversation.queue.sendNow(three)).toBe(true);
    await expect
      .poll(() => lab.session.prompts.map(({ blocks }) => blocks[0]))
      .toEqual([textBlock("one"), textBlock("three")]);
    expect(lab.session.interrupts).toBe(1);
    expect(queued(conversation)).toEqual([textBlock("two")]);
    await conversation.close();
  });

  it("leaves what waits alone after a stop, until the user sends something", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    conversation.prompt([textBlock("two")]);
    await conversation.stop();
    await expect.poll(() => ends(conversation)).toBe(1);
    expect(lab.session.prompts).toHaveLength(1);
    conversation.prompt([textBlock("three")]);
    await expect.poll(() => lab.session.prompts.at(-1)?.blocks).toEqual([textBlock("two")]);
    await conversation.close();
  });

  it("settles a question once, whoever answers, and withdraws it when the turn is stopped or the agent exits", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    lab.session.tell(question("q1"));
    expect(conversation.status.waiting).toBe(1);
    expect(conversation.answer("q1", { type: "choice", choiceId: "yes" })).toBe(true);
    expect(conversation.answer("q1", { type: "reject" })).toBe(false);
    expect(lab.session.answers).toHaveLength(1);
    expect(entries(conversation).at(-1)).toMatchObject({
      outcome: { type: "answered", summary: "Allow", isAllowed: true },
    });
    expect(conversation.status.waiting).toBe(0);
    lab.session.tell(question("q2"));
    await conversation.stop();
    await expect.poll(() => ends(conversation)).toBe(1);
    await ask(lab, conversation, "two");
    lab.session.tell(question("q3"));
    lab.session.exit();
    await expect.poll(() => ends(conversation)).toBe(2);
    const outcomes = entries(conversation).flatMap((entry) => (entry.kind === "question" ? [entry.outcome?.type] : []));
    expect(outcomes).toEqual(["answered", "withdrawn", "withdrawn"]);
    expect(conversation.answer("q3", { type: "reject" })).toBe(false);
    await conversation.close();
  });

  it("shows what the user made of a change where it does not get into its file", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    const kept = (): readonly unknown[] =>
      entries(conversation).flatMap((entry) => (entry.kind === "notice" ? [entry.detail ?? entry.text] : []));
    const change = { path: "/w/a.txt", before: "a\n", after: "b\n", isEditable: true } as const;
    const asks = (id: string, toolId: string): void => {
      const { choices } = { choices: [{ id: "yes", name: "Allow", kind: "allow-once" }] } as const;
      const permission = { type: "permission", toolId, title: "Edit", change, choices } as const;
      lab.session.tell({ kind: "question", id, at: 0, question: permission });
    };
    const tool = (id: string, state: "done" | "failed"): void =>
      lab.session.tell({ kind: "tool", id, at: 0, tool: "edit", name: "Edit", title: "Edit", state });
    const yes = (text: string) => ({ type: "choice", choiceId: "yes", text }) as const;
    await ask(lab, conversation, "one");
    asks("q1", "t1");
    conversation.answer("q1", yes("written\n"));
    tool("t1", "done");
    asks("q2", "t2");
    conversation.answer("q2", yes("b\n"));
    tool("t2", "failed");
    expect(kept()).toEqual([]);
    asks("q3", "t3");
    conversation.answer("q3", yes("not written\n"));
    tool("t3", "failed");
    expect(kept()).toEqual(["not written\n"]);
    // Taken back just before, and an agent that ends before it writes.
    asks("q4", "t4");
    lab.session.open.clear();
    expect(conversation.answer("q4", yes("too late\n"))).toBe(false);
    asks("q5", "t5");
    conversation.answer("q5", yes("nobody there\n"));
    lab.session.exit();
    await expect.poll(() => ends(conversation)).toBe(1);
    expect(kept()).toEqual(expect.arrayContaining(["not written\n", "too late\n", "nobody there\n"]));
    await conversation.close();
  });

  it("answers no question that the agent has taken back meanwhile", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    lab.session.tell(question("q1"));
    lab.session.open.clear();
    expect(conversation.answer("q1", { type: "choice", choiceId: "yes" })).toBe(false);
    expect(entries(conversation).at(-1)).not.toHaveProperty("outcome");
    await conversation.close();
  });

  it("leaves what waits alone after the agent has exited", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    conversation.prompt([textBlock("two")]);
    lab.session.exit();
    await expect.poll(() => ends(conversation)).toBe(1);
    await conversation.flush();
    expect(queued(conversation)).toEqual([textBlock("two")]);
    expect(lab.sessions).toHaveLength(1);
    await conversation.restart();
    await expect.poll(() => lab.session.prompts.map(({ blocks }) => blocks[0])).toEqual([textBlock("two")]);
    await conversation.close();
  });

  it("keeps an open question for a view that comes later, and the number of those that wait", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    lab.session.tell(question("q1"));
    // More than are in memory come behind it.
    for (let count = 0; count < 1_000; count += 1)
      lab.session.tell({ kind: "message", id: `m${count}`, at: 0, text: "…", isComplete: true });
    const { waiting, entries: shown } = conversation.snapshot();
    expect(waiting).toBe(1);
    expect(shown[0]?.entry).toMatchObject({ kind: "question", id: "q1" });
    expect(shown).toHaveLength(1_001);
    expect(conversation.answer("q1", { type: "choice", choiceId: "no" })).toBe(true);
    expect(conversation.snapshot().entries).toHaveLength(60);
    await conversation.close();
  });

  it("goes on with the agent's session after it has exited, and says so where that cannot be", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    lab.session.stream("m1", "half an ans");
    lab.session.exit();
    await expect.poll(() => conversation.status.state.kind).toBe("ended");
    await expect.poll(() => kinds(conversation)).toEqual(["prompt", "message", "notice", "turn-end"]);
    expect(entries(conversation)[2]).toMatchObject({ action: "restart" });
    await ask(lab, conversation, "two");
    expect(lab.session.request.start).toMatchObject({ kind: "resume", sessionId: "session of c1" });
    expect(texts(conversation)).toEqual(["half an ans"]);
    lab.session.exit();
    await expect.poll(() => ends(conversation)).toBe(2);
    lab.onStart = (session) => {
      if (session.request.start.kind === "resume") throw new Error("No conversation found with that id.");
    };
    await ask(lab, conversation, "three");
    expect(lab.session.request.start).toEqual({ kind: "new" });
    expect(entries(conversation).findLast(({ kind }) => kind === "notice")).toMatchObject({
      level: "warning",
      text: "The agent starts over: it does not remember the messages above.",
      detail: "No conversation found with that id.",
    });
    await conversation.close();
  });

  it("keeps the prompt where the agent cannot be started, and sends it after a restart", async () => {
    const lab = makeLab();
    lab.onStart = () => {
      throw new Error("Claude Code was not found. Install it.");
    };
    const conversation = await lab.open();
    conversation.prompt([textBlock("one")]);
    await expect
      .poll(() => entries(conversation).at(-1))
      .toMatchObject({
        kind: "notice",
        level: "error",
        text: "Claude Code was not found. Install it.",
        action: "restart",
      });
    expect(queued(conversation)).toEqual([textBlock("one")]);
    lab.onStart = () => {};
    await conversation.restart();
    await expect.poll(() => lab.session.prompts).toHaveLength(1);
    await conversation.close();
  });

  it("says how to get an agent that is not installed, and starts it when it is", async () => {
    const lab = makeLab();
    lab.onStart = () => {
      throw new PatchbayError("not-installed", "Nova is not installed.", { cause: "What it said." });
    };
    const conversation = await lab.open();
    conversation.prompt([textBlock("one")]);
    await expect
      .poll(() => entries(conversation).at(-1))
      .toMatchObject({ kind: "notice", action: "install", detail: "What it said." });
    lab.onStart = () => {};
    await conversation.retry();
    await expect.poll(() => lab.session.prompts.map(({ blocks }) => blocks)).toEqual([[textBlock("one")]]);
    await conversation.close();
  });

  it("sends the prompt again whose turn has failed, in the same session, and only that", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    lab.session.tell({ kind: "notice", id: "n1", at: 0, level: "error", text: "Overloaded.", action: "retry" });
    lab.session.end("failed");
    await expect.poll(() => ends(conversation)).toBe(1);
    await conversation.retry();
    await conversation.retry();
    await expect.poll(() => lab.session.prompts).toHaveLength(2);
    expect(lab.sessions).toHaveLength(1);
    const [first, second] = lab.session.prompts;
    expect(second?.blocks).toEqual(first?.blocks);
    expect(second?.id).not.toBe(first?.id);
    await endTurn(lab, conversation);
    await conversation.retry();
    expect(lab.session.prompts).toHaveLength(2);
    expect(queued(conversation)).toEqual([]);
    await conversation.close();
  });

  it("starts the agent anew where its user has signed in meanwhile, and sends what waits", async () => {
    const lab = makeLab();
    lab.onStart = (session) => {
      session.isSignedOut = true;
      session.say({ type: "state", state: { kind: "signed-out", methods: [] } });
    };
    const conversation = await lab.open();
    conversation.prompt([textBlock("one")]);
    await expect.poll(() => conversation.status.state.kind).toBe("signed-out");
    lab.onStart = () => {};
    await conversation.retry();
    await expect.poll(() => lab.session.prompts).toHaveLength(1);
    expect(lab.sessions).toHaveLength(2);
    // Nothing was said in the first session: there is none to go on with, and nothing is forgotten.
    expect(lab.session.request.start).toEqual({ kind: "new" });
    expect(kinds(conversation)).toEqual(["prompt"]);
    await conversation.close();
  });

  it("starts no agent once it is stopped, not even while the last one is still ending", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    let isOver: () => void = () => {};
    lab.session.closing = new Promise((resolve) => (isOver = resolve));
    lab.session.exit();
    await expect.poll(() => ends(conversation)).toBe(1);
    conversation.prompt([textBlock("two")]);
    await expect.poll(() => lab.session.isClosed).toBe(true);
    const stopped = conversation.stop();
    isOver();
    await stopped;
    await conversation.close();
    expect(lab.sessions).toHaveLength(1);
  });

  it("goes on with what is sent after the start was stopped", async () => {
    const lab = makeLab();
    let isStarted: () => void = () => {};
    lab.onStart = () => new Promise((resolve) => (isStarted = resolve));
    const conversation = await lab.open();
    conversation.prompt([textBlock("one")]);
    await expect.poll(() => lab.sessions).toHaveLength(1);
    await conversation.stop();
    expect(lab.session.isClosed).toBe(true);
    lab.onStart = () => {};
    conversation.prompt([textBlock("two")]);
    isStarted();
    await expect.poll(() => lab.session.prompts.map(({ blocks }) => blocks[0])).toEqual([textBlock("one")]);
    expect(queued(conversation)).toEqual([textBlock("two")]);
    expect(kinds(conversation)).toEqual(["prompt"]);
    await conversation.close();
  });

  it("sends nothing to an agent that is signed out, and goes on when it is signed in", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    lab.onStart = (session) => {
      session.isSignedOut = true;
      session.say({ type: "state", state: { kind: "signed-out", methods: [] } });
    };
    conversation.prompt([textBlock("one")]);
    await expect.poll(() => conversation.status.state.kind).toBe("signed-out");
    await expect.poll(() => conversation.status.capabilities).toBeDefined();
    expect(lab.session.prompts).toHaveLength(0);
    expect(queued(conversation)).toEqual([textBlock("one")]);
    lab.session.say({ type: "state", state: { kind: "idle" } });
    await expect.poll(() => lab.session.prompts).toHaveLength(1);
    await conversation.close();
  });

  it("takes no replay of what it has, and all of it where it has nothing", async () => {
    const lab = makeLab();
    lab.onStart = (session) => session.tell({ kind: "message", id: "old", at: 0, text: "Replayed", isComplete: true });
    const conversation = await lab.open();
    await ask(lab, conversation, "one");
    expect(texts(conversation)).toEqual(["Replayed"]);
    // What was replayed has ended, and well.
    expect(entries(conversation)[1]).toMatchObject({ kind: "turn-end", reason: "done" });
    lab.session.exit();
    await expect.poll(() => ends(conversation)).toBe(2);
    lab.onStart = (session) =>
      session.tell({ kind: "message", id: "new id", at: 0, text: "Replayed", isComplete: true });
    await ask(lab, conversation, "two");
    expect(texts(conversation)).toEqual(["Replayed"]);
    await conversation.close();
  });

  it("is named by the first prompt, then by the agent, then by the user", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await ask(lab, conversation, "Please   fix\nthe test of the parser that fails on Windows since yesterday's change");
    expect(conversation.status.title).toBe("Please fix the test of the parser that fails on Windows…");
    lab.session.say({ type: "title", title: "Parser on Windows" });
    expect(conversation.status.title).toBe("Parser on Windows");
    await conversation.rename("Mine");
    lab.session.say({ type: "title", title: "Something else" });
    expect(conversation.status.title).toBe("Mine");
    await conversation.close();
  });

  it("chooses again what the user chose when the agent is started again, but no mode that never asks", async () => {
    const lab = makeLab();
    const values = [
      { id: "ask", name: "Ask", asks: "always" as const },
      { id: "never", name: "Never ask", asks: "never" as const },
    ];
    lab.onStart = (session) =>
      session.say({
        type: "options",
        options: [
          { id: "mode", category: "mode", name: "Mode", value: "ask", values },
          { id: "model", category: "model", name: "Model", value: "small" },
        ],
      });
    const conversation = await lab.open();
    await conversation.setOption("mode", "never");
    await conversation.setOption("model", "large");
    await conversation.restart();
    expect(lab.session.options).toEqual([{ id: "model", value: "large" }]);
    await conversation.close();
  });
});
