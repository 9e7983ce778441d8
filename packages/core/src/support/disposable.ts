/** Something that must be ended by whoever opened it. `dispose` may be called any number of times. */
export interface Disposable {
  dispose(): void;
}

/** Wraps a function so that it runs at most once. */
export function toDisposable(action: () => void): Disposable {
  let done = false;
  return {
    dispose(): void {
      if (done) return;
      done = true;
      action();
    },
  };
}

/**
 * Calls the listener once a signal is aborted; at once where it is already. A signal often lives longer than what waits for it: whoever
 * is done disposes, or each wait leaves a listener behind.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): Disposable {
  if (signal === undefined) return toDisposable(() => {});
  if (signal.aborted) {
    listener();
    return toDisposable(() => {});
  }
  const heard = (): void => listener();
  // oxlint-disable-next-line patchbay/let-go-of-signals -- This is where it is let go of.
  signal.addEventListener("abort", heard, { once: true });
  return toDisposable(() => signal.removeEventListener("abort", heard));
}

/** Owns disposables and ends them together, last in first out. What is added after the end is ended at once. */
export class DisposableStore implements Disposable {
  readonly #items: Set<Disposable> = new Set();
  #disposed = false;

  get isDisposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  /** Ends one item now and forgets it. */
  delete(item: Disposable): void {
    if (this.#items.delete(item)) item.dispose();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const items = [...this.#items].reverse();
    this.#items.clear();
    for (const item of items) item.dispose();
  }
}
