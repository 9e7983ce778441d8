import type { Entry, QuestionEntry } from "../model/entries.ts";
import { type Answer, filledIn, type FormField, type Question, type QuestionOutcome } from "../model/questions.ts";

/** How a question ends with an answer, in words for people where the driver has none. */
export function outcomeOf(question: Question, answer: Answer): QuestionOutcome {
  switch (answer.type) {
    case "cancel":
      return { type: "withdrawn" };
    case "reject":
      return { type: "answered", summary: answer.message ?? "Rejected", isAllowed: false };
    case "form":
      return { type: "answered", summary: filledIn(fieldsOf(question), answer.values), isAllowed: true };
    case "choice": {
      const choices = question.type === "form" ? [] : question.choices;
      const choice = choices.find(({ id }) => id === answer.choiceId);
      const isAllowed = choice?.kind === "allow-once" || choice?.kind === "allow-always";
      const proposed = question.type === "permission" ? question.change?.after : undefined;
      const isEdited = isAllowed && answer.text !== undefined && answer.text !== proposed;
      const summary = choice?.name ?? answer.choiceId;
      return { type: "answered", summary, isAllowed, ...(isEdited ? { isEdited } : {}) };
    }
  }
}

function fieldsOf(question: Question): readonly FormField[] {
  return question.type === "form" ? question.fields : [];
}

export function isOpenQuestion(entry: Entry): entry is QuestionEntry {
  return entry.kind === "question" && entry.outcome === undefined;
}

/** An entry as it is when its session has ended: nobody waits for an answer any more, and nothing more comes. */
export function settle(entry: Entry): Entry {
  switch (entry.kind) {
    case "message":
    case "thought":
      return entry.isComplete ? entry : { ...entry, isComplete: true };
    case "tool":
      return isRunning(entry.state) ? { ...entry, state: "cancelled" } : entry;
    case "question":
      return entry.outcome === undefined ? { ...entry, outcome: { type: "withdrawn" } } : entry;
    default:
      return entry;
  }
}

function isRunning(state: string): boolean {
  return state === "pending" || state === "waiting" || state === "running";
}
