import { type Disposable, toDisposable } from "./disposable.ts";

/** Subscribing is calling; the returned disposable unsubscribes. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Called with what a listener threw, so that one broken listener never starves the others. */
export type ListenerFailure = (error: unknown) => void;

/** The source of an event. Listeners run synchronously in the order of subscription. */
export class Emitter<T> implements Disposable {
  readonly #listeners: Set<(value: T) => void> = new Set();
  readonly #onFailure: ListenerFailure | undefined;
  /** The listeners as they are now; made anew when one comes or goes, not for each of ten thousand cursor moves. */
  #asFired: readonly ((value: T) => void)[] | undefined;

  constructor(onFailure?: ListenerFailure) {
    this.#onFailure = onFailure;
  }

  readonly event: Event<T> = (listener) => {
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    this.#asFired = undefined;
    return toDisposable(() => {
      this.#listeners.delete(own);
      this.#asFired = undefined;
    });
  };

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  fire(value: T): void {
    this.#asFired ??= Array.from(this.#listeners);
    for (const listener of this.#asFired) {
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
    this.#asFired = undefined;
  }
}
