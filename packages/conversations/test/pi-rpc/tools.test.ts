import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { startPi } from "./pi-lab.ts";

const file = resolve("/project/a.txt");
const edit = (oldText: string, newText: string) => ({ path: "a.txt", edits: [{ oldText, newText }] });
const done = { content: [{ type: "text", text: "Written." }] };

describe("a tool of Pi", () => {
  it("that writes asks with its change, and runs with the user's text", async () => {
    const lab = await startPi();
    lab.files.set(file, "one\ntwo\n");
    const { ended } = await lab.begin();
    const reply = await lab.asks("edit", edit("one", "1"));
    const { id, question } = await lab.question();
    expect(question).toMatchObject({
      title: "edit a.txt",
      change: { path: file, before: "one\ntwo\n", after: "1\ntwo\n", isEditable: true },
      choices: [{ id: "allow" }, { id: "reject" }],
    });
    expect(lab.kind).toBe("waiting");
    expect(lab.tools.map(({ state }) => state)).toEqual(["waiting"]);
    expect(lab.saved).toEqual([file]);
    // It changes before the answer: what is written is the user's text all the same.
    lab.files.set(file, "zero\none\ntwo\n");
    expect(lab.session.answer(id, { type: "choice", choiceId: "allow", text: "zero\n1 by me\ntwo\n" })).toBe(true);
    expect(lab.session.answer(id, { type: "choice", choiceId: "allow" })).toBe(false);
    await expect.poll(reply).toMatchObject({
      kind: "allow-changed",
      arguments: { path: "a.txt", edits: [{ oldText: "one", newText: "1 by me" }] },
      isFollowed: true,
    });
    lab.known.set(file, [{ line: 2, severity: "error", message: "No such word" }]);
    lab.request("after", { moment: "after", id: "call-1" });
    await expect
      .poll(() => lab.reply("after")?.["note"])
      .toBe(
        `This edit was changed before it was accepted, by the user or because the file had changed. Do not undo that. The file now reads:\nzero\n1 by me\ntwo\n\n\nNew problems in the user's editor:\n${resolve("/project/a.txt")}:2: error: No such word`,
      );
    lab.say({ type: "tool_execution_end", toolCallId: "call-1", toolName: "edit", result: done, isError: false });
    lab.message([{ type: "text", text: "Done." }]);
    lab.end();
    expect(await ended).toBe("done");
    expect(lab.tools).toMatchObject([
      {
        state: "done",
        output: "Written.",
        changes: [{ path: file, before: "zero\none\ntwo\n", after: "zero\n1 by me\ntwo\n" }],
      },
    ]);
    expect(lab.updates).toContainEqual({ type: "file-changed", path: file, toolId: "call-1", isAsked: true });
    expect(lab.questions.map(({ outcome }) => outcome)).toEqual([
      { type: "answered", summary: "Yes", isAllowed: true, isEdited: true },
    ]);
  });

  it("is told no, with the user's reason", async () => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    const reply = await lab.asks("write", { path: "b.txt", content: "b\n" });
    const { id, question } = await lab.question();
    expect(question).toMatchObject({ change: { path: resolve("/project/b.txt"), after: "b\n" } });
    lab.session.answer(id, { type: "reject", message: "leave it" });
    await expect.poll(reply).toEqual({ kind: "deny", reason: "The user rejected this, and says: leave it" });
    const result = { content: [{ type: "text", text: "The user rejected this" }] };
    lab.say({ type: "tool_execution_end", toolCallId: "call-1", toolName: "write", result, isError: true });
    lab.end();
    await ended;
    expect(lab.tools.map(({ state, changes }) => [state, changes])).toEqual([["rejected", undefined]]);
  });

  it("whose change cannot be shown is not run, and nobody is asked", async () => {
    const lab = await startPi();
    lab.files.set(file, "one\none\n");
    await lab.begin();
    const reply = await lab.asks("edit", edit("one", "1"));
    await expect
      .poll(reply)
      .toMatchObject({ kind: "deny", reason: expect.stringContaining("cannot be shown to them") });
    expect(lab.questions).toEqual([]);
  });

  it("is not run where the editor fails", async () => {
    const lab = await startPi(
      {},
      {
        host: {
          readText: async () => await Promise.reject(new Error("The disk is gone.")),
          writeText: async () => {},
          saveIfDirty: async () => await Promise.resolve(false),
          problems: async () => await Promise.resolve([]),
          mayRead: () => true,
          locate: async () => await Promise.resolve({ isInside: true, isShared: true }),
        },
      },
    );
    await lab.begin();
    const reply = await lab.asks("edit", edit("one", "1"));
    await expect.poll(reply).toEqual({ kind: "deny", reason: "The disk is gone." });
  });

  it("is asked about on top of what was accepted before it ran", async () => {
    const lab = await startPi();
    lab.files.set(file, "one\ntwo\n");
    await lab.begin();
    await lab.asks("edit", edit("one", "1"));
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "allow", text: "1 by me\ntwo\n" });
    await lab.asks("edit", edit("two", "2"));
    const { question } = await lab.question();
    expect(question).toMatchObject({ change: { before: "1 by me\ntwo\n", after: "1 by me\n2\n" } });
    // Once it has run, the file says what stands there.
    lab.say({ type: "tool_execution_end", toolCallId: "call-1", toolName: "edit", result: done, isError: true });
    await expect.poll(() => lab.tools[0]?.state).toBe("failed");
    await lab.asks("edit", edit("two", "II"));
    await expect.poll(() => lab.questions.length).toBe(3);
    expect(lab.questions[2]?.question).toMatchObject({ change: { before: "one\ntwo\n", after: "one\nII\n" } });
  });

  it("that runs a command asks with all of it, and shows what it prints as it comes", async () => {
    const lab = await startPi();
    await lab.begin();
    const reply = await lab.asks("bash", { command: "make\n  all" });
    const { id, question } = await lab.question();
    expect(question).toMatchObject({
      command: "make\n  all",
      choices: [{ id: "allow" }, { id: "always" }, { id: "reject" }],
    });
    lab.session.answer(id, { type: "choice", choiceId: "allow" });
    await expect.poll(reply).toEqual({ kind: "allow" });
    const prints = (text: string): void =>
      lab.say({
        type: "tool_execution_update",
        toolCallId: "call-1",
        toolName: "bash",
        partialResult: { content: [{ type: "text", text }] },
      });
    prints("a\n");
    prints("a\nb\n");
    await expect.poll(() => lab.tools[0]?.output).toBe("a\nb\n");
    expect(lab.updates).toContainEqual({ type: "append", id: "call-1", to: "output", text: "b\n" });
    prints("cut\n");
    await expect.poll(() => lab.tools[0]?.output).toBe("cut\n");
    expect(lab.tools[0]?.state).toBe("running");
  });

  it("is asked about as the mode has it", async () => {
    const lab = await startPi();
    lab.files.set(file, "one\n");
    await lab.begin();
    await lab.asks("read", { path: "a.txt" });
    await expect.poll(() => lab.reply("request-1")).toEqual({ kind: "allow" });
    expect(lab.saved).toEqual([file]);
    // What an extension brings along may do anything.
    await lab.asks("deploy", { to: "production" });
    const first = await lab.question();
    expect(first.question).toMatchObject({
      title: "deploy",
      input: '{\n  "to": "production"\n}',
      choices: [{}, { name: "Yes, and allow deploy for this session", rule: "deploy" }, {}],
    });
    lab.session.answer(first.id, { type: "choice", choiceId: "always" });
    await lab.asks("deploy", {});
    await expect.poll(() => lab.reply("request-3")).toEqual({ kind: "allow" });
    await lab.asks("bash", { command: "ls" });
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "always" });
    const options = lab.updates.findLast((update) => update.type === "options")?.options;
    expect(options?.[0]).toMatchObject({ id: "mode", value: "commands" });
    await lab.asks("bash", { command: "ls" });
    await expect.poll(() => lab.reply("request-5")).toEqual({ kind: "allow" });
    await lab.asks("edit", edit("one", "1"));
    lab.session.answer((await lab.question()).id, { type: "reject" });
    await lab.session.setOption("mode", "free");
    await lab.asks("edit", edit("one", "1"));
    await expect.poll(() => lab.reply("request-7")).toEqual({ kind: "allow", isFollowed: true });
    lab.say({ type: "tool_execution_end", toolCallId: "call-7", toolName: "edit", result: done, isError: false });
    const written = { type: "file-changed", path: file, toolId: "call-7", isAsked: false };
    await expect.poll(() => lab.updates).toContainEqual(written);
    expect(lab.questions.filter(({ outcome }) => outcome === undefined)).toEqual([]);
  });

  it("is withdrawn with the turn, and so is what an extension asks", async () => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    const reply = await lab.asks("bash", { command: "ls" });
    lab.say({ type: "extension_ui_request", id: "dialog", method: "confirm", title: "Sure?", message: "Really?" });
    await expect.poll(() => lab.questions.length).toBe(2);
    const stopped = lab.session.interrupt();
    await expect.poll(() => lab.told("abort").length).toBe(1);
    // Pi may take its time; the user sees at once that nobody asks any more.
    expect(lab.questions.map(({ outcome }) => outcome)).toEqual([{ type: "withdrawn" }, { type: "withdrawn" }]);
    lab.message([], { stopReason: "aborted" });
    lab.end();
    await stopped;
    expect(await ended).toBe("stopped");
    expect(lab.questions.map(({ outcome }) => outcome)).toEqual([{ type: "withdrawn" }, { type: "withdrawn" }]);
    expect(lab.told("extension_ui_response")).toEqual([
      { type: "extension_ui_response", id: "dialog", cancelled: true },
    ]);
    expect(reply()).toBeUndefined();
    expect(lab.tools.map(({ state }) => state)).toEqual(["cancelled"]);
  });
});

describe("a dialog of an extension", () => {
  it("is a question, and is over when Pi answers for its user", async () => {
    const lab = await startPi();
    lab.isThinking = true;
    void lab.prompt("/ask");
    lab.say({ type: "extension_ui_request", id: "d1", method: "editor", title: "Text", prefill: "as it is" });
    const { question } = await lab.question();
    expect(question).toMatchObject({ type: "form", fields: [{ label: "Text", input: "text", initial: "as it is" }] });
    lab.session.answer("d1", { type: "form", values: { answer: "other" } });
    lab.say({
      type: "extension_ui_request",
      id: "d2",
      method: "select",
      title: "Which?",
      options: ["A"],
      timeout: 500,
    });
    await lab.question();
    lab.clock.advance(500);
    expect(lab.questions.map(({ outcome }) => outcome)).toEqual([
      { type: "answered", summary: "Text: other", isAllowed: true },
      { type: "withdrawn" },
    ]);
    expect(lab.session.answer("d2", { type: "form", values: { answer: "A" } })).toBe(false);
    lab.say({ type: "extension_ui_request", id: "d3", method: "confirm", title: "Sure?", message: "Really?" });
    const { id } = await lab.question();
    lab.session.answer(id, { type: "reject" });
    await expect
      .poll(() => lab.told("extension_ui_response"))
      .toEqual([
        { type: "extension_ui_response", id: "d1", value: "other" },
        { type: "extension_ui_response", id: "d3", cancelled: true },
      ]);
  });
});
