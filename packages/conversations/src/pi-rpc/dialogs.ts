import type { Clock, Disposable } from "@patchbay/core";
import {
  type Answer,
  filledIn,
  type FormField,
  type FormQuestion,
  type QuestionEntry,
  type QuestionOutcome,
  type SessionUpdate,
} from "../model/index.ts";
import type { DialogRequest } from "./codec.ts";
import type { Send } from "./requests.ts";

export interface DialogsOptions {
  readonly send: Send;
  readonly clock: Clock;
  update(update: SessionUpdate): void;
  /** A dialog was opened or has ended. */
  onChange(): void;
}

interface Open {
  readonly entry: QuestionEntry;
  readonly question: FormQuestion;
  readonly isConfirmation: boolean;
  readonly timer: Disposable | undefined;
}

const field = "answer";
const yes = "Yes";
const no = "No";

/** Dialogs of the user's extensions, each a question in the conversation. */
export class Dialogs {
  readonly #options: DialogsOptions;
  readonly #open: Map<string, Open> = new Map();

  constructor(options: DialogsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** False: it is no dialog. */
  ask(request: DialogRequest): boolean {
    const one = fieldOf(request);
    if (one === undefined) return false;
    const { clock, update, onChange } = this.#options;
    const { id, method, title = "", message = "", timeout } = request;
    const question: FormQuestion = { type: "form", message: message === "" ? "" : title, fields: [one] };
    const entry: QuestionEntry = { kind: "question", id, at: clock.now(), question };
    // Pi answers for its user then.
    const timer =
      timeout === undefined ? undefined : clock.setTimeout(() => this.#end(id, { type: "withdrawn" }), timeout);
    this.#open.set(id, { entry, question, isConfirmation: method === "confirm", timer });
    update({ type: "entry", entry });
    onChange();
    return true;
  }

  /** False if it is not open any more. */
  answer(id: string, answer: Answer): boolean {
    const open = this.#open.get(id);
    if (open === undefined || answer.type === "choice") return false;
    const value = answer.type === "form" ? answer.values[field] : undefined;
    const { send } = this.#options;
    if (answer.type !== "form" || value === undefined) {
      send({ type: "extension_ui_response", id, cancelled: true });
      this.#end(
        id,
        answer.type === "cancel" ? { type: "withdrawn" } : { type: "answered", summary: no, isAllowed: false },
      );
      return true;
    }
    const told = open.isConfirmation ? { confirmed: value === yes } : { value: String(value) };
    send({ type: "extension_ui_response", id, ...told });
    const summary = filledIn(open.question.fields, answer.values);
    this.#end(id, { type: "answered", summary, isAllowed: !open.isConfirmation || value === yes });
    return true;
  }

  /** The turn is stopped: an extension that waits would hold it up. */
  cancelAll(): void {
    for (const id of Array.from(this.#open.keys())) this.answer(id, { type: "cancel" });
  }

  /** The process has ended. */
  end(): void {
    for (const id of Array.from(this.#open.keys())) this.#end(id, { type: "withdrawn" });
  }

  #end(id: string, outcome: QuestionOutcome): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    open.timer?.dispose();
    this.#options.update({ type: "entry", entry: { ...open.entry, outcome } });
    this.#options.onChange();
  }
}

function fieldOf({
  method,
  title = "",
  message = "",
  options = [],
  placeholder,
  prefill,
}: DialogRequest): FormField | undefined {
  const named = { id: field, label: message === "" ? title : message, isRequired: true };
  const list = (values: readonly string[]): FormField["options"] => values.map((value) => ({ value, label: value }));
  switch (method) {
    case "select":
      return { ...named, input: "one-of", options: list(options) ?? [] };
    case "confirm":
      return { ...named, input: "one-of", options: list([yes, no]) ?? [] };
    case "input":
      return { ...named, input: "text", ...(placeholder === undefined ? {} : { description: placeholder }) };
    case "editor":
      return { ...named, input: "text", ...(prefill === undefined ? {} : { initial: prefill }) };
    default:
      return undefined;
  }
}
