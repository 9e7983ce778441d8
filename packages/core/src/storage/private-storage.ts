import type { FileFacts, Platform } from "../platform/platform.ts";
import { PatchbayError } from "../support/errors.ts";
import type { PiecedText } from "../support/json-pieces.ts";
import { LoadOnce } from "../support/load-once.ts";
import type { Logger } from "../support/logger.ts";
import { SerialSlots, type StorageBound, StorageRoom, type StoredValue } from "./storage-room.ts";
import { claimFile, type RecordMarker, releaseClaim } from "./claim.ts";
import {
  adviceFor,
  causeOf,
  findPrivateDirectory,
  isLeftover,
  isOwn,
  joinPath,
  privateFileNames,
  writePrivateFile,
} from "./private-directory.ts";
import { storageLevels } from "./state-directory.ts";

export interface PrivateStorageOptions {
  readonly platform: Platform;
  /** Absolute; made 0700 when first needed, with the parents that are missing (EditorHost.storageDirectory). */
  readonly directory: string;
  readonly logger: Logger;
  /** Largest value, UTF-8 bytes. Default 128 MiB: a 50 MB proposal as JSON fits. */
  readonly maximumValueBytes?: number;
  /** Groups of keys that together may only take so much room. */
  readonly bounds?: readonly StorageBound[];
  /** Told after values were set aside because others could have written them. */
  readonly onDidSetAside?: (directory: string) => void;
}

/**
 * Small texts by key that only this user can read (0600 in a 0700 directory), each replaced whole or not at all. Per key,
 * calls run one after another and the latest write wins. Every method rejects with PatchbayError: `invalid-argument`
 * for a key outside `[A-Za-z0-9._-]`, `too-large`, or `storage-failed` (also logged), after which the old value stands.
 * A value that others could have written or read, because its directory or file is found open to them, counts as none.
 */
export interface PrivateStorage {
  /** The text last written, or undefined where there is none. */
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string | Pick<PiecedText, "pieces">): Promise<void>;
  remove(key: string): Promise<void>;
  /** The file that holds a value, for a process of ours that goes on without this one; undefined where nothing was stored yet. */
  locate(key: string): Promise<string | undefined>;
  /** Keys that begin with `prefix`, oldest value first. */
  list(prefix: string): Promise<readonly string[]>;
  /**
   * Takes the storage for one run, until `release` or the end of the process: two runs that write the same port, token and
   * drafts would take each other's agents. False: a run that lives has it.
   */
  claim(marker: RecordMarker): Promise<boolean>;
  /** Gives back what `claim` took. Never rejects. */
  release(): Promise<void>;
}

/** Opens a private storage. Nothing is touched before the first call. */
export function createPrivateStorage(options: PrivateStorageOptions): PrivateStorage {
  return new DirectoryStorage(options);
}

const suffix = ".json";
/** So long a directory that was checked counts as checked for who only looks, ms: a start looks for six things in a row. */
const checkStandsMs = 100;
/**
 * So long the levels above a directory that was checked count as checked, ms: one proposal after the other is written and removed. The
 * directory itself is looked at each time.
 */
const levelsStandMs = 5_000;
/** No key's file: nothing reads it as a value. */
const claimName = "run.claim";
/** Behind the name of what others could have written; no value ends so. */
const asideSuffix = ".aside";
const othersMayDoAnything = 0o077;
const keyPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const defaultMaximumBytes = 128 * 1024 * 1024;

type Change =
  | { readonly kind: "put"; readonly text: string | Iterable<string> }
  | { readonly kind: "remove" }
  /** For room: only if the value is still the one that was found to be the oldest. */
  | { readonly kind: "drop"; readonly value: StoredValue; readonly onDropped: () => void };

class DirectoryStorage implements PrivateStorage {
  readonly #platform: Platform;
  readonly #logger: Logger;
  readonly #directory: string;
  readonly #maximumBytes: number;
  readonly #bounds: readonly StorageBound[];
  readonly #onDidSetAside: ((directory: string) => void) | undefined;
  readonly #slots: SerialSlots<Change> = new SerialSlots((key, change) => this.#perform(key, change));
  readonly #swept: LoadOnce<void> = new LoadOnce(() => this.#sweep());
  /** On the monotonic clock. */
  #checkedAt: number | undefined;
  /** The text of our claim, while we hold it. */
  #claim: string | undefined;
  readonly #rooms: Map<StorageBound, StorageRoom> = new Map();

  constructor(options: PrivateStorageOptions) {
    this.#platform = options.platform;
    this.#logger = options.logger;
    this.#directory = options.directory;
    this.#maximumBytes = options.maximumValueBytes ?? defaultMaximumBytes;
    this.#bounds = options.bounds ?? [];
    this.#onDidSetAside = options.onDidSetAside;
  }

  async read(key: string): Promise<string | undefined> {
    checkKey(key);
    return this.#guarded("read", async () => {
      await this.#slots.settled(key);
      const directory = await this.#find("look");
      if (directory === undefined) return undefined;
      const path = this.#pathOf(directory, key);
      const facts = await this.#platform.files.lstat(path);
      if (facts === undefined) return undefined;
      if (facts.kind === "file" && !this.#isOursAlone(facts)) {
        await this.#setAside(directory, [key + suffix]);
        return undefined;
      }
      return this.#platform.files.readText(path, this.#maximumBytes);
    });
  }

  async write(key: string, text: string | Pick<PiecedText, "pieces">): Promise<void> {
    checkKey(key);
    const limit = Math.min(this.#maximumBytes, ...this.#boundsOf(key).map(({ maximumBytes }) => maximumBytes));
    const counted = new CountedText(limit, key);
    const whole = typeof text === "string" ? counted.add(text) : counted.all(text.pieces());
    await this.#guarded("write", () => this.#slots.run(key, { kind: "put", text: whole }));
    for (const bound of this.#boundsOf(key)) await this.#makeRoom(bound, key, counted.bytes);
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    await this.#guarded("remove", () => this.#slots.run(key, { kind: "remove" }));
    for (const bound of this.#boundsOf(key)) this.#rooms.get(bound)?.removed(key);
  }

  async locate(key: string): Promise<string | undefined> {
    checkKey(key);
    const directory = await this.#guarded("locate", () => this.#find("look"));
    return directory === undefined ? undefined : this.#pathOf(directory, key);
  }

  async list(prefix: string): Promise<readonly string[]> {
    const values = await this.#guarded("list", () => this.#values(prefix));
    return values.map(({ key }) => key);
  }

  async claim(marker: RecordMarker): Promise<boolean> {
    return this.#guarded("claim", async () => {
      const directory = await this.#find("make");
      if (directory === undefined) return false;
      const path = joinPath(this.#platform, directory, claimName);
      this.#claim = await claimFile(this.#platform, path, marker);
      return this.#claim !== undefined;
    });
  }

  async release(): Promise<void> {
    const text = this.#claim;
    this.#claim = undefined;
    if (text === undefined) return;
    try {
      await releaseClaim(this.#platform, joinPath(this.#platform, this.#directory, claimName), text);
    } catch (error) {
      this.#logger.warn("Private storage could not be given back", { reason: causeOf(error) });
    }
  }

  async #perform(key: string, change: Change): Promise<void> {
    const directory = await this.#find(change.kind === "put" ? "make" : "look");
    if (directory === undefined) return;
    const path = this.#pathOf(directory, key);
    switch (change.kind) {
      case "put":
        // What cannot be tidied up now is in nobody's way, and tidied up before the next write.
        await this.#swept.get().catch((error: unknown) => {
          this.#logger.warn("Files that were left half written could not be removed", { reason: causeOf(error) });
        });
        return writePrivateFile(this.#platform, privateFileNames(this.#platform, directory, key + suffix), change.text);
      case "remove":
        return this.#platform.files.remove(path);
      case "drop": {
        const facts = await this.#platform.files.lstat(path);
        if (facts?.modifiedMs !== change.value.modifiedMs || facts.size !== change.value.size) return;
        await this.#platform.files.remove(path);
        change.onDropped();
      }
    }
  }

  /** Drops the oldest values of a group until it fits. A failure costs room, not the value just written: it is logged. */
  async #makeRoom(bound: StorageBound, key: string, bytes: number): Promise<void> {
    try {
      const room = this.#rooms.get(bound) ?? this.#openRoom(bound);
      this.#rooms.set(bound, room);
      await room.wrote(key, bytes);
    } catch (error) {
      this.#rooms.delete(bound);
      this.#logger.warn("Private storage could not be trimmed", { reason: causeOf(error) });
    }
  }

  #openRoom(bound: StorageBound): StorageRoom {
    return new StorageRoom({
      bound,
      logger: this.#logger,
      values: () => this.#values(bound.prefix),
      isBusy: (key) => this.#slots.isBusy(key),
      drop: (value, onDropped) => this.#slots.run(value.key, { kind: "drop", value, onDropped }),
    });
  }

  async #values(prefix: string): Promise<readonly StoredValue[]> {
    const directory = await this.#find("look");
    if (directory === undefined) return [];
    const names = await this.#platform.files.list(directory);
    const values: StoredValue[] = [];
    for (const name of names) {
      const key = name.slice(0, -suffix.length);
      if (!name.endsWith(suffix) || !key.startsWith(prefix) || !keyPattern.test(key)) continue;
      const facts = await this.#platform.files.lstat(joinPath(this.#platform, directory, name));
      if (facts?.kind === "file" && this.#isOursAlone(facts))
        values.push({ key, size: facts.size, modifiedMs: facts.modifiedMs });
    }
    return values.sort((a, b) => a.modifiedMs - b.modifiedMs || (a.key < b.key ? -1 : 1));
  }

  /** The checked directory; undefined where it is only looked for and nothing was stored yet. */
  async #find(intent: "make" | "look"): Promise<string | undefined> {
    const now = this.#platform.clock.monotonic();
    // Not a number before the first check, and after one that failed: then nothing stands.
    const age = now - Number(this.#checkedAt);
    const isLook = intent === "look";
    if (isLook && age < checkStandsMs) return this.#directory;
    const facts = await this.#platform.files.lstat(this.#directory);
    if (isLook && facts === undefined) return undefined;
    if (age < levelsStandMs && facts?.kind === "directory" && this.#isOursAlone(facts)) return this.#directory;
    const place = await storageLevels(this.#platform, this.#directory);
    const found = await findPrivateDirectory(this.#platform, { ...place, intent });
    this.#checkedAt = undefined;
    if (found.kind === "private") {
      this.#checkedAt = now;
      if (found.wasOpen) await this.#setAside(found.path, await this.#platform.files.list(found.path));
      return found.path;
    }
    throw new PatchbayError("storage-failed", `The private storage cannot be used: ${found.reason}`);
  }

  async #sweep(): Promise<void> {
    const directory = await this.#find("look");
    if (directory === undefined) return;
    for (const name of await this.#platform.files.list(directory)) {
      if (!(await isLeftover(this.#platform, directory, name))) continue;
      await this.#platform.files.remove(joinPath(this.#platform, directory, name));
    }
  }

  /** What others could have written is never read; the user finds it, since drafts may be among it. */
  async #setAside(directory: string, names: readonly string[]): Promise<void> {
    const values = names.filter((name) => name.endsWith(suffix) || name === claimName);
    for (const name of values) {
      const path = joinPath(this.#platform, directory, name);
      await this.#platform.files.rename(path, path + asideSuffix);
    }
    if (values.length === 0) return;
    this.#logger.warn("What was kept is not used: others could write it", { directory });
    this.#onDidSetAside?.(directory);
  }

  #isOursAlone(facts: FileFacts): boolean {
    return (facts.mode & othersMayDoAnything) === 0 && isOwn(this.#platform, facts);
  }

  #pathOf(directory: string, key: string): string {
    return joinPath(this.#platform, directory, key + suffix);
  }

  #boundsOf(key: string): readonly StorageBound[] {
    return this.#bounds.filter(({ prefix }) => key.startsWith(prefix));
  }

  async #guarded<T>(action: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#logger.warn("Private storage failed", { action, reason: causeOf(error) });
      if (error instanceof PatchbayError) throw error;
      const sentence = `Nothing could be kept in ${this.#directory} (${causeOf(error)}). ${adviceFor(error)}`;
      throw new PatchbayError("storage-failed", sentence, { cause: error });
    }
  }
}

function checkKey(key: string): void {
  if (!keyPattern.test(key))
    throw new PatchbayError("invalid-argument", "A storage key holds only letters, digits, '.', '_' and '-'.");
}

/** Counts the UTF-8 bytes of a value, at the latest while it is written, and ends the write when they are too many. */
class CountedText {
  bytes = 0;
  readonly #limit: number;
  readonly #key: string;

  constructor(limit: number, key: string) {
    this.#limit = limit;
    this.#key = key;
  }

  add(piece: string): string {
    this.bytes += Buffer.byteLength(piece);
    if (this.bytes <= this.#limit) return piece;
    const sentence = `The value "${this.#key}" is larger than the ${this.#limit} bytes that may be kept.`;
    throw new PatchbayError("too-large", sentence);
  }

  *all(pieces: Iterable<string>): Generator<string> {
    for (const piece of pieces) yield this.add(piece);
  }
}
