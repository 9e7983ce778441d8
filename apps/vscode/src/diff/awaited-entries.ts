/**
 * What is held per proposal, where a reader may come before the writer: after a window reload VS Code asks for the texts of
 * restored tabs while the companion is still starting.
 */
export class AwaitedEntries<T> {
  readonly #entries: Map<string, T> = new Map();
  readonly #waiting: Set<() => void> = new Set();
  #complete = false;

  /** `complete` resolves when every proposal of an earlier run is back: who is not there then will not come. */
  constructor(complete: Promise<void>) {
    void complete.then(() => {
      this.#complete = true;
      this.#wake();
    });
  }

  get(id: string): T | undefined {
    return this.#entries.get(id);
  }

  set(id: string, entry: T): void {
    this.#entries.set(id, entry);
    this.#wake();
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  /** The entry, as soon as it is there; undefined when it will not come. */
  async wait(id: string): Promise<T | undefined> {
    for (;;) {
      const entry = this.#entries.get(id);
      if (entry !== undefined || this.#complete) return entry;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    const waiting = Array.from(this.#waiting);
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
