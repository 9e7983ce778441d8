import { expect, it } from "vitest";
import { searchedText } from "../../src/conversation/history.ts";

const answered = { type: "answered", summary: "Which API? v2", isAllowed: true } as const;

it("finds plans and questions of the model, with their answers, and no permission twice", () => {
  const plan = { type: "plan", plan: "First this", choices: [] } as const;
  const form = { type: "form", message: "About the interface", fields: [] } as const;
  const permission = { type: "permission", toolId: "t", title: "Run it", choices: [] } as const;
  const found = [plan, form, permission].map((question) =>
    searchedText({ kind: "question", id: "q", at: 0, question, outcome: answered }),
  );
  expect(found).toEqual(["First this\nWhich API? v2", "About the interface\nWhich API? v2", ""]);
});
