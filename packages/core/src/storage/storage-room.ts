import type { Logger } from "../support/logger.ts";

/** A group of keys that together may only take so much room. */
export interface StorageBound {
  /** Keys that begin with it belong to the group. */
  readonly prefix: string;
  /** Most UTF-8 bytes of all values of the group; the oldest values go first, never the one just written. */
  readonly maximumBytes: number;
  /** Told after a value was dropped for room, so that its loss has a visible end. */
  readonly onDidDrop?: (key: string) => void;
}

export interface StoredValue {
  readonly key: string;
  readonly size: number;
  readonly modifiedMs: number;
}

export interface StorageRoomOptions {
  readonly bound: StorageBound;
  readonly logger: Logger;
  /** What the group holds now, oldest value first. */
  readonly values: () => Promise<readonly StoredValue[]>;
  /** Whether a value is being written now. */
  readonly isBusy: (key: string) => boolean;
  /** Removes a value, only if it is still the one that was found; `onDropped` runs where it was. */
  readonly drop: (value: StoredValue, onDropped: () => void) => Promise<void>;
}

/** Keeps one group of values within its bound: the oldest go first. */
export class StorageRoom {
  readonly #options: StorageRoomOptions;
  /** What the values take at most, by key; undefined before the files were looked at. */
  #sizes: Map<string, number> | undefined;
  #trimming: Promise<void> = Promise.resolve();

  constructor(options: StorageRoomOptions) {
    this.#options = options;
  }

  /** A value was written; resolves when there is room for it. `bytes` is 0 where that is not known. */
  async wrote(key: string, bytes: number): Promise<void> {
    if (!this.#mayBeFull(key, bytes)) return;
    const trimming = this.#trimming.then(async () => {
      // By now another write's look at the files has shown how much there is.
      if (this.#mayBeFull(key, bytes)) await this.#trim(key);
    });
    this.#trimming = trimming.catch(() => {});
    await trimming;
  }

  removed(key: string): void {
    this.#sizes?.delete(key);
  }

  /** Whether the group may be over its bound by now: the files are only looked at when the most it can hold is. */
  #mayBeFull(key: string, bytes: number): boolean {
    if (this.#sizes === undefined) return true;
    if (bytes > 0) this.#sizes.set(key, bytes);
    let total = 0;
    for (const size of this.#sizes.values()) total += size;
    return total > this.#options.bound.maximumBytes;
  }

  async #trim(justWritten: string): Promise<void> {
    const { bound, logger, isBusy } = this.#options;
    const values = await this.#options.values();
    const sizes = new Map(values.map(({ key, size }) => [key, size]));
    this.#sizes = sizes;
    let total = values.reduce((sum, { size }) => sum + size, 0);
    for (const value of values) {
      if (total <= bound.maximumBytes) return;
      const { key } = value;
      // What is being written now is not the oldest any more, and its write must not be replaced by a removal.
      if (key === justWritten || isBusy(key)) continue;
      await this.#options.drop(value, () => {
        total -= value.size;
        sizes.delete(key);
        logger.info("Stored value dropped for room", { key });
        bound.onDidDrop?.(key);
      });
    }
  }
}

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
