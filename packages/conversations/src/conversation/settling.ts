import type { Entry, QuestionEntry } from "../model/entries.ts";
import type { Answer, FormField, FormValue, Question, QuestionOutcome } from "../model/questions.ts";

/** How a question ends with an answer, in words for people where the driver has none. */
export function outcomeOf(question: Question, answer: Answer): QuestionOutcome {
  switch (answer.type) {
    case "cancel":
      return { type: "withdrawn" };
    case "reject":
      return { type: "answered", summary: answer.message ?? "Rejected", isAllowed: false };
    case "form":
      return { type: "answered", summary: summaryOf(question, answer.values), isAllowed: true };
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

function summaryOf(question: Question, values: Readonly<Record<string, FormValue>>): string {
  if (question.type !== "form") return "Answered";
  return question.fields
    .flatMap((field) => {
      const value = values[field.id];
      return value === undefined ? [] : [`${field.label}: ${wordsOf(field, value)}`];
    })
    .join("\n");
}

function wordsOf(field: FormField, value: FormValue): string {
  const labelOf = (one: string): string => field.options?.find((option) => option.value === one)?.label ?? one;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? labelOf(value) : value.map(labelOf).join(", ");
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
