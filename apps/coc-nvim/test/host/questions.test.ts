import { expect, it } from "vitest";
import { PendingQuestions } from "../../src/host/pending-questions.ts";

it("answers the question that was asked, and each once", async () => {
  const questions = new PendingQuestions();
  const one = questions.ask("One?", ["Yes", "No"]);
  const two = questions.ask("Two?", ["Yes", "No"]);
  const [first] = questions.all;
  if (first === undefined) throw new Error("nothing waits");
  questions.answer(first, "No");
  questions.answer(first, "Yes");
  expect(await one.answer).toBe("No");
  expect(questions.all.map((question) => question.text)).toEqual(["Two?"]);
  questions.dismissAll();
  expect(await two.answer).toBeUndefined();
});

it("lets the oldest go when too many wait", async () => {
  const questions = new PendingQuestions();
  const first = questions.ask("0", ["Open"]);
  for (let index = 1; index <= 20; index += 1) void questions.ask(String(index), ["Open"]);
  expect(await first.answer).toBeUndefined();
  expect(questions.all).toHaveLength(20);
});
