import { describe, expect, it } from "vitest";
import { geminiProfile, qwenProfile } from "../src/acp/profiles.ts";
import { ClaudeOptions, modeOf } from "../src/claude-stream/options.ts";

type Done = "asked" | "unasked" | "refused" | "judged";

interface Mode {
  /** A change of a file in the folder. */
  readonly edit: Done;
  /** `echo x > file` in the folder; `judged`: a model says whether it runs. */
  readonly write: Done;
  /** A program that does something. Commands that only read run in each mode unasked, or are refused. */
  readonly command: Done;
}

/** What each agent did in each of its modes when it was run against a scripted model; `record-acp <agent> modes` does it again. */
const inFact: Readonly<Record<"gemini" | "qwen" | "claude", Readonly<Record<string, Mode>>>> = {
  // 0.61.0
  gemini: {
    default: { edit: "asked", write: "asked", command: "asked" },
    autoEdit: { edit: "unasked", write: "asked", command: "asked" },
    yolo: { edit: "unasked", write: "unasked", command: "unasked" },
    plan: { edit: "refused", write: "refused", command: "refused" },
  },
  // 0.24.4
  qwen: {
    default: { edit: "asked", write: "asked", command: "asked" },
    "auto-edit": { edit: "unasked", write: "asked", command: "asked" },
    auto: { edit: "unasked", write: "asked", command: "asked" },
    yolo: { edit: "unasked", write: "unasked", command: "unasked" },
    plan: { edit: "refused", write: "refused", command: "refused" },
  },
  // 2.1.328
  claude: {
    default: { edit: "asked", write: "asked", command: "asked" },
    acceptEdits: { edit: "unasked", write: "unasked", command: "asked" },
    plan: { edit: "asked", write: "judged", command: "judged" },
    auto: { edit: "unasked", write: "unasked", command: "judged" },
    dontAsk: { edit: "refused", write: "refused", command: "refused" },
    bypassPermissions: { edit: "unasked", write: "unasked", command: "unasked" },
  },
};

/** What may be said of a mode beside its name: that it never asks only where it asks for nothing, and refuses nothing either. */
function asksIn({ edit, write, command }: Mode): "always" | "sometimes" | "never" {
  const all = [edit, write, command];
  if (!all.includes("unasked")) return "always";
  return all.includes("asked") ? "sometimes" : "never";
}

describe("what is said of a mode", () => {
  it.each(Object.entries(inFact.gemini))("is what Gemini CLI does: %s", (id, mode) => {
    expect(geminiProfile.modes[id]).toBe(asksIn(mode));
  });

  it.each(Object.entries(inFact.qwen))("is what Qwen Code does: %s", (id, mode) => {
    expect(qwenProfile.modes[id]).toBe(asksIn(mode));
  });

  it.each(Object.entries(inFact.claude))("is what Claude Code does: %s", (id, mode) => {
    const { asks, description = "" } = modeOf(id);
    const refuses = Object.values(mode).every((done) => done === "refused");
    expect(asks).toBe(refuses ? undefined : asksIn(mode));
    expect(description.includes("without asking") || description.includes("without a question")).toBe(
      refuses || mode.edit === "unasked",
    );
    expect(/asks before it changes files/iu.test(description)).toBe(mode.edit === "asked");
    // Commands that change files as edits do are named where they are not asked for, and others are.
    expect(description.includes("also by commands")).toBe(mode.write === "unasked" && mode.command === "asked");
    expect(/asks for other commands|or runs commands/u.test(description)).toBe(mode.command === "asked");
  });

  it("is known of every mode that Claude Code is offered in", () => {
    const options = new ClaudeOptions();
    const offered = options.all().flatMap(({ id, values = [] }) => (id === "mode" ? values : []));
    expect(offered.filter(({ id }) => inFact.claude[id] === undefined)).toEqual([]);
    expect(offered.length).toBeGreaterThan(2);
  });
});
