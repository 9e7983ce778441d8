import type { Entry, Question, QuestionOutcome } from "@patchbay/conversations/model";
import { describe, expect, it } from "vitest";
import { textOf, wholeText } from "../../src/host/page-documents.ts";

const asked = (question: Question, outcome?: QuestionOutcome): Entry => ({
  kind: "question",
  id: "q",
  at: 0,
  question,
  ...(outcome === undefined ? {} : { outcome }),
});

const plan: Question = { type: "plan", plan: "# First this", choices: [] };

const form: Question = {
  type: "form",
  message: "",
  fields: [{ id: "a", label: "Which API?", input: "text", isRequired: true }],
};

describe("a conversation as Markdown", () => {
  it("has the plans of the agent, with what the user said to them", () => {
    expect(textOf(asked(plan, { type: "answered", summary: "Yes, go ahead", isAllowed: true }))).toBe(
      "# First this\n\n> Yes, go ahead",
    );
    expect(textOf(asked(plan))).toBe("# First this");
  });

  it("has the questions of the model, with their answers", () => {
    const summary = "Which API? v2\nNotes: none";
    expect(textOf(asked({ ...form, message: "About it" }, { type: "answered", summary, isAllowed: true }))).toBe(
      "> About it\n> Which API? v2\n> Notes: none",
    );
    expect(textOf(asked(form, { type: "withdrawn" }))).toBe("> Which API?");
    expect(wholeText(asked(form))).toBe("Which API?");
  });

  it("has no question that stands with its tool already", () => {
    expect(textOf(asked({ type: "permission", toolId: "t", title: "Run it", choices: [] }))).toBe("");
  });
});
