import { writeFileSync } from "node:fs";
import { createFakeClock, createMemoryEditor } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/editor-host.ts";
import { newProblems, problemsNote, SettledProblems } from "../../src/hooks/settled-problems.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { createHookLab } from "./hook-lab.ts";

const path = "/ws/a.json";

const problem = (message: string, line = 0, severity: Diagnostic["severity"] = "Error"): Diagnostic => ({
  message,
  severity,
  range: { start: { line, character: 0 }, end: { line, character: 1 } },
});

function setUp(mayQuote = true) {
  const clock = createFakeClock();
  const editor = createMemoryEditor({ folders: ["/ws"] });
  const { diagnostics } = editor;
  const problems = new SettledProblems({ diagnostics, clock, logger: nullLogger, mayQuote: () => mayQuote });
  const publish = (...all: readonly Diagnostic[]): void => editor.setDiagnostics({ path, diagnostics: all });
  /** The agent has written; what it was told, once it was. */
  const wrote = (signal = new AbortController().signal) => {
    const state: { note?: string | undefined; isOver: boolean } = { isOver: false };
    const told = problems.told("s", [path], signal).then((note) => Object.assign(state, { note, isOver: true }));
    return { state, told };
  };
  return { clock, editor, problems, publish, wrote };
}

describe("problems after a write", () => {
  it("are told once the first change of them was followed by 300 ms of quiet", async () => {
    const { clock, problems, publish, wrote } = setUp();
    publish(problem("old"));
    problems.begin("s", path);
    const { state } = wrote();
    await clock.advanceAsync(1_000);
    publish(problem("old", 7), problem("half"));
    await clock.advanceAsync(250);
    publish(problem("old", 7), problem("new", 3));
    await clock.advanceAsync(299);
    expect(state.isOver).toBe(false);
    await clock.advanceAsync(1);
    expect(state.note).toBe(`The editor shows new problems in ${path} since this change:\nError in line 4: new`);
  });

  it("are not waited for longer than two seconds, whatever changes", async () => {
    const { clock, problems, publish, wrote } = setUp();
    problems.begin("s", path);
    const { state } = wrote();
    for (let at = 0; at < 1_900; at += 100) {
      publish(problem(`at ${at}`));
      await clock.advanceAsync(100);
    }
    expect(state.isOver).toBe(false);
    await clock.advanceAsync(100);
    expect(state.note).toContain("at 1800");
  });

  it("that came between the write and its event count, and those of the time of the review do not", async () => {
    for (const [ago, waits] of [
      [200, 100],
      [60_000, 2_000],
    ] as const) {
      const { clock, problems, publish, wrote } = setUp();
      problems.begin("s", path);
      await clock.advanceAsync(10);
      publish(problem("new"));
      await clock.advanceAsync(ago);
      const { state } = wrote();
      await clock.advanceAsync(waits - 1);
      expect(state.isOver).toBe(false);
      await clock.advanceAsync(1);
      expect(state.note).toContain("new");
    }
  });

  it("are not waited for again in a kind of file of which nothing was heard, until something is", async () => {
    const { clock, problems, publish, wrote } = setUp();
    const write = async (ms: number) => {
      problems.begin("s", path);
      const { state } = wrote();
      await clock.advanceAsync(ms - 1);
      expect(state.isOver).toBe(false);
      return state;
    };
    const first = await write(2_000);
    await clock.advanceAsync(1);
    expect(first.isOver).toBe(true);
    const second = await write(300);
    await clock.advanceAsync(1);
    expect(second.isOver).toBe(true);
    await write(300);
    publish(problem("new"));
    await clock.advanceAsync(300);
    await write(2_000);
  });

  it("are not told where nothing was known before, nothing is new, or the file is never shared", async () => {
    const unknown = setUp();
    expect(await unknown.problems.told("s", [path], new AbortController().signal)).toBeUndefined();
    const same = setUp();
    same.publish(problem("old"));
    same.problems.begin("s", path);
    const { state, told } = same.wrote();
    same.publish(problem("old", 9));
    await same.clock.advanceAsync(2_000);
    await told;
    expect(state).toEqual({ note: undefined, isOver: true });
    const secret = setUp(false);
    secret.problems.begin("s", path);
    secret.publish(problem("secret"));
    expect(await secret.problems.told("s", [path], new AbortController().signal)).toBeUndefined();
  });

  it("are nobody's once the agent has gone, and no failure of the editor is the agent's", async () => {
    const { clock, editor, problems, publish, wrote } = setUp();
    problems.begin("s", path);
    problems.forget("s");
    publish(problem("new"));
    expect(await problems.told("s", [path], new AbortController().signal)).toBeUndefined();
    editor.fail("diagnostics.read");
    problems.begin("s", path);
    const { told } = wrote();
    await clock.advanceAsync(2_000);
    expect(await told).toMatchObject({ note: undefined });
    problems.begin("s", path);
    const left = new AbortController();
    const leaving = wrote(left.signal);
    await clock.advanceAsync(10);
    left.abort();
    expect(await leaving.told).toMatchObject({ note: undefined });
    expect(clock.pending).toBe(0);
  });
});

describe("what is told", () => {
  it("is new errors, then new warnings, each as often as it is new, and nothing that is no problem", () => {
    const before = [problem("a"), problem("b", 1, "Warning")];
    const now = [problem("w", 1, "Warning"), problem("a", 4), problem("a", 5), problem("b", 6, "Warning")];
    const seen = newProblems(before, [...now, problem("hint", 0, "Hint"), problem("note", 0, "Information")]);
    expect(seen.map(({ message, range }) => [message, range.start.line])).toEqual([
      ["a", 5],
      ["w", 1],
    ]);
  });

  it("is ten of them, with the number of the others, and never a whole book", () => {
    const many = Array.from({ length: 1_000 }, (_, at) => problem(`${at} ${"x".repeat(5_000)}`));
    const note = problemsNote(path, many) ?? "";
    expect(note.split("\n")).toHaveLength(12);
    expect(note).toMatch(/and 990 more\.$/u);
    expect(note.length).toBeLessThan(4_500);
  });
});

describe("an agent with a hook", () => {
  it.each([
    ["claude", "PostToolUse", "Write"],
    ["gemini", "AfterTool", "write_file"],
    ["qwen", "PostToolUse", "write_file"],
  ] as const)("%s is told in the answer to %s", async (agent, hook_event_name, tool) => {
    const { ask, tell, editor, file } = await createHookLab("{}\n");
    const input = { file_path: file, content: "{\n" };
    const asked = ask(agent, { tool, input });
    (await editor.nextView()).accept();
    await asked;
    writeFileSync(file, "{\n");
    const told = tell(agent, { hook_event_name, tool_name: tool, tool_input: input });
    editor.setDiagnostics({ path: file, diagnostics: [problem("Expected a brace.", 1)] });
    expect(JSON.parse((await told) ?? "{}")).toEqual({
      hookSpecificOutput: {
        hookEventName: hook_event_name,
        additionalContext: `The editor shows new problems in ${file} since this change:\nError in line 2: Expected a brace.`,
      },
    });
  });
});
