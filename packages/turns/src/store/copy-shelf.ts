import { promises as fs } from "node:fs";
import { join } from "node:path";

/** Larger ones are kept one by one. */
export const largestCopy: number = 64 * 1024;

/** So much is written at once, bytes: to write is what costs, not how much. */
const writtenAtOnce = 256 * 1024;

/** With less than that on it nothing is moved to another file to be rid of the rest. */
const smallest = 1024 * 1024;

/** PORT: a file that only this process has. */
export interface ShelfFile {
  append(bytes: Uint8Array): Promise<void>;
  /** Fewer bytes where there are no more. */
  read(at: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

interface Place {
  readonly at: number;
  readonly length: number;
}

/** One file and what is not written to it yet. */
class Board {
  readonly #open: () => Promise<ShelfFile>;
  readonly #places: Map<string, Place> = new Map();
  /** Behind what is written, in order. */
  readonly #unwritten: { readonly name: string; readonly bytes: Uint8Array }[] = [];
  #file: ShelfFile | undefined;
  #written = 0;
  bytes = 0;

  constructor(open: () => Promise<ShelfFile>) {
    this.#open = open;
  }

  has(name: string): boolean {
    return this.#places.has(name);
  }

  /** Rejects where what has come together could not be written; none of it is here then. One after the other. */
  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.#places.set(name, { at: this.bytes, length: bytes.length });
    this.#unwritten.push({ name, bytes });
    this.bytes += bytes.length;
    if (this.bytes - this.#written < writtenAtOnce) return;
    const going = this.#unwritten.slice();
    try {
      this.#file ??= await this.#open();
      await this.#file.append(Buffer.concat(going.map((one) => one.bytes)));
      this.#written = this.bytes;
    } catch (error) {
      // How much of it was written nobody knows: what comes goes to another file.
      for (const one of going) this.#places.delete(one.name);
      throw error;
    } finally {
      this.#unwritten.splice(0, going.length);
    }
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    const waiting = this.#unwritten.find((one) => one.name === name);
    if (waiting !== undefined) return waiting.bytes;
    const found = await this.#file?.read(place.at, place.length).catch(() => undefined);
    return found?.length === place.length ? found : undefined;
  }

  async close(): Promise<void> {
    await this.#file?.close().catch(() => {});
  }
}

/**
 * Copies that a look makes of small files in case they change: all in one file, which a look at thousands of files writes with a few
 * calls. It is this process's alone and has no name: what comes to be named by a turn is kept in the store before, and nothing of the
 * rest is of use to anybody who comes later. Who reads checks that it is what it was.
 */
export class CopyShelf {
  readonly #open: () => Promise<ShelfFile>;
  readonly #limit: () => number;
  #board: Board;
  /** What was on it is moved when it is asked for; it goes when there is a newer one. */
  #older: Board | undefined;
  /** How much was still wanted when it was last counted. */
  #wanted = 0;
  #isCounting = false;

  /** `limit`: bytes, of all that is on it at a time. */
  constructor(open: () => Promise<ShelfFile>, limit: () => number) {
    this.#open = open;
    this.#limit = limit;
    this.#board = new Board(open);
  }

  get bytes(): number {
    return this.#board.bytes + (this.#older?.bytes ?? 0);
  }

  /** Whoever wants something of what is there asks for it from now on: where most is of no use any more, the rest is dropped later. */
  async begin(): Promise<void> {
    if (this.#isCounting) this.#wanted = this.#board.bytes;
    this.#isCounting = false;
    if (this.#older !== undefined) {
      await this.#older.close();
      this.#older = undefined;
    }
    if (this.#board.bytes <= 2 * Math.max(this.#wanted, smallest)) return;
    this.#older = this.#board;
    this.#board = new Board(this.#open);
    this.#isCounting = true;
  }

  /** Whether it is there, and stays. */
  async has(name: string): Promise<boolean> {
    if (this.#board.has(name)) return true;
    const bytes = await this.#older?.read(name);
    return bytes !== undefined && (await this.put(name, bytes));
  }

  /** False where there is no room. Rejects where it could not be written. */
  async put(name: string, bytes: Uint8Array): Promise<boolean> {
    if (this.#board.has(name)) return true;
    if (this.bytes + bytes.length > this.#limit()) return false;
    const board = this.#board;
    try {
      await board.put(name, bytes);
    } catch (error) {
      await this.#leave(board);
      throw error;
    }
    return true;
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    return (await this.#board.read(name)) ?? (await this.#older?.read(name));
  }

  /** What a broken file has before the break can be read for as long as nothing else breaks. */
  async #leave(broken: Board): Promise<void> {
    if (this.#board !== broken) return;
    await this.#older?.close();
    this.#older = broken;
    this.#board = new Board(this.#open);
  }

  dispose(): void {
    void this.#board.close();
    void this.#older?.close();
  }
}

/** A file in a private directory that loses its name at once, so that it goes with the process, however that ends. */
export async function openShelfFile(directory: string, name: string): Promise<ShelfFile> {
  const path = join(directory, name);
  const file = await fs.open(path, "wx+", 0o600);
  // Where a system does not let go of the name, the next sweep does.
  await fs.unlink(path).catch(() => {});
  return {
    append: async (bytes) => await file.appendFile(bytes),
    read: async (at, length) => {
      const bytes = Buffer.allocUnsafe(length);
      let read = 0;
      while (read < length) {
        const { bytesRead } = await file.read(bytes, read, length - read, at + read);
        if (bytesRead === 0) break;
        read += bytesRead;
      }
      return bytes.subarray(0, read);
    },
    close: async () => await file.close(),
  };
}
