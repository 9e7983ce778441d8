import { expect, it } from "vitest";
import { answerQuestion } from "../../src/commands/reviews.ts";
import { PendingQuestions } from "../../src/host/pending-questions.ts";

/** Takes the first line that contains one of the words. */
const choosing =
  (...words: readonly string[]) =>
  async (lines: readonly string[]): Promise<string | undefined> =>
    lines.find((line) => words.some((word) => line.includes(word)));

it("a newer question can be answered while an older one waits", async () => {
  const questions = new PendingQuestions();
  const old = questions.ask("The text is kept.", ["Save to File"]);
  const asked = questions.ask("Show it?", ["Show", "Do Not Show"]);
  expect(await answerQuestion(questions, choosing("Show"))).toBe(true);
  expect(await asked.answer).toBe("Show");
  expect(questions.all.map(({ text }) => text)).toEqual(["The text is kept."]);
  // The only one needs no choice between questions.
  expect(await answerQuestion(questions, choosing("Save"))).toBe(true);
  expect(await old.answer).toBe("Save to File");
  expect(await answerQuestion(questions, choosing("Save"))).toBe(false);
});

it("leaving without a choice answers nothing", async () => {
  const questions = new PendingQuestions();
  questions.ask("The text is kept.", ["Save to File"]);
  questions.ask("Show it?", ["Show", "Do Not Show"]);
  expect(await answerQuestion(questions, async () => undefined)).toBe(true);
  expect(await answerQuestion(questions, choosing("2. "))).toBe(true);
  expect(questions.all).toHaveLength(2);
});
