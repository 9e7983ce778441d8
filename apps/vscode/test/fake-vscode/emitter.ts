export interface FakeDisposable {
  dispose(): void;
}

/** VS Code's EventEmitter: listeners that throw do not disturb the others. */
export class EventEmitter<T> implements FakeDisposable {
  readonly #listeners: Set<(value: T) => unknown> = new Set();

  readonly event: (listener: (value: T) => unknown) => FakeDisposable = (listener) => {
    const own = (value: T): unknown => listener(value);
    this.#listeners.add(own);
    return { dispose: () => this.#listeners.delete(own) };
  };

  fire(value: T): void {
    for (const listener of Array.from(this.#listeners)) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

/** What ends others with itself. */
export class Disposable implements FakeDisposable {
  readonly #dispose: () => void;

  constructor(dispose: () => void) {
    this.#dispose = dispose;
  }

  static from(...all: readonly FakeDisposable[]): Disposable {
    return new Disposable(() => {
      for (const one of all) one.dispose();
    });
  }

  dispose(): void {
    this.#dispose();
  }
}
