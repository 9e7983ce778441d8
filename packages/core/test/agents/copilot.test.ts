import { describe, expect, it } from "vitest";
import { copilotHook } from "../../src/agents/copilot/behaviour.ts";
import type { HookChange } from "../../src/agents/hook.ts";

const source = { session_id: "s", cwd: "/ws" };

function changesOf(tool: string, input: unknown): readonly HookChange[] {
  const read = copilotHook.read({ ...source, hook_event_name: "PreToolUse", tool_name: tool, tool_input: input });
  return read?.kind === "write" ? read.changes : [];
}

function changeOf(tool: string, input: unknown): HookChange {
  const [change] = changesOf(tool, input);
  if (change === undefined) throw new Error("It is no write.");
  return change;
}

/** What Copilot CLI 1.0.102 left on disk; undefined: nothing is the same, and what it takes for nearly the same is not told. */
const edits: readonly (readonly [before: string, old: string, next: string, after: string | undefined])[] = [
  ["first\r\nsecond\r\nthird\r\n", "first\nsecond", "A\nB", "A\r\nB\r\nthird\r\n"],
  ["first\r\nsecond\r\nthird\r\n", "second", "B\nC", "first\r\nB\r\nC\r\nthird\r\n"],
  ["first\r\nsecond\nthird\n", "first", "A\nB", "A\nB\r\nsecond\nthird\n"],
  ["a\r\nb\r\nc\nd\r\n", "a\nb", "A\nB", "A\r\nB\r\nc\nd\r\n"],
  ["a\r\nb\nc\r\n", "b", "B\nBB", "a\r\nB\r\nBB\nc\r\n"],
  ["a\nb\nc\r\n", "a", "A\nB", "A\nB\nb\nc\r\n"],
  ["a\nb\n", "a\r\nb", "A\r\nB", "A\nB\n"],
  ["\ufefffirst\nsecond\n", "first", "A", "\ufeffA\nsecond\n"],
  ["\ufefffirst\r\nsecond\r\n", "first\r\nsecond", "A\r\nB", "\ufeffA\r\nB\r\n"],
  ["", "", "filled\n", "filled\n"],
  ["first\nsecond\n", "first", "$& $1 $' $$", "$& $1 $' $$\nsecond\n"],
  ["first\n", "first", "first", "first\n"],
  ["first\nsecond\nthird\n", "second", "", "first\nthird\n"],
  ["first\r\nsecond\r\nthird\r\n", "second", "", "first\r\nthird\r\n"],
  ["first\nsecond\nthird\n", "second\n", "", "first\nthird\n"],
  ["first\nsecond", "second", "", "first\n"],
  ["x second\nthird\n", "second", "", "x \nthird\n"],
  ["second y\nthird\n", "second", "", " y\nthird\n"],
  ["a second\nb\nsecond\n", "\nsecond", "", "a second\nb\n"],
  ["x\n", "x\n", "", ""],
  ["    indented\n", "indented\n", "INDENT\nmore\n", "    INDENT\nmore\n"],
  ["a\na\n", "a", "b", undefined],
  ["  first\n", "first ", "S", undefined],
  ["it\u2019s\n", "it's", "its", undefined],
];

describe("what Copilot CLI writes", () => {
  it.each(edits)("is known before: %j with %j in place of %j", (before, old, next, after) => {
    const change = changeOf("Edit", { path: "/ws/a", old_str: old, new_str: next });
    expect(change.textAfter(before)).toBe(after);
  });

  it("is a new file as it stands, and nothing where there is one", () => {
    const change = changeOf("Write", { path: "/ws/a", file_text: "\ufeffa\r\n" });
    expect(change.textAfter(undefined)).toBe("\ufeffa\r\n");
    expect(change.textAfter("old\n")).toBe("old\n");
    expect(change.argumentsFor(undefined, "mine\n")).toEqual({ path: "/ws/a", file_text: "mine\n" });
  });

  it("is what the user made of it, by arguments that make exactly that", () => {
    const before = "one\r\ntwo\r\nthree\r\n";
    const change = changeOf("Edit", { path: "/ws/a", old_str: "two", new_str: "2" });
    const given = change.argumentsFor(before, "one\r\n2 by me\r\nand more\r\nthree\r\n");
    expect(given).toEqual({ path: "/ws/a", old_str: "two", new_str: "2 by me\nand more" });
    expect(changeOf("Edit", given).textAfter(before)).toBe("one\r\n2 by me\r\nand more\r\nthree\r\n");
  });

  it("is several files where a model sends a patch", () => {
    const patch = [
      "*** Begin Patch",
      "*** Update File: /ws/a.txt",
      "@@",
      "-first line",
      "+FIRST line",
      " second line",
      "@@ last heading",
      "-gone",
      "*** Add File: b.txt",
      "+new",
      "+",
      "*** Delete File: /ws/c.txt",
      "*** Update File: /ws/d.txt",
      "*** Move to: /ws/e.txt",
      "@@",
      "-x",
      "+y",
      "*** End Patch",
    ].join("\n");
    const changes = changesOf("Edit", patch);
    expect(changes.map(({ path }) => path)).toEqual(["/ws/a.txt", "b.txt", "/ws/c.txt", "/ws/d.txt", "/ws/e.txt"]);
    const [a, b, c, d] = changes;
    expect(a?.textAfter("first line\nsecond line\nlast heading\ngone\n")).toBe(
      "FIRST line\nsecond line\nlast heading\n",
    );
    // What is only nearly the same is not told.
    expect(a?.textAfter("first line \nsecond line\nlast heading\ngone\n")).toBeUndefined();
    expect(b?.textAfter(undefined)).toBe("new\n\n");
    expect(c?.textAfter("x\n")).toBe("");
    expect(d?.textAfter("x\n")).toBeUndefined();
  });
});

describe("the hook of Copilot CLI", () => {
  it("tells turns, commands and what was written", () => {
    const of = (event: Readonly<Record<string, unknown>>): unknown => copilotHook.read({ ...source, ...event });
    expect(of({ hook_event_name: "UserPromptSubmit", prompt: "do it" })).toMatchObject({
      kind: "turn-began",
      prompt: "do it",
    });
    expect(of({ hook_event_name: "Stop", stop_reason: "end_turn" })).toMatchObject({ kind: "turn-ended" });
    const bash = { tool_name: "Bash", tool_input: { command: "make" } };
    expect(of({ hook_event_name: "PreToolUse", ...bash })).toMatchObject({ kind: "command", command: "make" });
    expect(of({ hook_event_name: "PostToolUse", ...bash })).toMatchObject({ kind: "wrote", files: [] });
    const written = { tool_name: "Write", tool_input: { path: "/ws/a", file_text: "" } };
    expect(of({ hook_event_name: "PostToolUse", ...written })).toMatchObject({ files: [{ path: "/ws/a" }] });
    expect(of({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { path: "/ws/a" } })).toBeUndefined();
  });

  it("answers as the agent reads it", () => {
    const answer = (verdict: Parameters<typeof copilotHook.encode>[0]): unknown =>
      JSON.parse(copilotHook.encode(verdict));
    expect(answer({ kind: "allow" })).toEqual({ permissionDecision: "allow" });
    expect(answer({ kind: "deny", reason: "no" })).toEqual({
      permissionDecision: "deny",
      permissionDecisionReason: "no",
    });
    expect(answer({ kind: "allow-changed", arguments: { path: "/a" }, note: "n" })).toEqual({
      permissionDecision: "allow",
      modifiedArgs: { path: "/a" },
      additionalContext: "n",
    });
    expect(answer({ kind: "told", note: "n" })).toEqual({ additionalContext: "n" });
  });
});
