import { chmodSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AcpError } from "@patchbay/testkit";
import { cleanLabs, geminiLab, qwenLab, type SessionLab } from "./session-lab.ts";

afterEach(cleanLabs);

/** What an agent gets when it asks by itself, in a turn. */
async function ask(lab: SessionLab, method: string, params: object): Promise<unknown> {
  let result: unknown;
  lab.agent.play(async ({ agent }) => {
    const { reply } = agent.askRaw(method, { sessionId: "s", ...params });
    const message = await reply;
    result = message.error === undefined ? message.result : message.error.code;
  });
  await lab.prompt("Go");
  return result;
}

describe("reading through the door", () => {
  it("gives the editor's text, or the lines that are wanted", async () => {
    const lab = qwenLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "1\n2\n3\n4");
    await lab.session.start();
    expect(await ask(lab, "fs/read_text_file", { path })).toEqual({ content: "1\n2\n3\n4" });
    expect(await ask(lab, "fs/read_text_file", { path, line: 2, limit: 2 })).toEqual({ content: "2\n3\n" });
    expect(await ask(lab, "fs/read_text_file", { path, line: 4 })).toEqual({ content: "4" });
    expect(await ask(lab, "fs/read_text_file", { path, line: 9 })).toEqual({ content: "" });
    expect(await ask(lab, "fs/read_text_file", { path, limit: 1_000 })).toEqual({ content: "1\n2\n3\n4" });
  });

  it("says of a missing file what the agent understands", async () => {
    const gemini = geminiLab();
    await gemini.session.start();
    expect(await ask(gemini, "fs/read_text_file", { path: gemini.path("none") })).toEqual({ content: "" });
    const qwen = qwenLab();
    await qwen.session.start();
    expect(await ask(qwen, "fs/read_text_file", { path: qwen.path("none") })).toBe(-32_002);
  });

  it("refuses what is not shared, and what has no place", async () => {
    const lab = qwenLab();
    const path = lab.path(".env");
    lab.host.files.set(path, "SECRET=1");
    lab.host.hidden.add(path);
    await lab.session.start();
    expect(await ask(lab, "fs/read_text_file", { path })).toBe(-32_603);
    expect(await ask(lab, "fs/read_text_file", { path: "a.txt" })).toBe(-32_603);
    expect(await ask(lab, "fs/read_text_file", { path: 1 })).toBe(-32_602);
    expect(await ask(lab, "fs/delete", { path })).toBe(-32_601);
  });
});

describe("a file outside the workspace", () => {
  function labWithOutside(lab: SessionLab): { readonly lab: SessionLab; readonly path: string } {
    const path = "/elsewhere/notes.txt";
    lab.host.files.set(path, "theirs\n");
    lab.host.outside.add(path);
    return { lab, path };
  }

  /** The agent asks whether it may use a tool on a file. */
  async function askFirst(lab: SessionLab, path: string, choiceId: string): Promise<void> {
    const options = [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always Allow", kind: "allow_always" },
    ];
    const toolCall = { toolCallId: "r1", title: "notes.txt", kind: "read", locations: [{ path }] };
    lab.agent.play(async ({ agent }) => {
      await agent.ask("session/request_permission", { sessionId: "s", options, toolCall });
    });
    const turn = lab.prompt("Look");
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId });
    await turn;
  }

  const questions = (lab: SessionLab): number => lab.entries().filter(({ kind }) => kind === "question").length;

  it("is read after the user has allowed the call that names it, without another question", async () => {
    const { lab, path } = labWithOutside(qwenLab());
    await lab.session.start();
    await askFirst(lab, path, "once");
    expect(await ask(lab, "fs/read_text_file", { path })).toEqual({ content: "theirs\n" });
    expect(questions(lab)).toBe(1);
  });

  it("is read beside one whose folder the user has allowed for good", async () => {
    const { lab, path } = labWithOutside(qwenLab());
    await lab.session.start();
    await askFirst(lab, "/elsewhere/other.txt", "always");
    expect(await ask(lab, "fs/read_text_file", { path })).toEqual({ content: "theirs\n" });
    expect(questions(lab)).toBe(1);
  });

  it("is asked for where the agent has not, once for its folder", async () => {
    const { lab, path } = labWithOutside(qwenLab());
    await lab.session.start();
    const read = ask(lab, "fs/read_text_file", { path });
    const { id, question } = await lab.question();
    expect(question).toMatchObject({ type: "permission", title: "Read notes.txt" });
    expect(lab.tools()).toMatchObject([{ tool: "read", state: "waiting", locations: [{ path }] }]);
    lab.session.answer(id, { type: "choice", choiceId: "folder" });
    expect(await read).toEqual({ content: "theirs\n" });
    const beside = "/elsewhere/deep/more.txt";
    lab.host.files.set(beside, "more\n");
    lab.host.outside.add(beside);
    expect(await ask(lab, "fs/read_text_file", { path: beside })).toEqual({ content: "more\n" });
    expect(questions(lab)).toBe(1);
  });

  it("stays unread where the user says no, and nobody is asked for one that is not there", async () => {
    const { lab, path } = labWithOutside(qwenLab());
    await lab.session.start();
    const read = ask(lab, "fs/read_text_file", { path });
    lab.session.answer((await lab.question()).id, { type: "reject" });
    expect(await read).toBe(-32_603);
    const missing = "/elsewhere/none.txt";
    lab.host.outside.add(missing);
    expect(await ask(lab, "fs/read_text_file", { path: missing })).toBe(-32_002);
    expect(questions(lab)).toBe(1);
  });

  it("is read without a question in a mode that never asks, but not where it is not shared or climbs", async () => {
    const { lab, path } = labWithOutside(qwenLab());
    await lab.session.start();
    await lab.session.setOption("mode", "yolo");
    expect(await ask(lab, "fs/read_text_file", { path })).toEqual({ content: "theirs\n" });
    lab.host.hidden.add(path);
    expect(await ask(lab, "fs/read_text_file", { path })).toBe(-32_603);
    expect(await ask(lab, "fs/read_text_file", { path: `${lab.cwd}/../up.txt` })).toBe(-32_603);
    expect(await ask(lab, "fs/write_text_file", { path: `${lab.cwd}/../up.txt`, content: "x" })).toBe(-32_603);
  });

  it("is left to the agent where it is its own", async () => {
    const lab = qwenLab();
    const path = join(homedir(), ".qwen", "memory.md");
    lab.host.files.set(path, "kept\n");
    lab.host.outside.add(path);
    await lab.session.start();
    expect(await ask(lab, "fs/read_text_file", { path })).toBe(-32_603);
    expect(questions(lab)).toBe(0);
  });

  it.skipIf(process.getuid?.() !== 0)("is asked for under an id for which the system knows no home", async () => {
    const { lab, path } = labWithOutside(qwenLab());
    await lab.session.start();
    chmodSync(lab.cwd, 0o755);
    vi.stubEnv("HOME", undefined);
    process.seteuid?.(1_000_680_000);
    try {
      expect(() => homedir()).toThrow("ENOENT");
      const read = ask(lab, "fs/read_text_file", { path });
      lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "folder" });
      expect(await read).toEqual({ content: "theirs\n" });
    } finally {
      process.seteuid?.(0);
      vi.unstubAllEnvs();
    }
  });

  it("is asked for before it is written, also once the user has allowed all edits", async () => {
    const { lab, path } = labWithOutside(geminiLab());
    lab.host.files.set(lab.path("a.txt"), "one\n");
    await lab.session.start();
    lab.agent.play(async ({ edit }) => {
      await edit(lab.path("a.txt"), "two\n");
      await edit(lab.path("a.txt"), "three\n", { asks: false });
    });
    const turn = lab.prompt("Edit");
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "proceed_always" });
    await turn;
    expect(lab.host.files.get(lab.path("a.txt"))).toBe("three\n");
    const write = ask(lab, "fs/write_text_file", { path, content: "mine\n" });
    lab.session.answer((await lab.question()).id, { type: "reject" });
    expect(await write).toBe(-32_603);
    expect(lab.host.files.get(path)).toBe("theirs\n");
  });
});

describe("writing through the door", () => {
  it("needs no question in a mode that does not ask, and is told as such", async () => {
    const lab = geminiLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\n");
    await lab.session.start();
    await lab.session.setOption("mode", "autoEdit");
    lab.agent.play(async ({ edit }) => void (await edit(path, "two\n", { asks: false })));
    expect(await lab.prompt("Edit")).toBe("done");
    expect(lab.host.files.get(path)).toBe("two\n");
    expect(lab.tools()).toMatchObject([{ state: "done", changes: [{ before: "one\n", after: "two\n" }] }]);
    expect(lab.updates).toContainEqual({ type: "file-changed", path, toolId: lab.tools()[0]?.id, isAsked: false });
  });

  it("asks by itself for what nobody has allowed: the agent's own settings may, the user has not", async () => {
    const lab = geminiLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\n");
    await lab.session.start();
    const write = ask(lab, "fs/write_text_file", { path, content: "two\n" });
    const { id, question } = await lab.question();
    expect(question).toMatchObject({
      type: "permission",
      change: { before: "one\n", after: "two\n", isEditable: true },
    });
    lab.session.answer(id, { type: "choice", choiceId: "allow", text: "three\n" });
    expect(await write).toEqual({});
    expect(lab.host.files.get(path)).toBe("three\n");
    const second = ask(lab, "fs/write_text_file", { path, content: "four\n" });
    lab.session.answer((await lab.question()).id, { type: "reject" });
    expect(await second).toBe(-32_603);
    expect(lab.host.files.get(path)).toBe("three\n");
    expect(lab.tools().map(({ state }) => state)).toEqual(["done", "rejected"]);
  });

  it("asks again for another text than the one that was allowed, and for another file", async () => {
    const lab = geminiLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\n");
    await lab.session.start();
    const options = [{ optionId: "once", name: "Allow", kind: "allow_once" }];
    const results: unknown[] = [];
    lab.agent.play(async ({ agent }) => {
      const content = [{ type: "diff", path, oldText: "one\n", newText: "two\n" }];
      const toolCall = { toolCallId: "t", title: "a.txt", kind: "edit", content, locations: [{ path }] };
      await agent.ask("session/request_permission", { sessionId: "s", options, toolCall });
      for (const [name, text] of [
        ["a.txt", "two\n"],
        ["a.txt", "evil\n"],
        ["b.txt", "two\n"],
      ] as const) {
        const { reply } = agent.askRaw("fs/write_text_file", { sessionId: "s", path: lab.path(name), content: text });
        results.push((await reply).error?.code);
      }
    });
    const turn = lab.prompt("Edit");
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "once" });
    for (let times = 0; times < 2; times += 1) lab.session.answer((await lab.question()).id, { type: "reject" });
    await turn;
    expect(results).toEqual([undefined, -32_603, -32_603]);
    expect(Object.fromEntries(lab.host.files)).toEqual({ [path]: "two\n" });
  });

  /** The agent asks for a change, the file changes, and the user allows; the agent makes its change of what is there then. */
  async function changedMeanwhile(
    lab: SessionLab,
    answer: { readonly text?: string },
    writes: readonly string[],
  ): Promise<void> {
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\ntwo\nthree\n");
    await lab.session.start();
    lab.agent.play(async ({ agent }) => {
      const content = [{ type: "diff", path, oldText: "one\ntwo\nthree\n", newText: "ONE\ntwo\nthree\n" }];
      const toolCall = { toolCallId: "t", title: "a.txt", kind: "edit", content, locations: [{ path }] };
      const options = [{ optionId: "once", name: "Allow", kind: "allow_once" }];
      await agent.ask("session/request_permission", { sessionId: "s", options, toolCall });
      for (const text of writes) {
        await agent.askRaw("fs/write_text_file", { sessionId: "s", path, content: text }).reply;
      }
    });
    const turn = lab.prompt("Edit");
    const { id } = await lab.question();
    lab.host.files.set(path, "one\ntwo\nTHREE\n");
    lab.session.answer(id, { type: "choice", choiceId: "once", ...answer });
    await turn;
  }

  it.each([
    ["as the review has merged it", { text: "ONE\ntwo\nTHREE\n" }, "ONE\ntwo\nTHREE\n"],
    ["as the user has edited it", { text: "ONE!\ntwo\nTHREE\n" }, "ONE!\ntwo\nTHREE\n"],
    ["as it was proposed", {}, "ONE\ntwo\nTHREE\n"],
  ])("asks once where the file has changed while the question waited, and writes it %s", async (_how, answer, held) => {
    const lab = geminiLab();
    await changedMeanwhile(lab, answer, ["ONE\ntwo\nTHREE\n"]);
    expect(lab.entries().filter(({ kind }) => kind === "question")).toHaveLength(1);
    expect(lab.host.files.get(lab.path("a.txt"))).toBe(held);
  });

  it("asks for what the call writes beyond that", async () => {
    const lab = geminiLab();
    const over = changedMeanwhile(lab, { text: "ONE!\ntwo\nTHREE\n" }, ["ONE\ntwo\nTHREE\n", "evil\n"]);
    const isOpen = (): boolean => lab.entries().filter(({ kind }) => kind === "question").length === 2;
    await expect.poll(isOpen).toBe(true);
    lab.session.answer((await lab.question()).id, { type: "reject" });
    await over;
    expect(lab.host.files.get(lab.path("a.txt"))).toBe("ONE!\ntwo\nTHREE\n");
  });

  it("asks no more once the user has allowed all edits, until the mode is changed", async () => {
    const lab = geminiLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\n");
    await lab.session.start();
    lab.agent.play(async ({ edit }) => {
      await edit(path, "two\n");
      await edit(path, "three\n", { asks: false });
    });
    const turn = lab.prompt("Edit");
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "proceed_always" });
    await turn;
    expect(lab.host.files.get(path)).toBe("three\n");
    await lab.session.setOption("mode", "plan");
    const write = ask(lab, "fs/write_text_file", { path, content: "four\n" });
    lab.session.answer((await lab.question()).id, { type: "reject" });
    expect(await write).toBe(-32_603);
  });

  it("keeps the ends of lines and the mark of the agent's text in the user's", async () => {
    const lab = geminiLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\r\ntwo\r\n");
    await lab.session.start();
    lab.agent.play(async ({ agent }) => {
      // The agent shows its change without returns, and writes it with them.
      const content = [{ type: "diff", path, oldText: "one\ntwo\n", newText: "one\nTWO\n" }];
      const toolCall = { toolCallId: "t", title: "a.txt", kind: "edit", content };
      const options = [{ optionId: "once", name: "Allow", kind: "allow_once" }];
      await agent.ask("session/request_permission", { sessionId: "s", options, toolCall });
      await agent.ask("fs/write_text_file", { sessionId: "s", path, content: "\uFEFFone\r\nTWO\r\n" });
    });
    const turn = lab.prompt("Edit");
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "once", text: "one\nzwo\n" });
    await turn;
    expect(lab.host.files.get(path)).toBe("\uFEFFone\r\nzwo\r\n");
  });

  it("gives a file the ends of lines that the agent says beside its text", async () => {
    const lab = qwenLab();
    const path = lab.path("a.txt");
    await lab.session.start();
    await lab.session.setOption("mode", "yolo");
    await ask(lab, "fs/write_text_file", { path, content: "one\ntwo\r\n", _meta: { lineEnding: "crlf" } });
    expect(lab.host.files.get(path)).toBe("one\r\ntwo\r\n");
  });

  it("that fails is an error for the agent", async () => {
    const lab = geminiLab();
    await lab.session.start();
    await lab.session.setOption("mode", "yolo");
    lab.host.writeText = () => Promise.reject(new Error("The disk is full."));
    expect(await ask(lab, "fs/write_text_file", { path: lab.path("a.txt"), content: "x" })).toBe(-32_603);
    expect(lab.updates.some(({ type }) => type === "file-changed")).toBe(false);
  });
});

describe("a failed turn", () => {
  it.each([
    [
      "a provider's refusal as a code",
      new AcpError(401, '{"error":{"code":401,"message":"API key not valid"}}'),
      "sign-in",
      "API key not valid",
    ],
    [
      "a limit in nested documents",
      new AcpError(
        429,
        JSON.stringify({ error: { message: JSON.stringify({ error: { message: "Quota exceeded", code: 429 } }) } }),
      ),
      "retry",
      "Quota exceeded",
    ],
    [
      "a status in the words",
      new AcpError(-32_603, "Internal error", { details: "500 status code (no body)" }),
      "retry",
      "500 status code",
    ],
    ["words alone", new AcpError(-32_603, "Internal error", { details: "Loop detected" }), "retry", "Loop detected"],
  ])("says what went wrong and what to do: %s", async (_, error, action, detail) => {
    const lab = geminiLab();
    await lab.session.start();
    lab.agent.play(() => {
      throw error;
    });
    expect(await lab.prompt("Go")).toBe("failed");
    expect(lab.entries().at(-1)).toMatchObject({
      kind: "notice",
      level: "error",
      action,
      detail: expect.stringContaining(detail),
    });
    expect(await lab.prompt("Again")).toBe("done");
  });
});
