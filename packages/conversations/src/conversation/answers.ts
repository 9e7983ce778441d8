import type { Entry } from "../model/entries.ts";
import type { Answer, Question } from "../model/questions.ts";
import type { AgentLink } from "./agent-link.ts";
import type { History } from "./history.ts";
import { isOpenQuestion, outcomeOf } from "./settling.ts";
import type { TurnRunner } from "./turn-runner.ts";

export interface AnswersOptions {
  readonly history: () => History;
  readonly link: Pick<AgentLink, "session">;
  readonly turns: Pick<TurnRunner, "notice">;
}

/** A text that the user has made of a change. */
interface WrittenText {
  readonly path: string;
  readonly text: string;
}

/** What the user answers to questions. A text of theirs that does not reach its file is shown, so that it is not lost. */
export class Answers {
  readonly #options: AnswersOptions;
  /** Accepted, and not known to be written yet; by the calls of tools. */
  readonly #underway: Map<string, WrittenText> = new Map();

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Settles an open question, once. False: it is not open any more. */
  give(questionId: string, answer: Answer): boolean {
    const { history, link } = this.#options;
    const entry = history().get(questionId);
    if (entry?.kind !== "question") return false;
    const written = writtenText(entry.question, answer);
    // Before the answer: what the agent does next may come at once.
    const toolId = entry.question.type === "permission" ? entry.question.toolId : undefined;
    if (written !== undefined && toolId !== undefined) this.#underway.set(toolId, written);
    if (!isOpenQuestion(entry) || link.session?.answer(questionId, answer) !== true) {
      if (toolId !== undefined) this.#isLost(toolId);
      return false;
    }
    const after = history().get(questionId);
    if (after !== undefined && isOpenQuestion(after)) {
      history().upsert({ ...after, outcome: outcomeOf(after.question, answer) });
    }
    return true;
  }

  /** An entry of the agent's is about to be taken. */
  sees(entry: Entry): void {
    if (entry.kind !== "tool") return;
    if (entry.state === "done") this.#underway.delete(entry.id);
    else if (entry.state === "failed" || entry.state === "cancelled" || entry.state === "rejected") {
      this.#isLost(entry.id);
    }
  }

  /** Nothing more is written. */
  ended(): void {
    for (const toolId of Array.from(this.#underway.keys())) this.#isLost(toolId);
  }

  #isLost(toolId: string): void {
    const written = this.#underway.get(toolId);
    this.#underway.delete(toolId);
    if (written === undefined) return;
    const text = `Your text for ${written.path} was not written. It is kept here.`;
    this.#options.turns.notice("warning", text, { detail: written.text });
  }
}

/** Undefined where the change was accepted as it was proposed, or not at all. */
function writtenText(question: Question, answer: Answer): WrittenText | undefined {
  if (question.type !== "permission" || question.change === undefined || answer.type !== "choice") return undefined;
  const { change } = question;
  if (answer.text === undefined || answer.text === change.after) return undefined;
  return { path: change.path, text: answer.text };
}
