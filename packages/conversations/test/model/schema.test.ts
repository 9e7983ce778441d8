import { describe, expect, it } from "vitest";
import {
  type Answer,
  answerSchema,
  type Entry,
  entrySchema,
  type FileChange,
  type PromptBlock,
  type Question,
  type QuestionOutcome,
  type SessionOption,
  sessionOptionSchema,
  type SessionState,
  sessionStateSchema,
} from "../../src/model/index.ts";

const base = { id: "e1", at: 1, parent: "t0" };
const change: Required<FileChange> = { path: "/w/a.ts", before: "1", after: "2", isFragment: true };
const choices = [{ id: "yes", name: "Yes", kind: "allow-always", rule: "Bash(npm test *)" }] as const;

const blocks: readonly PromptBlock[] = [
  { type: "text", text: "Look" },
  { type: "mention", path: "/w/a.ts", lines: { start: 3, end: 9 } },
  { type: "excerpt", title: "Terminal", path: "/w/a.ts", lines: { start: 1, end: 1 }, text: "$" },
  { type: "image", mimeType: "image/png", data: "AA==", name: "a.png" },
];

const questions: readonly Question[] = [
  {
    type: "permission",
    toolId: "t1",
    title: "Run a command",
    reason: "A hook asks",
    command: "rm -rf build",
    input: "{}",
    change: { ...change, isEditable: true },
    choices,
  },
  {
    type: "form",
    message: "Which one?",
    fields: [
      {
        id: "f",
        label: "Colour",
        description: "Of the button",
        input: "many-of",
        isRequired: true,
        options: [{ value: "r", label: "Red", description: "#f00" }],
        allowsOther: true,
        initial: ["r"],
      },
    ],
  },
  { type: "plan", plan: "# Plan", choices },
];

const outcomes: readonly QuestionOutcome[] = [
  { type: "answered", summary: "Yes", isAllowed: true, isEdited: true },
  { type: "withdrawn" },
];

/** One of each kind, with every key that it can have. */
const entries: readonly Entry[] = [
  { ...base, kind: "prompt", blocks },
  { ...base, kind: "message", text: "Hello", isComplete: false },
  { ...base, kind: "thought", text: "Hm", isComplete: true },
  {
    ...base,
    kind: "tool",
    tool: "execute",
    name: "Bash",
    title: "Run the tests",
    state: "waiting",
    command: "npm test",
    input: "{}",
    output: "ok",
    outputOmitted: 7,
    changes: [change],
    locations: [{ path: "/w/a.ts", line: 3 }],
  },
  { ...base, kind: "plan", steps: [{ text: "Read", state: "done" }] },
  ...questions.flatMap((question) =>
    outcomes.map((outcome): Entry => ({ ...base, kind: "question", question, outcome })),
  ),
  { ...base, kind: "notice", level: "error", text: "Exited", detail: "stderr", action: "restart" },
  {
    ...base,
    kind: "turn-end",
    reason: "limit",
    durationMs: 12,
    usage: { inputTokens: 1, outputTokens: 2, contextTokens: 3, contextSize: 4, cost: 0.5, currency: "USD" },
    cost: 0.1,
  },
];

describe("the schemas of the model", () => {
  it.each(entries)("keep all of an entry: $kind", (entry) => {
    expect(entrySchema.parse(entry)).toEqual(entry);
  });

  it("drop keys of a newer version", () => {
    const entry = { id: "m", at: 1, kind: "message", text: "Hello", isComplete: true };
    expect(entrySchema.parse({ ...entry, mood: "good" })).toEqual(entry);
  });

  it.each([
    { id: "m", at: 1, kind: "song", text: "La" },
    { id: "m", at: "now", kind: "message", text: "Hello", isComplete: true },
    { id: 7, at: 1, kind: "message", text: "Hello", isComplete: true },
    { id: "m", at: 1, kind: "prompt", blocks: [{ type: "script", text: "alert(1)" }] },
    null,
  ])("refuse what is not an entry: %j", (value) => {
    expect(entrySchema.safeParse(value).success).toBe(false);
  });

  it.each<Answer>([
    { type: "choice", choiceId: "yes", text: "mine" },
    { type: "reject", message: "Not there" },
    { type: "form", values: { a: "x", b: 1, c: true, d: ["y"] } },
    { type: "cancel" },
  ])("keep all of an answer: $type", (answer) => {
    expect(answerSchema.parse(answer)).toEqual(answer);
  });

  it.each<SessionState>([
    { kind: "starting" },
    { kind: "running", since: 1 },
    { kind: "retrying", attempt: 1, limit: 10, nextAt: 5, reason: "529" },
    { kind: "signed-out", methods: [{ id: "l", name: "Log in", description: "In a terminal", command: ["claude"] }] },
    { kind: "ended", reason: "Exit code 1" },
  ])("keep all of a state: $kind", (state) => {
    expect(sessionStateSchema.parse(state)).toEqual(state);
  });

  it("keep all of an option", () => {
    const option: SessionOption = {
      id: "mode",
      category: "mode",
      name: "Mode",
      description: "When it asks",
      value: "default",
      values: [{ id: "default", name: "Default", description: "Asks", asks: "always" }],
    };
    expect(sessionOptionSchema.parse(option)).toEqual(option);
  });
});
