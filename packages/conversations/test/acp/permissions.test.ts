import { AcpAgent } from "@patchbay/testkit";
import { resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { profileFor } from "../../src/acp/profiles.ts";
import type { QuestionEntry } from "../../src/model/index.ts";
import { cleanLabs, geminiLab, labWith, qwenLab, type SessionLab } from "./session-lab.ts";

afterEach(cleanLabs);

const options = [
  { optionId: "always", name: "Always Allow in project: npm test *", kind: "allow_always" },
  { optionId: "once", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
  { optionId: "strange", name: "Something new", kind: "allow_sometimes" },
];

/** A session with an agent that nothing is known of, in a turn that asks one question. */
async function asking(
  toolCall: (path: string) => object,
  text?: string,
): Promise<{
  readonly lab: SessionLab<AcpAgent>;
  readonly asked: QuestionEntry;
  readonly answered: Promise<unknown>;
}> {
  const agent = new AcpAgent();
  agent.answers("initialize", () => ({ protocolVersion: 1 }));
  agent.answers("session/new", () => ({ sessionId: "s" }));
  let answered: Promise<unknown> = Promise.resolve();
  agent.answers("session/prompt", async () => {
    answered = agent.ask("session/request_permission", {
      sessionId: "s",
      options,
      toolCall: toolCall(lab.path("a.txt")),
    });
    await answered;
    return { stopReason: "end_turn" };
  });
  const lab = labWith(agent, profileFor({ id: "any", command: "any" }));
  if (text === "stuck") lab.host.readText = () => new Promise(() => undefined);
  else if (text !== undefined) lab.host.files.set(lab.path("a.txt"), text);
  await lab.session.start();
  void lab.prompt("Go");
  const question = lab.question();
  const isAsked = { now: false };
  void question.then(() => (isAsked.now = true));
  if (text === "stuck") await expect.poll(() => lab.clock.advanceAsync(500).then(() => isAsked.now)).toBe(true);
  return { lab, asked: await question, answered };
}

const diffOf = (oldText: string | null, newText: string) => (path: string) => ({
  toolCallId: "t",
  title: "Edit",
  kind: "edit",
  content: [{ type: "diff", path, oldText, newText }],
});

describe("a question of an agent", () => {
  it("says that a file would be read, where the agent names it by its path alone", async () => {
    const read = (title: string) => (path: string) => ({ toolCallId: "t", title, kind: "read", locations: [{ path }] });
    const { asked } = await asking((path) => read(path)(path));
    expect(asked.question).toMatchObject({ title: expect.stringMatching(/^Read (?:\/|[A-Z]:)/u) });
    const { asked: other } = await asking(read("Show the notes"));
    expect(other.question).toMatchObject({ title: "Show the notes" });
  });

  it("has the choices that the agent offers, by their kinds; what would hold from then on stands by itself", async () => {
    const { lab, asked, answered } = await asking(() => ({
      toolCallId: "t",
      title: "Run",
      kind: "execute",
      rawInput: { command: ["bash", "-lc", "npm test"] },
    }));
    expect(asked.question).toMatchObject({
      type: "permission",
      command: "npm test",
      choices: [
        { id: "always", kind: "allow-always", rule: "npm test *" },
        { id: "once", name: "Allow", kind: "allow-once" },
        { id: "no", name: "Reject", kind: "reject-once" },
      ],
    });
    expect(lab.session.answer(asked.id, { type: "choice", choiceId: "strange" })).toBe(false);
    expect(lab.session.answer(asked.id, { type: "form", values: {} })).toBe(false);
    expect(lab.session.answer(asked.id, { type: "choice", choiceId: "once" })).toBe(true);
    expect(lab.session.answer(asked.id, { type: "choice", choiceId: "once" })).toBe(false);
    expect(await answered).toEqual({ outcome: { outcome: "selected", optionId: "once" } });
  });

  it("is answered once the ledger has the file that it is about: the agent may write it by itself then", async () => {
    const { lab, asked, answered } = await asking(diffOf("one\n", "two\n"), "one\n");
    const told: string[] = [];
    let goOn = (): void => {};
    Object.assign(lab.host, {
      aboutToWrite: async (path: string) => {
        told.push(path);
        await new Promise<void>((resolve) => (goOn = resolve));
      },
    });
    let isAnswered = false;
    void answered.then(() => (isAnswered = true));
    lab.session.answer(asked.id, { type: "choice", choiceId: "once" });
    await expect.poll(() => told).toEqual([lab.path("a.txt")]);
    expect(isAnswered).toBe(false);
    goOn();
    expect(await answered).toEqual({ outcome: { outcome: "selected", optionId: "once" } });
  });

  it("does not pass the words beside it off as what the tool has printed", async () => {
    const { lab, asked } = await asking(() => ({
      toolCallId: "t",
      title: "ls",
      kind: "execute",
      content: [{ type: "content", content: { type: "text", text: "Lists the files" } }],
    }));
    expect(asked.question).toMatchObject({ reason: "Lists the files" });
    expect(lab.tools()[0]).not.toHaveProperty("output");
  });

  it("is taken back by an answer that is none, and by the agent", async () => {
    const { lab, asked, answered } = await asking(() => ({ toolCallId: "t" }));
    lab.session.answer(asked.id, { type: "cancel" });
    expect(await answered).toEqual({ outcome: { outcome: "cancelled" } });
    const other = geminiLab();
    await other.session.start();
    other.agent.play(async ({ agent }) => {
      const toolCall = { toolCallId: "t", title: "Run", kind: "execute" };
      const { id, reply } = agent.askRaw("session/request_permission", { sessionId: "s", options, toolCall });
      await other.question();
      agent.notify("$/cancel_request", { requestId: id });
      await reply;
    });
    expect(await other.prompt("Go")).toBe("done");
    expect(other.entries().find(({ kind }) => kind === "question")).toMatchObject({ outcome: { type: "withdrawn" } });
  });

  it("shows the whole file where the agent sends a part that stands in it once", async () => {
    const { lab, asked } = await asking(diffOf("two\n", "TWO\n"), "one\ntwo\nthree\n");
    expect(asked.question).toMatchObject({
      change: { path: lab.path("a.txt"), before: "one\ntwo\nthree\n", after: "one\nTWO\nthree\n", isEditable: false },
    });
    expect(asked.question).not.toHaveProperty("change.isFragment");
  });

  it("shows the whole file whichever of the texts has the byte order mark", async () => {
    const part = await asking(diffOf("\uFEFFone\n", "\uFEFFONE\n"), "one\ntwo\n");
    expect(part.asked.question).toMatchObject({ change: { before: "one\ntwo\n", after: "ONE\ntwo\n" } });
    const whole = await asking(diffOf("one\none\n", "ONE\n"), "\uFEFFone\none\n");
    expect(whole.asked.question).toMatchObject({ change: { before: "one\none\n", after: "ONE\n" } });
    for (const { asked } of [part, whole]) expect(asked.question).not.toHaveProperty("change.isFragment");
  });

  it("is asked for also where its file cannot be read in time", async () => {
    const { asked } = await asking(diffOf("two", "TWO"), "stuck");
    expect(asked.question).toMatchObject({
      change: { before: "two", after: "TWO", isFragment: true, isEditable: false },
    });
  });

  it("shows a part as such where it stands twice", async () => {
    const { asked } = await asking(diffOf("x\n", "y\n"), "x\nx\n");
    expect(asked.question).toMatchObject({
      change: { before: "x\n", after: "y\n", isFragment: true, isEditable: false },
    });
  });

  it("shows a new file as such, and one that is replaced as a whole with its text", async () => {
    const fresh = await asking(diffOf(null, "fresh\n"));
    expect(fresh.asked.question).toMatchObject({ change: { after: "fresh\n" } });
    expect(fresh.asked.question).not.toHaveProperty("change.before");
    const replaced = await asking(diffOf(null, "fresh\n"), "stale\n");
    expect(replaced.asked.question).toMatchObject({ change: { before: "stale\n", after: "fresh\n" } });
  });

  it("of several files has no change of its own: they stand with the tool", async () => {
    const { lab, asked } = await asking((path) => ({
      toolCallId: "t",
      title: "Patch",
      kind: "edit",
      content: ["1", "2"].map((name) => ({ type: "diff", path: `${path}.${name}`, oldText: null, newText: name })),
    }));
    expect(asked.question).not.toHaveProperty("change");
    expect(lab.tools()[0]?.changes).toHaveLength(2);
  });

  it("to leave a plan is a plan", async () => {
    const content = [{ type: "content", content: { type: "text", text: "1. Do it" } }];
    const { asked } = await asking(() => ({ toolCallId: "t", title: "Ready?", kind: "switch_mode", content }));
    expect(asked.question).toMatchObject({ type: "plan", plan: "1. Do it" });
  });

  it("cannot change a file in the diff that the agent writes by itself", async () => {
    const lab = geminiLab();
    await lab.session.start();
    lab.agent.play(async ({ edit }) => void (await edit("/elsewhere/a.txt", "two\n")));
    void lab.prompt("Edit");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({ change: { path: resolve(lab.cwd, "/elsewhere/a.txt"), isEditable: false } });
    lab.session.answer(id, { type: "reject" });
  });
});

describe("a question of the model", () => {
  it("comes as a form from the agent that asks it as a permission, and is answered by number", async () => {
    const lab = qwenLab();
    await lab.session.start();
    let result: unknown;
    lab.agent.play(async ({ agent }) => {
      const qwenQuestions = [
        {
          question: "Which colour?",
          header: "Colour",
          options: [{ label: "Red", description: "As blood" }],
          multiSelect: false,
        },
        { question: "Which sizes?", header: "Size", options: [{ label: "S" }, { label: "L" }], multiSelect: true },
      ];
      const toolCall = {
        toolCallId: "t",
        title: "Ask user",
        _meta: { qwenInteractionKind: "user_question", qwenQuestions },
      };
      result = await agent.ask("session/request_permission", {
        sessionId: "s",
        toolCall,
        options: [
          { optionId: "proceed_once", name: "Submit", kind: "allow_once" },
          { optionId: "cancel", name: "Cancel", kind: "reject_once" },
        ],
      });
    });
    const turn = lab.prompt("Ask me");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({
      type: "form",
      fields: [
        {
          id: "0",
          label: "Which colour?",
          input: "one-of",
          options: [{ value: "Red", description: "As blood" }],
          allowsOther: true,
        },
        { id: "1", label: "Which sizes?", input: "many-of" },
      ],
    });
    lab.session.answer(id, { type: "form", values: { "0": "Green", "1": ["S", "L"] } });
    await turn;
    expect(result).toEqual({
      outcome: { outcome: "selected", optionId: "proceed_once" },
      answers: { "0": "Green", "1": "S, L" },
    });
  });

  it("comes as a form by elicitation; what is not among the options goes where the agent wants it", async () => {
    const lab = geminiLab();
    await lab.session.start();
    const results: unknown[] = [];
    const ask = {
      mode: "form",
      message: "Please choose",
      requestedSchema: {
        type: "object",
        properties: {
          question_0: { type: "string", title: "Colour", oneOf: [{ const: "A", title: "Red" }] },
          question_0_custom: { type: "string", title: "Other" },
          count: { type: "integer", title: "How many", default: 2 },
          sure: { type: "boolean" },
          many: { type: "array", items: { enum: ["x", "y"] } },
        },
        required: ["question_0"],
      },
    };
    lab.agent.play(async ({ agent }) => {
      for (let times = 0; times < 2; times += 1) results.push(await agent.ask("elicitation/create", ask));
      const { reply } = agent.askRaw("elicitation/create", { ...ask, mode: "url", url: "https://example.com" });
      results.push((await reply).error?.code);
    });
    const turn = lab.prompt("Ask me");
    const { id, question } = await lab.question();
    expect(question).toEqual({
      type: "form",
      message: "Please choose",
      fields: [
        {
          id: "question_0",
          label: "Colour",
          input: "one-of",
          isRequired: true,
          options: [{ value: "A", label: "Red" }],
          allowsOther: true,
        },
        { id: "count", label: "How many", input: "number", isRequired: false, initial: 2 },
        { id: "sure", label: "sure", input: "boolean", isRequired: false },
        {
          id: "many",
          label: "many",
          input: "many-of",
          isRequired: false,
          options: [
            { value: "x", label: "x" },
            { value: "y", label: "y" },
          ],
        },
      ],
    });
    lab.session.answer(id, { type: "form", values: { question_0: "Violet", count: 3, sure: true, many: ["x"] } });
    const second = await lab.question();
    lab.session.answer(second.id, { type: "reject" });
    await turn;
    expect(results).toEqual([
      { action: "accept", content: { question_0_custom: "Violet", count: 3, sure: true, many: ["x"] } },
      { action: "decline" },
      -32_602,
    ]);
  });
});
