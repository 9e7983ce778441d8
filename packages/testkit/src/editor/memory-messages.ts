import { type Disposable, type HostMessage, type HostMessages, onAbort } from "@patchbay/core";

/** A message that the in-memory editor was asked to show. */
export interface ShownMessage {
  readonly message: HostMessage;
  /** The user chooses an action, or dismisses the message with undefined. Later answers change nothing. */
  answer(action: string | undefined): void;
}

/** Messages of the in-memory editor: kept for tests, answered by them. */
export class MemoryMessages implements HostMessages {
  readonly #shown: ShownMessage[] = [];
  readonly #open: Set<HostMessage> = new Set();
  readonly #answers: Map<string, string | undefined> = new Map();
  readonly #waiting: Set<() => void> = new Set();
  readonly #failure: () => void;

  constructor(failure: () => void) {
    this.#failure = failure;
  }

  /** All messages so far, oldest first. */
  get shown(): readonly ShownMessage[] {
    return this.#shown;
  }

  /** Every later message with this code is answered so at once. */
  answerWith(code: string, action: string | undefined): void {
    this.#answers.set(code, action);
  }

  /** The first message with this code, as soon as it is shown. */
  async next(code: string): Promise<ShownMessage> {
    for (;;) {
      const found = this.#shown.find((entry) => entry.message.code === code);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Those that wait for an answer. */
  get open(): readonly HostMessage[] {
    return Array.from(this.#open);
  }

  async show(message: HostMessage): Promise<string | undefined> {
    this.#failure();
    const { signal } = message;
    if (signal?.aborted === true) return undefined;
    this.#open.add(message);
    let following: Disposable | undefined;
    return await new Promise<string | undefined>((resolve) => {
      following = onAbort(signal, () => resolve(undefined));
      this.#shown.push({ message, answer: resolve });
      if (this.#answers.has(message.code)) resolve(this.#answers.get(message.code));
      else if (message.actions.length === 0) resolve(undefined);
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    }).finally(() => {
      following?.dispose();
      this.#open.delete(message);
    });
  }
}

/** Calls of the port that tests can make throw. */
export type HostCall =
  | "diffs.open"
  | "diagnostics.read"
  | "documents.open"
  | "documents.save"
  | "documents.readText"
  | "documents.write"
  | "documents.reload"
  | "documents.unsavedText"
  | "editors.active"
  | "editors.openFiles"
  | "messages.show"
  | "view.currentText"
  | "view.close"
  | "view.reveal"
  | "view.update"
  | "workspace.folders";

/** Which calls of the in-memory editor fail, and how often. */
export class HostFailures {
  readonly #planned: Map<HostCall, { readonly error: Error; left: number }> = new Map();

  /** Makes the next `times` calls throw `error`; none any more where that is 0. */
  plan(call: HostCall, error: Error, times: number): void {
    if (times > 0) this.#planned.set(call, { error, left: times });
    else this.clear(call);
  }

  clear(call: HostCall): void {
    this.#planned.delete(call);
  }

  /** Throws where a failure is planned. */
  check(call: HostCall): void {
    const planned = this.#planned.get(call);
    if (planned === undefined) return;
    planned.left -= 1;
    if (planned.left <= 0) this.#planned.delete(call);
    throw planned.error;
  }
}
