import { type Disposable, toDisposable } from "./disposable.ts";

/** Subscribing is calling; the returned disposable unsubscribes. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Called with what a listener threw, so that one broken listener never starves the others. */
export type ListenerFailure = (error: unknown) => void;

/** The source of an event. Listeners run synchronously in the order of subscription. */
export class Emitter<T> implements Disposable {
  readonly #listeners: Set<(value: T) => void> = new Set();
  readonly #onFailure: ListenerFailure | undefined;

  constructor(onFailure?: ListenerFailure) {
    this.#onFailure = onFailure;
  }

  readonly event: Event<T> = (listener) => {
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    return toDisposable(() => this.#listeners.delete(own));
  };

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  fire(value: T): void {
    for (const listener of Array.from(this.#listeners)) {
      try {
        listener(value);
      } catch (error) {
        if (this.#onFailure === undefined) throw error;
        this.#onFailure(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
