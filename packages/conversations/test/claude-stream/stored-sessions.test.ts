import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ClaudeSessions } from "../../src/claude-stream/stored-sessions.ts";
import { nodeLineFiles } from "../../src/transcript/line-files.ts";

const folder = "/home/ada/my.project";
const at = "2026-11-22T05:38:48.101Z";

interface Lab {
  readonly sessions: ClaudeSessions;
  write(sessionId: string, lines: readonly unknown[], usedAt?: number): void;
}

function makeLab(): Lab {
  const configDirectory = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-claude-")));
  onTestFinished(() => rmSync(configDirectory, { recursive: true, force: true }));
  const directory = join(configDirectory, "projects", "-home-ada-my-project");
  mkdirSync(directory, { recursive: true });
  return {
    sessions: new ClaudeSessions({ files: nodeLineFiles, configDirectory }),
    write: (sessionId, lines, usedAt = 1_000) => {
      const path = join(directory, `${sessionId}.jsonl`);
      const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
      writeFileSync(path, texts.map((text) => `${text}\n`).join(""));
      utimesSync(path, usedAt / 1_000, usedAt / 1_000);
    },
  };
}

const user = (uuid: string, content: unknown, more: object = {}): unknown => ({
  type: "user",
  uuid,
  timestamp: at,
  isSidechain: false,
  message: { role: "user", content },
  ...more,
});
const assistant = (uuid: string, ...content: readonly unknown[]): unknown => ({
  type: "assistant",
  uuid,
  timestamp: at,
  isSidechain: false,
  message: { id: "msg_1", role: "assistant", content },
});

describe("the sessions that Claude Code keeps", () => {
  it("are listed by the title that the user gave, else by what they asked first", async () => {
    const lab = makeLab();
    lab.write("one", [
      { type: "mode", mode: "normal" },
      user("u0", "<command-name>/ide</command-name>"),
      user("u1", "Caveat: what follows", { isMeta: true }),
      user("u2", [{ type: "text", text: "Fix the test" }]),
      assistant("a1", { type: "text", text: "It is fixed." }),
    ]);
    lab.write("two", [user("u1", "Hello"), { type: "custom-title", customTitle: "Named" }], 2_000);
    lab.write("empty", [{ type: "mode", mode: "normal" }, "torn {"], 3_000);
    expect(await lab.sessions.list(folder)).toEqual([
      { sessionId: "two", folder, title: "Named", usedAt: 2_000 },
      { sessionId: "one", folder, title: "Fix the test", usedAt: 1_000, preview: "It is fixed." },
    ]);
    expect(await lab.sessions.list("/somewhere/else")).toEqual([]);
    // One that has changed is read anew.
    lab.write("two", [user("u1", "Hello"), { type: "custom-title", customTitle: "Renamed" }], 4_000);
    expect((await lab.sessions.list(folder))[0]).toMatchObject({ title: "Renamed" });
  });

  it("give their history: what was asked, said, thought and done, and nothing of what they do not understand", async () => {
    const lab = makeLab();
    lab.write("one", [
      user("u1", "Run the tests"),
      { type: "attachment", uuid: "x" },
      assistant("a1", { type: "thinking", thinking: "I should.", signature: "…" }),
      assistant("a2", { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } }),
      user("u2", [
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "1 failed" }], is_error: true },
      ]),
      assistant("a3", { type: "tool_use", id: "t2", name: "Read", input: { file_path: `${folder}/a.txt` } }),
      user("u3", [{ type: "tool_result", tool_use_id: "t2", content: "text" }]),
      { ...Object(assistant("s1", { type: "text", text: "of a subagent" })), isSidechain: true },
      assistant("a4", { type: "hologram" }, { type: "text", text: "One test fails." }),
      "not json at all",
    ]);
    const [session] = await lab.sessions.list(folder);
    if (session === undefined) throw new Error("There is no session.");
    expect(await lab.sessions.history(session)).toMatchObject([
      { kind: "prompt", id: "u1", at: Date.parse(at), blocks: [{ type: "text", text: "Run the tests" }] },
      { kind: "thought", text: "I should.", isComplete: true },
      { kind: "tool", id: "t1", tool: "execute", command: "npm test", state: "failed", output: "1 failed" },
      { kind: "tool", id: "t2", tool: "read", title: "Read a.txt", state: "done" },
      { kind: "message", text: "One test fails." },
    ]);
  });

  it("are whole, however many messages they have", async () => {
    const lab = makeLab();
    const said = Array.from({ length: 12_000 }, (_, index) =>
      index % 2 === 0
        ? user(`u${index}`, `Ask ${index}`)
        : assistant(`a${index}`, { type: "text", text: `Say ${index}` }),
    );
    lab.write("one", said);
    const [session] = await lab.sessions.list(folder);
    if (session === undefined) throw new Error("There is no session.");
    const history = await lab.sessions.history(session);
    expect(history).toHaveLength(12_000);
    expect(history[0]).toMatchObject({ kind: "prompt", id: "u0" });
  });

  it("that are too long say that their oldest messages are left out", async () => {
    const lab = makeLab();
    const long = "x".repeat(1024 * 1024);
    const said = Array.from({ length: 40 }, (_, index) =>
      index === 0 ? user("u0", "Ask") : assistant(`a${index}`, { type: "text", text: `${index} ${long}` }),
    );
    lab.write("one", said);
    const [session] = await lab.sessions.list(folder);
    if (session === undefined) throw new Error("There is no session.");
    const history = await lab.sessions.history(session);
    expect(history[0]).toMatchObject({
      kind: "notice",
      text: "The oldest messages of this session are not shown: it is too long.",
    });
    expect(history.at(-1)).toMatchObject({ kind: "message", text: `39 ${long}` });
    expect(history.length).toBeGreaterThan(30);
    expect(history.length).toBeLessThan(33);
  });

  it("know the point before a prompt, to which a session can be taken back", async () => {
    const lab = makeLab();
    lab.write("one", [
      user("u1", "First"),
      assistant("a1", { type: "text", text: "Yes." }),
      { type: "attachment", uuid: "x" },
      user("u2", "Second"),
    ]);
    expect(await lab.sessions.pointBefore("one", folder, "u2")).toBe("a1");
    expect(await lab.sessions.pointBefore("one", folder, "u1")).toBeUndefined();
    expect(await lab.sessions.pointBefore("one", folder, "unknown")).toBeUndefined();
    expect(await lab.sessions.pointBefore("../../secret", folder, "u2")).toBeUndefined();
  });
});
