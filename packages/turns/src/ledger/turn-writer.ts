import { type Logger, messageOf } from "@patchbay/core";
import type { TurnStore } from "../store/turn-store.ts";
import { type JournalEntry, type TurnRecord, wholeOf } from "./records.ts";
import type { StoreHealth } from "./store-health.ts";

export interface TurnWriterOptions {
  readonly store: Pick<TurnStore, "append" | "remove">;
  readonly health: StoreHealth;
  readonly logger: Logger;
  /** A turn that is still known. */
  readonly find: (id: string) => TurnRecord | undefined;
}

/** Writes the journals of turns. What a disk does not take is owed, and written once it can be. */
export class TurnWriter {
  readonly #options: TurnWriterOptions;
  /** Turns of which something could not be written down: all of each is written once it can be. */
  readonly #owed: Set<string> = new Set();
  #writes = 0;

  constructor(options: TurnWriterOptions) {
    this.#options = options;
  }

  /** Counts what is written here: what was read meanwhile may be older. */
  get writes(): number {
    return this.#writes;
  }

  /** Whether everything that was to be written is on disk. */
  get isDone(): boolean {
    return this.#owed.size === 0;
  }

  /** Whether something of the turn is not on disk. */
  owes(id: string): boolean {
    return this.#owed.has(id);
  }

  /** Never rejects. */
  async append(turn: TurnRecord, entries: readonly JournalEntry[]): Promise<void> {
    this.#writes += 1;
    await this.#append(turn, entries);
    this.#writes += 1;
  }

  /** Forgets a turn, on disk, too. Never rejects. */
  async remove(turn: TurnRecord): Promise<void> {
    const { store, logger } = this.#options;
    this.#owed.delete(turn.id);
    this.#writes += 1;
    try {
      await store.remove(turn);
    } catch (error) {
      logger.warn("A turn could not be removed", { reason: messageOf(error) });
    }
  }

  /** Writes what is owed, if that works by now. Never rejects. */
  async flush(): Promise<void> {
    for (const id of Array.from(this.#owed)) {
      const turn = this.#options.find(id);
      this.#writes += 1;
      if (turn === undefined) this.#owed.delete(id);
      else if (!(await this.#appendAll(turn))) return;
    }
  }

  async #append(turn: TurnRecord, entries: readonly JournalEntry[]): Promise<void> {
    const { store, health } = this.#options;
    if (this.#owed.size > 0) {
      this.#owed.add(turn.id);
      // A turn may be long, and a full disk stays full for a while.
      if (health.isDue) await this.flush();
      return;
    }
    try {
      await store.append(turn, entries);
    } catch {
      // What was written before may be gone, or half of this may stand there.
      this.#owed.add(turn.id);
      await this.#appendAll(turn);
    }
  }

  async #appendAll(turn: TurnRecord): Promise<boolean> {
    const { store, health, logger } = this.#options;
    try {
      await store.append(turn, wholeOf(turn));
    } catch (error) {
      logger.warn("A turn could not be written down", { reason: messageOf(error) });
      health.failed(error);
      return false;
    }
    this.#owed.delete(turn.id);
    if (this.#owed.size === 0) health.worked();
    return true;
  }
}
