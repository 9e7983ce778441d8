/** A part of the page that comes with a chunk of its own. What could not be loaded is tried again for the next who wants it. */
export class LoadLater<Value> {
  readonly #load: () => Promise<Value>;
  readonly #waiting = new Set<() => void>();
  #value: Value | undefined;
  #isLoading = false;

  constructor(load: () => Promise<Value>) {
    this.#load = load;
  }

  /** Undefined until it is there. */
  get value(): Value | undefined {
    return this.#value;
  }

  /** Calls back when it is there, at once if it is. Gives what takes that back. */
  whenLoaded(callback: () => void): () => void {
    if (this.#value !== undefined) {
      callback();
      return () => undefined;
    }
    this.#waiting.add(callback);
    void this.#begin();
    return () => this.#waiting.delete(callback);
  }

  async #begin(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#value = await this.#load();
      for (const callback of this.#waiting) callback();
      this.#waiting.clear();
    } catch {
      // Nobody can do anything about it here: it is missing, and what stands in its place stays.
    } finally {
      this.#isLoading = false;
    }
  }
}
