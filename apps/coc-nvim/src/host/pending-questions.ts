/** A question that waits for the user, who answers it by a command when it suits. */
export interface PendingQuestion {
  readonly text: string;
  readonly actions: readonly string[];
}

interface Entry extends PendingQuestion {
  readonly resolve: (action: string | undefined) => void;
}

/** Most that wait at once; an offer that nobody took up makes room for newer ones. */
const maximumWaiting = 20;

/** Questions never stop the editor (a prompt of Vim would hold up every agent): they wait here. */
export class PendingQuestions {
  readonly #entries: Entry[] = [];

  get all(): readonly PendingQuestion[] {
    return this.#entries;
  }

  ask(
    text: string,
    actions: readonly string[],
  ): { readonly answer: Promise<string | undefined>; withdraw(action?: string): void } {
    let resolve: (action: string | undefined) => void = () => {};
    const answer = new Promise<string | undefined>((done) => {
      resolve = done;
    });
    const entry: Entry = { text, actions, resolve };
    this.#entries.push(entry);
    const [oldest] = this.#entries;
    if (this.#entries.length > maximumWaiting && oldest !== undefined) this.#end(oldest, undefined);
    return { answer, withdraw: (action) => this.#end(entry, action) };
  }

  /** Answers the oldest question with this text. */
  answer(question: PendingQuestion, action: string | undefined): void {
    const entry = this.#entries.find((one) => one === question);
    if (entry !== undefined) this.#end(entry, action);
  }

  /** Nobody will answer any more. */
  dismissAll(): void {
    for (const entry of this.#entries.slice()) this.#end(entry, undefined);
  }

  #end(entry: Entry, action: string | undefined): void {
    const at = this.#entries.indexOf(entry);
    if (at < 0) return;
    this.#entries.splice(at, 1);
    entry.resolve(action);
  }
}
