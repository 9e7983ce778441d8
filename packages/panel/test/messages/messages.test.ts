import { describe, expect, it } from "vitest";
import { sampleConversation, sampleEntries } from "../../bench/sample.ts";
import {
  entryForPage,
  hostMessageSchema,
  pageMessageSchema,
  pageOutputLimit,
  patchForPage,
  snapshotForPage,
} from "../../src/messages/index.ts";

const tool = { kind: "tool", id: "t", at: 0, tool: "execute", name: "Bash", title: "Build", state: "running" } as const;

describe("messages of the host", () => {
  it("keep a whole conversation", () => {
    const message = { type: "conversation", open: sampleConversation(sampleEntries(0), 0) };
    expect(hostMessageSchema.parse(message)).toEqual(message);
  });

  it("keep a patch", () => {
    const patch = {
      sequence: 3,
      status: { title: "New", state: { kind: "running", since: 1 }, waiting: 1 },
      entries: [{ place: 4, entry: tool }],
      appends: [{ place: 5, text: "more" }],
    };
    const message = { type: "patch", conversation: "c", patch };
    expect(hostMessageSchema.parse(message)).toEqual(message);
  });

  it.each([
    { type: "eval", code: "1" },
    { type: "patch", conversation: "c" },
    "hello",
    null,
    { type: "command", command: "format" },
  ])("are nothing else: %j", (message) => {
    expect(hostMessageSchema.safeParse(message).success).toBe(false);
  });
});

describe("messages of the page", () => {
  it.each([
    { type: "ready", conversation: "c" },
    { type: "send", conversation: "c", blocks: [{ type: "text", text: "Hello" }] },
    { type: "answer", conversation: "c", id: "q", answer: { type: "reject", message: "No" } },
    { type: "option", conversation: "c", id: "mode", value: "plan" },
    { type: "open-file", conversation: "c", path: "/a", line: 3 },
    { type: "changes", conversation: "c", turn: "p", action: "undo", path: "/a" },
  ])("are kept whole: $type", (message) => {
    expect(pageMessageSchema.parse(message)).toEqual(message);
  });

  it.each([
    { type: "exec", command: "rm -rf /" },
    { type: "open-file", conversation: "c", path: ["/a"] },
    { type: "act", conversation: "c", action: "run" },
    { type: "send", conversation: "c", blocks: [{ type: "html", html: "<b>" }] },
  ])("are nothing else: %j", (message) => {
    expect(pageMessageSchema.safeParse(message).success).toBe(false);
  });
});

describe("what is sent to the page", () => {
  it("is the end of a large output, and says what is missing", () => {
    const entry = entryForPage({
      ...tool,
      output: `${"a".repeat(10)}${"b".repeat(pageOutputLimit)}`,
      outputOmitted: 5,
    });
    expect(entry).toEqual({ ...tool, output: "b".repeat(pageOutputLimit), outputOmitted: 15 });
  });

  it("is a small output as it is", () => {
    const entry = { ...tool, output: "ok" };
    expect(entryForPage(entry)).toBe(entry);
  });

  it("is no more of a whole conversation", () => {
    const entry = { ...tool, output: "x".repeat(1_000_000) };
    const snapshot = snapshotForPage(sampleConversation([entry, entry], 0));
    expect(JSON.stringify(snapshot).length).toBeLessThan(3 * pageOutputLimit);
  });

  it("is no more of a patch, either", () => {
    const text = "x".repeat(2_000_000);
    const patch = patchForPage({
      sequence: 1,
      status: {},
      entries: [{ place: 0, entry: { ...tool, output: text } }],
      appends: [{ place: 1, text }],
    });
    expect(JSON.stringify(patch).length).toBeLessThan(300_000);
  });
});
