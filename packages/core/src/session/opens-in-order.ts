/**
 * Opens of one session that are still checking their path. A close that an agent sends right after an open must find what
 * it closes: without this order the view would come up afterwards and wait for a verdict that nobody asks for.
 */
export class OpensInOrder {
  readonly #opening: Set<Promise<unknown>> = new Set();

  open<T>(work: () => Promise<T>): Promise<T> {
    const opened = work();
    const settled: Promise<unknown> = opened.then(
      () => this.#opening.delete(settled),
      () => this.#opening.delete(settled),
    );
    this.#opening.add(settled);
    return opened;
  }

  /** Runs when every open that was asked for before has been registered or refused. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    if (this.#opening.size > 0) await Promise.all(this.#opening);
    return work();
  }
}
