import type { FileChange } from "./changes.ts";

/** What an agent asks the user. */
export type Question = PermissionQuestion | FormQuestion | PlanQuestion;

/** May a tool run? */
export interface PermissionQuestion {
  readonly type: "permission";
  /** The tool call that waits for it. */
  readonly toolId: string;
  readonly title: string;
  /** Why it is asked, as the agent or a hook of the user's says. */
  readonly reason?: string;
  /** The whole command, never shortened. */
  readonly command?: string;
  /** Any other input, as indented JSON. */
  readonly input?: string;
  /** The change that would be made: reviewed in a diff. */
  readonly change?: ProposedChange;
  readonly choices: readonly Choice[];
}

/** A change that is asked for before it is made. */
export interface ProposedChange extends FileChange {
  /** What the user makes of it in the diff reaches the disk. Else the diff is read-only, and says so. */
  readonly isEditable: boolean;
}

/** One of the answers that the agent offers. */
export interface Choice {
  readonly id: string;
  /** As the agent words it. */
  readonly name: string;
  readonly kind: "allow-once" | "allow-always" | "reject-once" | "reject-always";
  /** For "always": the whole rule that would hold from then on, e.g. `Bash(npm test *)`. */
  readonly rule?: string;
}

/** The model asks the user something. */
export interface FormQuestion {
  readonly type: "form";
  readonly message: string;
  readonly fields: readonly FormField[];
}

export interface FormField {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly input: "text" | "number" | "boolean" | "one-of" | "many-of";
  readonly isRequired: boolean;
  /** For `one-of` and `many-of`. */
  readonly options?: readonly FormOption[];
  /** With `one-of` and `many-of`: another text may be given instead. */
  readonly allowsOther?: boolean;
  readonly initial?: FormValue;
}

export interface FormOption {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export type FormValue = string | number | boolean | readonly string[];

/** The agent has planned and asks whether to begin. */
export interface PlanQuestion {
  readonly type: "plan";
  /** Markdown. */
  readonly plan: string;
  readonly choices: readonly Choice[];
}

/** What the user answers. */
export type Answer =
  /** `text`: the file as the user wants it, where that differs from the change that was asked for (`isEditable`). */
  | { readonly type: "choice"; readonly choiceId: string; readonly text?: string }
  /** No, with words for the model where the agent takes them. */
  | { readonly type: "reject"; readonly message?: string }
  | { readonly type: "form"; readonly values: Readonly<Record<string, FormValue>> }
  /** The user stops the turn, or closes the conversation. */
  | { readonly type: "cancel" };

/** How a question ended. */
export type QuestionOutcome =
  | {
      readonly type: "answered";
      /** Words for people: the choice's name, or what was filled in. */
      readonly summary: string;
      readonly isAllowed: boolean;
      /** The user changed what was asked for. */
      readonly isEdited?: boolean;
    }
  /** The agent took it back, the turn was stopped, or the agent exited. */
  | { readonly type: "withdrawn" };

/** What is asked, in one line. */
export function titleOf(question: PermissionQuestion | FormQuestion): string {
  if (question.type === "permission") return question.title;
  return question.message === "" ? question.fields.map(({ label }) => label).join(" ") : question.message;
}

/** What was filled in, in words for people: a line for each field that has a value. */
export function filledIn(fields: readonly FormField[], values: Readonly<Record<string, FormValue>>): string {
  return fields
    .flatMap((field) => {
      const value = values[field.id];
      return value === undefined ? [] : [`${field.label}${separatorAfter(field.label)}${wordsOf(field, value)}`];
    })
    .join("\n");
}

function separatorAfter(label: string): string {
  return /[?？:：!.]$/u.test(label) ? " " : ": ";
}

function wordsOf(field: FormField, value: FormValue): string {
  const labelOf = (one: string): string => field.options?.find((option) => option.value === one)?.label ?? one;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? labelOf(value) : value.map(labelOf).join(", ");
}
