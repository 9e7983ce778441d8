/** Lets agents ask, or holds them back while the editor reloads. */
export class Gate {
  #inside = 0;
  #closed: Promise<void> | undefined;
  #open: () => void = () => {};
  #onEmpty: () => void = () => {};

  /** Runs one question while the gate is open. */
  async pass<T>(ask: () => Promise<T>): Promise<T> {
    while (this.#closed !== undefined) await this.#closed;
    this.#inside += 1;
    try {
      return await ask();
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) this.#onEmpty();
    }
  }

  /** Resolves when nobody asks any more; nobody begins before `open`. */
  async close(): Promise<void> {
    this.#closed = new Promise((resolve) => {
      this.#open = resolve;
    });
    if (this.#inside > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
    this.#onEmpty = () => {};
  }

  open(): void {
    this.#closed = undefined;
    this.#open();
  }
}
