import type { PendingQuestion, PendingQuestions } from "../host/pending-questions.ts";
import { plainLine } from "../vim/plain-line.ts";

/** Lets the user choose among lines; anything else, where nothing was chosen. */
type Choose = (lines: readonly string[], title: string) => Promise<string | undefined>;

/**
 * Answers one of the questions that wait. Of several the user says first which one, the newest on top: an old offer that nobody
 * takes up must not stand before what an agent waits for. False where nothing waits.
 */
export async function answerQuestion(
  questions: Pick<PendingQuestions, "all" | "answer">,
  choose: Choose,
): Promise<boolean> {
  const question = await chooseQuestion(questions.all.toReversed(), choose);
  if (question === undefined) return questions.all.length > 0;
  const chosen = await choose(question.actions, plainLine(question.text));
  // Left without a choice coc says different things; none of them is an answer.
  if (question.actions.some((action) => action === chosen)) questions.answer(question, chosen);
  return true;
}

async function chooseQuestion(
  waiting: readonly PendingQuestion[],
  choose: Choose,
): Promise<PendingQuestion | undefined> {
  if (waiting.length <= 1) return waiting[0];
  const lines = waiting.map(({ text }, index) => `${index + 1}. ${plainLine(text)}`);
  const chosen = await choose(lines, "Answer which question?");
  return waiting[lines.findIndex((line) => line === chosen)];
}
