import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claudeHook } from "../../src/agents/claude/behaviour.ts";
import { geminiHook } from "../../src/agents/gemini/behaviour.ts";
import type { AgentHook, HookChange, ToolArguments } from "../../src/agents/hook.ts";
import { qwenHook } from "../../src/agents/qwen/behaviour.ts";

interface Agent {
  readonly hook: AgentHook;
  readonly event: string;
  readonly write: string;
  readonly edit: string;
}

const claude: Agent = { hook: claudeHook, event: "PreToolUse", write: "Write", edit: "Edit" };
const gemini: Agent = { hook: geminiHook, event: "BeforeTool", write: "write_file", edit: "replace" };
const qwen: Agent = { hook: qwenHook, event: "PreToolUse", write: "write_file", edit: "edit" };

/** The change that a call of a tool is, as the hook reads it. */
function changeOf({ hook, event }: Agent, tool: string, input: ToolArguments): HookChange {
  const told = {
    session_id: "s",
    hook_event_name: event,
    tool_name: tool,
    tool_input: { file_path: "/ws/a", ...input },
  };
  const read = hook.read(told);
  const change = read?.kind === "write" ? read.changes[0] : undefined;
  if (change === undefined) throw new Error("It is no write.");
  return change;
}

type Seen = readonly [
  tool: "write" | "edit",
  before: string | undefined,
  input: ToolArguments,
  after: string | undefined,
];

const edit = (from: string, to: string): ToolArguments => ({ old_string: from, new_string: to });

/** What the real clients left on disk (Claude Code 2.1.328, Gemini CLI 0.61.0, Qwen Code 0.24.4); undefined: they refused. */
const seenWithAll: readonly Seen[] = [
  ["write", "one\ntwo\n", { content: "one\n2!" }, "one\n2!"],
  ["write", undefined, { content: "\ufeffone\n2\n" }, "\ufeffone\n2\n"],
  ["write", undefined, { content: "one\r\n2" }, "one\r\n2"],
  ["write", "\ufeffone\ntwo\n", { content: "\ufeffone\n2\n" }, "\ufeffone\n2\n"],
  ["edit", "one\r\ntwo\r\n", edit("two", "2\nthree"), "one\r\n2\r\nthree\r\n"],
  ["edit", "\ufeffone\ntwo\n", edit("two", "2"), "\ufeffone\n2\n"],
  ["edit", "a\nb\n", edit("b", "$& $1 $$"), "a\n$& $1 $$\n"],
  ["edit", "a\na\n", edit("a", "b"), undefined],
  ["edit", undefined, edit("", "new\n"), "new\n"],
];

const seenWithClaude: readonly Seen[] = [
  ["write", "one\r\ntwo\r\n", { content: "one\n2\n" }, "one\n2\n"],
  ["write", "\ufeffone\ntwo\n", { content: "one\n2\n" }, "\ufeffone\n2\n"],
  ["write", "one\r\ntwo\nthree\n", { content: "one\r\n2\nthree\n" }, "one\r\n2\nthree\n"],
  ["edit", "one\r\ntwo\nthree\n", edit("two", "2\nx"), "one\n2\nx\nthree\n"],
  ["edit", "one\r\ntwo\r\nthree\n", edit("two", "2\nx"), "one\r\n2\r\nx\r\nthree\r\n"],
  ["edit", "one\r\ntwo\r\n", edit("one\r\ntwo", "1\r\n2"), undefined],
  ["edit", "one\ntwo\nthree\n", edit("two", ""), "one\nthree\n"],
  ["edit", "one\ntwo\n", edit("one\ntwo\n", ""), ""],
  ["edit", "a\na\n", { ...edit("a", "b"), replace_all: true }, "b\nb\n"],
  ["edit", "", edit("", "new\n"), "new\n"],
  ["edit", "one\rtwo\r", edit("two", "2\nx"), "one\r2\nx\r"],
  ["edit", "one\ntwo\r\nthree", edit("two", "2\nx"), "one\n2\nx\nthree"],
  ["edit", "x a\na\na b\n", { ...edit("a", ""), replace_all: true }, "x a b\n"],
];

const seenWithGemini: readonly Seen[] = [
  ["write", "one\r\ntwo\nthree\n", { content: "one\n2\nthree\n" }, "one\r\n2\r\nthree\r\n"],
  ["write", "one\ntwo\n", { content: "one\r\n2\r\n" }, "one\r\n2\r\n"],
  ["write", "\ufeffone\ntwo\n", { content: "one\n2\n" }, "one\n2\n"],
  ["edit", "one\r\ntwo\r\n", edit("one\r\ntwo", "1\r\n2"), "1\r\n2\r\n"],
  ["edit", "one\r\ntwo\nthree\n", edit("two", "2\nx"), "one\r\n2\r\nx\r\nthree\r\n"],
  ["edit", "one\ntwo\nthree\n", edit("two", ""), "one\n\nthree\n"],
  ["edit", "one\ntwo\n", edit("one\ntwo\n", ""), "\n"],
  ["edit", "\ufeffone\ntwo\n", edit("two\n", "2\nx"), "\ufeffone\n2\nx\n"],
  ["edit", "a\na\n", { ...edit("a", "b"), allow_multiple: true }, "b\nb\n"],
  ["edit", "one\ntwo", edit("two", "2"), "one\n2"],
  ["edit", "one\ntwo", edit("two", "2\n"), "one\n2"],
  ["edit", "one\ntwo\n", edit("two\n", "2"), "one\n2\n"],
  ["edit", "", edit("", "new"), undefined],
  ["write", "\ufeffone\r\ntwo\r\n", { content: "one\n2" }, "one\r\n2"],
  ["write", "one\r\ntwo\r\n", { content: "one\r\n2\r\n" }, "one\r\n2\r\n"],
];

const seenWithQwen: readonly Seen[] = [
  ["edit", "one\ntwo", edit("two", "2\n"), "one\n2\n"],
  ["edit", "one\ntwo\n", edit("two\n", "2"), "one\n2"],
  ["edit", "", edit("", "new"), undefined],
  ["write", "\ufeffone\r\ntwo\r\n", { content: "one\n2" }, "\ufeffone\r\n2"],
  ["write", "one\r\ntwo\r\n", { content: "one\n2\n" }, "one\r\n2\r\n"],
  ["write", "\ufeffone\ntwo\n", { content: "one\n2\n" }, "\ufeffone\n2\n"],
  ["edit", "one\ntwo\nthree\n", edit("two", ""), "one\nthree\n"],
  ["edit", "a\na\n", { ...edit("a", "b"), replace_all: true }, "b\nb\n"],
];

describe.each([
  ["Claude Code", claude, seenWithClaude],
  ["Gemini CLI", gemini, seenWithGemini],
  ["Qwen Code", qwen, seenWithQwen],
] as const)("what %s writes", (_name, agent, seen) => {
  it.each([...seenWithAll, ...seen])("is known before: %s of %j with %j", (tool, before, input, after) => {
    expect(changeOf(agent, agent[tool], input).textAfter(before)).toBe(after);
  });
});

const line = fc.constantFrom("", "a", "b", "  b", "}", "same", "ü", "$&");
const end = fc.constantFrom("\n", "\r\n");
/** Files with marks, mixed line ends, repeated lines and no final end. */
const file = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(line, end), { maxLength: 8 }), line)
  .map(([hasMark, lines, last]) => (hasMark ? "\ufeff" : "") + lines.flat().join("") + last);
/** A file of one kind of line ends. */
const evenFile = fc
  .tuple(fc.boolean(), end, fc.array(line, { maxLength: 8 }))
  .map(([hasMark, one, lines]) => (hasMark ? "\ufeff" : "") + lines.join(one));

describe.each([
  ["Claude Code", claude],
  ["Gemini CLI", gemini],
] as const)("what the user wrote, in the arguments of %s", (_name, agent) => {
  it.each(["write", "edit"] as const)("is what its %s leaves on disk, byte for byte, or is not said at all", (tool) => {
    fc.assert(
      fc.property(file, file, fc.string(), fc.string(), (before, wanted, from, to) => {
        const input = tool === "write" ? { content: to } : edit(from, to);
        const given = changeOf(agent, agent[tool], input).argumentsFor(before, wanted);
        if (given === undefined) return;
        expect(changeOf(agent, agent[tool], given).textAfter(before)).toBe(wanted);
        if (tool === "edit") expect(given["old_string"]).not.toBe(given["new_string"]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is always said where nothing but the lines changes", () => {
    fc.assert(
      fc.property(evenFile, fc.array(line, { minLength: 1, maxLength: 8 }), (before, lines) => {
        const mark = before.startsWith("\ufeff") ? "\ufeff" : "";
        const body = before.slice(mark.length);
        const hasReturns = body.includes("\r\n");
        const isEven = body.includes("\n") && body.endsWith("\n");
        fc.pre(isEven);
        const one = hasReturns ? "\r\n" : "\n";
        const wanted = mark + lines.map((text) => text + one).join("");
        fc.pre(wanted !== before);
        const edited = changeOf(agent, agent.edit, edit("a", "b")).argumentsFor(before, wanted);
        expect(edited).toBeDefined();
        const written = changeOf(agent, agent.write, { content: "x" }).argumentsFor(before, wanted);
        expect(written).toBeDefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps the old text that the model chose, if that is enough", () => {
    const change = changeOf(agent, agent.edit, { ...edit("two\nthree", "2\n3"), instruction: "Count." });
    const given = change.argumentsFor("one\ntwo\nthree\nfour\n", "one\n2!\n3\nfour\n");
    expect(given).toMatchObject({ old_string: "two\nthree", new_string: "2!\n3" });
    expect(change.argumentsFor("one\ntwo\nthree\nfour\n", "1\ntwo\nthree\nfour\n")).toMatchObject({
      old_string: "one\n",
      new_string: "1\n",
    });
  });

  it("is told with lines around it where its own stand several times", () => {
    const change = changeOf(agent, agent.edit, edit("a", "b"));
    const given = change.argumentsFor("a\nx\na\ny\na\n", "a\nx\nb\ny\na\n");
    expect(given).toMatchObject({ old_string: "x\na\ny\n", new_string: "x\nb\ny\n" });
  });
});

describe("Qwen Code", () => {
  it("takes no other arguments than its model's", () => {
    expect(changeOf(qwen, "write_file", { content: "a" }).argumentsFor("b", "c")).toBeUndefined();
  });

  it("begins a turn with its prompt, and says so again without one", () => {
    const told = { session_id: "s", cwd: "/ws", hook_event_name: "UserPromptSubmit", prompt: "" };
    expect(qwenHook.read(told)).toEqual({ kind: "turn-began", session: "s", cwd: "/ws", prompt: "" });
  });
});

describe("Claude Code", () => {
  it.each([
    [816, "\n"],
    [821, "\r\n"],
  ])("takes the line ends of the first 4,096 characters: %i lines with a return give %j", (count, end) => {
    const before = `${"ä\r\n".repeat(count)}${"b\n".repeat(5_000)}two`;
    const after = changeOf(claude, "Edit", edit("two", "2\nx")).textAfter(before);
    expect(after?.endsWith(`b${end}2${end}x`)).toBe(true);
  });

  it("replaces one after the other in a file with several edits", () => {
    const change = changeOf(claude, "MultiEdit", { edits: [edit("one", "two"), edit("two", "three")] });
    expect(change.textAfter("one\n")).toBe("three\n");
    expect(change.argumentsFor("one\nx\n", "1\nx\n")).toMatchObject({ edits: [edit("one\n", "1\n")] });
  });

  it.each([
    [undefined],
    [{}],
    [[]],
    [{ session_id: 1, hook_event_name: "Stop" }],
    [{ session_id: "s", hook_event_name: "Unknown" }],
    [{ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "/a" } }],
    [{ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Write", tool_input: null }],
  ])("says nothing that matters with %j", (event) => {
    expect(claudeHook.read(event)).toBeUndefined();
  });
});

describe.each([
  { hook: claudeHook, tool: "NotebookEdit" },
  { hook: qwenHook, tool: "notebook_edit" },
])("$tool", ({ hook, tool }) => {
  it("is a write of a file whose text cannot be told", () => {
    const told = {
      session_id: "s",
      hook_event_name: "PreToolUse",
      tool_name: tool,
      tool_input: { notebook_path: "/ws/a.ipynb", new_source: "1" },
    };
    const read = hook.read(told);
    expect(read).toMatchObject({ kind: "write", changes: [{ path: "/ws/a.ipynb" }] });
    expect(read?.kind === "write" ? read.changes[0]?.textAfter("{}") : "").toBeUndefined();
    expect(hook.settings.entries.find(({ event }) => event === "PreToolUse")?.matcher?.split("|")).toContain(tool);
  });
});
