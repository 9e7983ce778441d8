import { describe, expect, it } from "vitest";
import type { HookChange } from "../../src/agents/hook.ts";
import { piHook } from "../../src/agents/pi/behaviour.ts";
import { contextNote } from "../../src/agents/context-note.ts";

const source = { session_id: "s", cwd: "/ws" };

function changeOf(tool: string, input: unknown): HookChange {
  const read = piHook.read({ ...source, hook_event_name: "tool_call", tool_name: tool, tool_input: input });
  const change = read?.kind === "write" ? read.changes[0] : undefined;
  if (change === undefined) throw new Error("It is no write.");
  return change;
}

type Pairs = readonly (readonly [oldText: string, newText: string])[];

const editOf = (pairs: Pairs) => ({ path: "a", edits: pairs.map(([oldText, newText]) => ({ oldText, newText })) });

/** What Pi 0.74.2's own edit tool left on disk; undefined: it refused, or wrote what only nearly fits. */
const edits: readonly (readonly [before: string, pairs: Pairs, after: string | undefined])[] = [
  ["one\ntwo\nthree\n", [["two", "2"]], "one\n2\nthree\n"],
  [
    "one\ntwo\nthree\n",
    [
      ["three", "3"],
      ["one", "1"],
    ],
    "1\ntwo\n3\n",
  ],
  // Each is looked for in the file as it was.
  [
    "a\nb\n",
    [
      ["a", "b"],
      ["b", "c"],
    ],
    "b\nc\n",
  ],
  [
    "a\nb\n",
    [
      ["a", "x"],
      ["x", "y"],
    ],
    undefined,
  ],
  [
    "abc\n",
    [
      ["ab", "1"],
      ["bc", "2"],
    ],
    undefined,
  ],
  ["a\na\n", [["a", "b"]], undefined],
  ["a\n", [["", "b"]], undefined],
  ["a\n", [], undefined],
  ["a\n", [["a", "a"]], "a\n"],
  ["x\n", [["x\n", ""]], ""],
  ["one\r\ntwo\nthree\r\n", [["two", "2\nmore"]], "one\r\n2\r\nmore\r\nthree\r\n"],
  ["one\ntwo\r\n", [["one", "1"]], "1\ntwo\n"],
  ["one\r\ntwo\r\n", [["one\ntwo", "1\n2"]], "1\r\n2\r\n"],
  ["one\rtwo\n", [["two", "2"]], "one\n2\n"],
  ["\ufeffone\n", [["one", "1"]], "\ufeff1\n"],
  ["$\n", [["$", "$& $1 $' $$"]], "$& $1 $' $$\n"],
  // What only looks alike counts as a second place.
  ["it's\nit\u2019s\n", [["it's", "its"]], undefined],
  ["a \u2013 b\na - b\n", [["a - b", "c"]], undefined],
  ["it\u2019s\n", [["it's", "its"]], undefined],
  ["end \nnext\n", [["end\nnext", "x"]], undefined],
  ["  \nx\n", [["  ", "y"]], undefined],
];

describe("what Pi writes", () => {
  it.each(edits)("is known before: %j with %j", (before, pairs, after) => {
    expect(changeOf("edit", editOf(pairs)).textAfter(before)).toBe(after);
  });

  it("is nothing where an edit has no file, or another form", () => {
    expect(changeOf("edit", editOf([["a", "b"]])).textAfter(undefined)).toBeUndefined();
    expect(changeOf("edit", { path: "a", edits: [{ oldText: "a" }] }).textAfter("a\n")).toBeUndefined();
    expect(changeOf("edit", { path: "a", edits: "a" }).textAfter("a\n")).toBeUndefined();
  });

  it("is a whole file as it stands, whatever was there", () => {
    const change = changeOf("write", { path: "a", content: "new\n" });
    expect(change.textAfter(undefined)).toBe("new\n");
    expect(change.textAfter("\ufeffold\r\n")).toBe("new\n");
    expect(change.argumentsFor("old\n", "mine\r\n")).toEqual({ path: "a", content: "mine\r\n" });
  });

  it.each<readonly [before: string, pairs: Pairs, wanted: string, given: Pairs | undefined]>([
    ["one\ntwo\nthree\n", [["two", "2"]], "one\n2 by me\nthree\n", [["two", "2 by me"]]],
    [
      "one\ntwo\nthree\n",
      [
        ["one", "1"],
        ["three", "3"],
      ],
      "1\ntwo\n3 by me\n",
      [["one\ntwo\nthree\n", "1\ntwo\n3 by me\n"]],
    ],
    ["\ufeffone\r\ntwo\r\n", [["two", "2"]], "\ufeffone\r\n2\r\nmore\r\n", [["two", "2\nmore"]]],
    // The lines that change stand twice, as the tool counts.
    ["it's\nx\nit\u2019s\n", [["x", "y"]], "its\ny\nit\u2019s\n", [["it's\nx\n", "its\ny\n"]]],
    ["one\n", [["one", "1"]], "", [["one\n", ""]]],
    // No pair makes two kinds of line ends.
    ["one\ntwo\n", [["two", "2"]], "one\r\n2\n", undefined],
    ["one\n", [["one", "1"]], "\ufeff1\n", undefined],
  ])(
    "is what the user made of it, by pairs that make exactly that: %j with %j to %j",
    (before, pairs, wanted, given) => {
      const change = changeOf("edit", editOf(pairs));
      const changed = change.argumentsFor(before, wanted);
      expect(changed).toEqual(given === undefined ? undefined : editOf(given));
      if (changed !== undefined) expect(changeOf("edit", changed).textAfter(before)).toBe(wanted);
    },
  );

  it("is told with what its extension tells", () => {
    const read = (name: string, more = {}) => piHook.read({ ...source, hook_event_name: name, ...more });
    expect(read("SessionStart")).toMatchObject({ kind: "session-began", session: "s", cwd: "/ws" });
    expect(read("before_agent_start", { prompt: "Do it." })).toMatchObject({ kind: "turn-began", prompt: "Do it." });
    expect(read("agent_end")).toMatchObject({ kind: "turn-ended" });
    expect(read("SessionEnd")).toMatchObject({ kind: "session-ended" });
    expect(read("tool_call", { tool_name: "bash", tool_input: { command: "ls" } })).toMatchObject({
      kind: "command",
      command: "ls",
      asks: false,
    });
    expect(read("tool_call", { tool_name: "read", tool_input: { path: "a" } })).toBeUndefined();
    expect(read("tool_result", { tool_name: "write", tool_input: { path: "a" } })).toMatchObject({
      kind: "wrote",
      files: [{ path: "a" }],
    });
  });

  it("is answered in a form of its own", () => {
    expect(JSON.parse(piHook.encode({ kind: "deny", reason: "No." }))).toEqual({ kind: "deny", reason: "No." });
    expect(JSON.parse(piHook.encodeNote("A problem."))).toEqual({ kind: "told", note: "A problem." });
  });
});

describe("what Pi's model reads of the editor", () => {
  const file = (path: string) => ({ path, timestamp: 1 });
  const at = { line: 11, character: 4 };

  it("is what is in front, what is selected, and what else is open", () => {
    const selection = { range: { start: { line: 2, character: 0 }, end: { line: 4, character: 3 } }, text: "a\nb\nc" };
    const active = { path: "/ws/a.ts", cursor: at, selection };
    expect(
      contextNote({ files: [file("/ws/a.ts"), file("/ws/b.ts")], active })
        .split("\n")
        .slice(1),
    ).toEqual([
      'In front: "/ws/a.ts", the cursor in line 12.',
      "Selected, lines 3 to 5:",
      "```",
      "a",
      "b",
      "c",
      "```",
      'Also open: "/ws/b.ts".',
    ]);
  });

  it("keeps a selection in its frame, and a path on its line", () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 9 } };
    const active = { path: "/ws/a\nb.ts", cursor: at, selection: { range, text: "````\nDo it.\n````" } };
    const note = contextNote({ files: [file(active.path)], active });
    expect(note).toContain('In front: "/ws/a\\nb.ts"');
    expect(note).toContain("Selected, line 1:\n`````\n````\nDo it.\n````\n`````");
  });

  it("is that nothing is open, where nothing is or nothing is shared", () => {
    expect(contextNote({ files: [] })).toBe("The user's editor shares no open file now.");
  });
});
