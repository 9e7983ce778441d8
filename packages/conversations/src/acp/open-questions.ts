import {
  type Answer,
  type Choice,
  filledIn,
  type Question,
  type QuestionEntry,
  type QuestionOutcome,
} from "../model/index.ts";
import type { UpdateSink } from "./sink.ts";
import { onAbort } from "@patchbay/core";

interface Open {
  readonly entry: QuestionEntry;
  readonly settle: (answer: Answer | undefined) => void;
}

/** The questions of a session that nobody has answered yet. */
export class OpenQuestions {
  readonly #sink: UpdateSink;
  readonly #onDidChange: () => void;
  readonly #open: Map<string, Open> = new Map();

  constructor(sink: UpdateSink, onDidChange: () => void) {
    this.#sink = sink;
    this.#onDidChange = onDidChange;
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** Asks, and resolves with the answer: undefined where the question was withdrawn. */
  async ask(question: Question, withdrawn: AbortSignal): Promise<Answer | undefined> {
    const id = this.#sink.nextId("question");
    const entry: QuestionEntry = { kind: "question", id, at: this.#sink.clock.now(), question };
    if (withdrawn.aborted) return undefined;
    const following = onAbort(withdrawn, () => this.#settle(id, undefined));
    const answer = await new Promise<Answer | undefined>((resolve) => {
      this.#open.set(id, { entry, settle: resolve });
      this.#sink.fire({ type: "entry", entry });
      this.#onDidChange();
    });
    following.dispose();
    return answer;
  }

  /** False if it is not open any more, or is not answered so. */
  answer(id: string, answer: Answer): boolean {
    const open = this.#open.get(id);
    if (open === undefined || !fits(open.entry.question, answer)) return false;
    this.#settle(id, answer);
    return true;
  }

  withdrawAll(): void {
    for (const id of Array.from(this.#open.keys())) this.#settle(id, undefined);
  }

  #settle(id: string, answer: Answer | undefined): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    this.#sink.fire({ type: "entry", entry: { ...open.entry, outcome: outcomeOf(open.entry.question, answer) } });
    open.settle(answer);
    this.#onDidChange();
  }
}

function fits(question: Question, answer: Answer): boolean {
  switch (answer.type) {
    case "choice":
      return question.type !== "form" && question.choices.some(({ id }) => id === answer.choiceId);
    case "form":
      return question.type === "form";
    case "reject":
    case "cancel":
      return true;
  }
}

/** The choice that an answer stands for; undefined where no choice says that. */
export function choiceOf(choices: readonly Choice[], answer: Answer | undefined): Choice | undefined {
  if (answer?.type === "choice") return choices.find(({ id }) => id === answer.choiceId);
  if (answer?.type !== "reject") return undefined;
  return choices.find(({ kind }) => kind === "reject-once") ?? choices.find(({ kind }) => kind === "reject-always");
}

/** Whether a choice lets the agent go on. */
export function isAllowing(choice: Choice | undefined): boolean {
  return choice?.kind === "allow-once" || choice?.kind === "allow-always";
}

/** The text that the user wants in place of the one that was asked for, where it reaches the disk. */
export function editedText(question: Question, answer: Answer | undefined): string | undefined {
  if (question.type !== "permission" || answer?.type !== "choice" || question.change?.isEditable !== true)
    return undefined;
  return answer.text === question.change.after ? undefined : answer.text;
}

function outcomeOf(question: Question, answer: Answer | undefined): QuestionOutcome {
  if (answer === undefined || answer.type === "cancel") return { type: "withdrawn" };
  if (answer.type === "form") {
    const fields = question.type === "form" ? question.fields : [];
    return { type: "answered", summary: filledIn(fields, answer.values), isAllowed: true };
  }
  const choice = question.type === "form" ? undefined : choiceOf(question.choices, answer);
  const isAllowed = isAllowing(choice);
  return {
    type: "answered",
    summary: choice?.name ?? "Rejected",
    isAllowed,
    ...(isAllowed && editedText(question, answer) !== undefined ? { isEdited: true } : {}),
  };
}
