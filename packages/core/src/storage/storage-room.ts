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
