/**
 * Runs one piece of work per key at a time. While one runs, only the latest value asked for is kept: it runs next, and
 * everybody who asked meanwhile gets its result.
 */
export class SerialSlots<Value> {
  readonly #work: (key: string, value: Value) => Promise<void>;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the work ends.
  readonly #running: Map<string, Promise<void>> = new Map();
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the work begins.
  readonly #next: Map<string, { value: Value; readonly done: Promise<void> }> = new Map();

  constructor(work: (key: string, value: Value) => Promise<void>) {
    this.#work = work;
  }

  /** Resolves or rejects as the work for `value`, or for a later value that took its place, does. */
  run(key: string, value: Value): Promise<void> {
    const waiting = this.#next.get(key);
    if (waiting !== undefined) {
      waiting.value = value;
      return waiting.done;
    }
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, value);
    const entry = { value, done: running.then(noop, noop).then(() => this.#startNext(key)) };
    this.#next.set(key, entry);
    return entry.done;
  }

  /** Whether work for the key runs or waits. */
  isBusy(key: string): boolean {
    return this.#running.has(key) || this.#next.has(key);
  }

  /** Resolves when nothing runs or waits for the key, however it ended. */
  async settled(key: string): Promise<void> {
    for (;;) {
      const last = this.#next.get(key)?.done ?? this.#running.get(key);
      if (last === undefined) return;
      await last.then(noop, noop);
    }
  }

  async #startNext(key: string): Promise<void> {
    const entry = this.#next.get(key);
    if (entry === undefined) return;
    this.#next.delete(key);
    await this.#start(key, entry.value);
  }

  #start(key: string, value: Value): Promise<void> {
    const run = this.#work(key, value).finally(() => {
      if (this.#running.get(key) === run) this.#running.delete(key);
    });
    this.#running.set(key, run);
    return run;
  }
}

function noop(): void {}
