import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentOf } from "../../src/claude-stream/outgoing.ts";
import { changeOf, patched, stepsOf, textAfter, titleOf } from "../../src/claude-stream/tool-facts.ts";

describe("what a tool of Claude Code does to a file", () => {
  it.each([
    ["Write", { content: "new" }, "old", "new"],
    ["Edit", { old_string: "a", new_string: "$&b" }, "a a", "$&b a"],
    ["Edit", { old_string: "a", new_string: "b", replace_all: true }, "a a", "b b"],
    ["Edit", { old_string: "", new_string: "new" }, undefined, "new"],
    ["Edit", { old_string: "", new_string: "new" }, "there", undefined],
    ["Edit", { old_string: "x", new_string: "y" }, "a", undefined],
    ["Edit", { old_string: "x", new_string: "y" }, undefined, undefined],
    ["Edit", { old_string: "a\nb", new_string: "c\nd" }, "a\r\nb\r\n", "c\r\nd\r\n"],
    [
      "MultiEdit",
      {
        edits: [
          { old_string: "a", new_string: "b" },
          { old_string: "b", new_string: "c" },
        ],
      },
      "a",
      "c",
    ],
    ["MultiEdit", { edits: [{ old_string: "a" }] }, "a", undefined],
    ["NotebookEdit", { new_source: "x" }, "a", undefined],
  ])("is known before for %s %j on %j", (name, input, before, after) => {
    expect(textAfter(name, input, before)).toBe(after);
  });

  it("is read from its patch afterwards", () => {
    const structuredPatch = [
      { oldStart: 2, lines: [" b", "-c", "+C", "+D", " d"] },
      { oldStart: 6, lines: ["-f", "\\ No newline at end of file"] },
    ];
    const result = { filePath: "x", oldString: "c", newString: "C", originalFile: "a\nb\nc\nd\ne\nf", structuredPatch };
    expect(changeOf(result, "/w")).toEqual({
      path: join("/w", "x"),
      before: result.originalFile,
      after: "a\nb\nC\nD\nd\ne",
    });
    expect(patched("other\ntext\n", structuredPatch)).toBeUndefined();
  });

  it("is a part where the whole is not told", () => {
    expect(changeOf({ filePath: "/w/x", oldString: "c", newString: "C" }, "/w")).toEqual({
      path: "/w/x",
      before: "c",
      after: "C",
      isFragment: true,
    });
  });
});

describe("a use of a tool", () => {
  it.each([
    ["Edit", { file_path: "/w/src/a.ts" }, `Edit ${join("src", "a.ts")}`],
    ["Read", { file_path: "/other/a.ts" }, "Read /other/a.ts"],
    ["Bash", { command: "a\nb" }, "Bash: a"],
    ["Grep", { pattern: "x".repeat(200) }, `Grep: ${"x".repeat(120)}…`],
    ["Strange", {}, "Strange"],
  ])("has a title: %s %j", (name, input, title) => {
    expect(titleOf(name, input, "/w")).toBe(title);
  });

  it("may keep a list of things to do", () => {
    const todos = [
      { content: "one", status: "completed" },
      { content: "two", status: "in_progress" },
      { content: "three", status: "pending" },
      "nonsense",
    ];
    expect(stepsOf("TodoWrite", { todos })).toEqual([
      { text: "one", state: "done" },
      { text: "two", state: "running" },
      { text: "three", state: "pending" },
    ]);
  });
});

describe("a prompt for Claude Code", () => {
  it("has its mentions in its text, and what is attached behind it", () => {
    const content = contentOf([
      { type: "text", text: "/fix" },
      { type: "excerpt", title: "unsaved", path: "/w/a.ts", lines: { start: 2, end: 3 }, text: "x" },
      { type: "mention", path: "/w/with space.ts" },
      { type: "text", text: ", and" },
      { type: "mention", path: "/w/b.ts", lines: { start: 4, end: 4 } },
      { type: "image", mimeType: "image/png", data: "AAAA" },
    ]);
    expect(content).toEqual([
      { type: "text", text: `/fix @"/w/with space.ts", and @/w/b.ts#L4` },
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "x" },
        title: "unsaved · /w/a.ts#L2-3",
      },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    ]);
  });
});
