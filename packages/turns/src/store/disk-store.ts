import { constants, promises as fs } from "node:fs";
import { dirname, join } from "node:path";
import type { Disposable, Platform } from "@patchbay/core";
import { inOrder, type JournalEntry, readJournal, textsOf, type TurnRecord, writeEntry } from "../ledger/records.ts";
import { bytesOf, freeShare, namedIn, nameOfText, type TurnStore } from "./turn-store.ts";

const directoryMode = 0o700;
const fileMode = 0o600;

/** A larger journal is none of ours. */
const largestJournalBytes = 64 * 1024 * 1024;

/** A text that no turn names may be one that another window is about to name, ms. */
const unnamedForMs = 24 * 60 * 60 * 1_000;

/** The rest of the room is for journals: what is known of a turn is worth more than one more text of it. */
const textShare = 15 / 16;

/** The newest turns stay however old they are: clocks jump. */
const staysAnyway = 20;

export interface DiskStoreOptions {
  readonly platform: Platform;
  /** What is made is made in it. */
  readonly directory: string;
  readonly room: number;
  readonly age: number;
}

/**
 * Turns as journals, one file each, to which every window adds whole lines; texts as files that are named by what they hold. A process may
 * be killed at any time: a journal's last line may be torn then, and a text nobody names is swept.
 */
export class DiskStore implements TurnStore {
  readonly #options: DiskStoreOptions;
  readonly #texts: string;
  readonly #turns: string;
  /** The texts that are there, as far as this window knows. */
  readonly #known: Set<string> = new Set();
  /** Bytes of each journal, by its name, as far as they were read or written here. */
  readonly #read: Map<string, number> = new Map();
  /** Bytes of journals by the id of their turn, as far as this window knows. */
  readonly #journals: Map<string, number> = new Map();
  #size = 0;
  #isMade = false;

  constructor(options: DiskStoreOptions) {
    this.#options = options;
    this.#texts = join(options.directory, "texts");
    this.#turns = join(options.directory, "turns");
  }

  get size(): number {
    return this.#size;
  }

  get room(): number {
    return this.#options.room;
  }

  async load(): Promise<readonly TurnRecord[]> {
    const { files } = this.#options.platform;
    for (const name of await files.list(this.#texts)) this.#know(name);
    for (const name of await files.list(this.#turns)) {
      const facts = await files.lstat(join(this.#turns, name)).catch(() => undefined);
      this.#grow(name, facts?.size ?? 0);
    }
    const all = await this.#readTurns();
    const turns = await this.#dropOld(inOrder(all.map(({ turn }) => turn)));
    for (const { turn, bytes } of all) this.#read.set(turn.id, bytes);
    await this.sweep(turns, new Set());
    return turns;
  }

  async others(keep: (turns: readonly TurnRecord[], gone: readonly string[]) => boolean): Promise<void> {
    const there = new Set<string>();
    const known = new Set(this.#read.keys());
    const found = await this.#readTurns((id, bytes) => {
      there.add(id);
      return this.#read.get(id) !== bytes;
    });
    const gone = Array.from(known).filter((id) => !there.has(id));
    if (found.length + gone.length === 0) return;
    const turns = found.map(({ turn }) => turn);
    if (!keep(turns, gone)) return;
    for (const id of gone) this.#read.delete(id);
    for (const { turn, bytes } of found) this.#read.set(turn.id, bytes);
  }

  async lastWritten(turn: TurnRecord): Promise<number | undefined> {
    return (await this.#options.platform.files.lstat(this.#journalOf(turn)))?.modifiedMs;
  }

  watch(onChange: () => void): Disposable | undefined {
    return this.#options.platform.files.watch?.(this.#turns, onChange);
  }

  async append(turn: TurnRecord, entries: readonly JournalEntry[]): Promise<void> {
    if (entries.length === 0) return;
    // After half a line of a process that was killed; an empty line says nothing.
    const lines = Buffer.from(`\n${entries.map(writeEntry).join("")}`);
    if (this.#size + lines.length > this.#options.room) throw new Error("There is no room for what is known of turns.");
    await this.#make();
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
    const file = await fs.open(this.#journalOf(turn), flags, fileMode);
    try {
      await file.writeFile(lines);
      const bytes = (this.#read.get(turn.id) ?? 0) + lines.length;
      // Where another window has written meanwhile, its lines are still to be read.
      if ((await file.stat()).size === bytes) this.#read.set(turn.id, bytes);
    } finally {
      await file.close();
    }
    this.#grow(journalName(turn), lines.length);
  }

  async remove(turn: TurnRecord): Promise<void> {
    this.#read.delete(turn.id);
    await this.#options.platform.files.remove(this.#journalOf(turn));
    this.#size -= this.#journals.get(journalName(turn)) ?? 0;
    this.#journals.delete(journalName(turn));
  }

  async keep(text: string): Promise<string | undefined> {
    const { platform, room } = this.#options;
    const { files, random, process } = platform;
    const name = nameOfText(text, random.mac);
    if (this.#known.has(name)) return name;
    if (this.#size + (bytesOf(name) ?? 0) > room * textShare) return undefined;
    await this.#make();
    const temporary = join(this.#texts, `.${process.pid}-${random.token(9)}.tmp`);
    await files.createExclusive(temporary, text, fileMode);
    try {
      await files.rename(temporary, join(this.#texts, name));
    } catch (error) {
      files.removeSync(temporary);
      throw error;
    }
    this.#know(name);
    return name;
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  async read(name: string): Promise<string | undefined> {
    const bytes = bytesOf(name);
    if (bytes === undefined) return undefined;
    const { files, random } = this.#options.platform;
    const text = await files.readText(join(this.#texts, name), bytes).catch(() => undefined);
    return text !== undefined && nameOfText(text, random.mac) === name ? text : undefined;
  }

  async sweep(known: readonly TurnRecord[], freed: ReadonlySet<string>): Promise<void> {
    const { files, clock } = this.#options.platform;
    const named = namedIn([...known, ...(await this.#readTurns()).map(({ turn }) => turn)]);
    for (const name of await files.list(this.#texts)) {
      if (named.has(name)) continue;
      const path = join(this.#texts, name);
      const facts = await files.lstat(path).catch(() => undefined);
      if (facts === undefined) continue;
      if (!freed.has(name) && clock.now() - facts.modifiedMs < unnamedForMs) continue;
      await files.remove(path).catch(() => {});
      if (this.#known.delete(name)) this.#size -= bytesOf(name) ?? 0;
    }
  }

  #know(name: string): void {
    const bytes = bytesOf(name);
    if (bytes === undefined || this.#known.has(name)) return;
    this.#known.add(name);
    this.#size += bytes;
  }

  #grow(journal: string, bytes: number): void {
    this.#journals.set(journal, (this.#journals.get(journal) ?? 0) + bytes);
    this.#size += bytes;
  }

  async #readTurns(
    isWanted: (id: string, bytes: number) => boolean = () => true,
  ): Promise<readonly { readonly turn: TurnRecord; readonly bytes: number }[]> {
    const { files } = this.#options.platform;
    const found: { readonly turn: TurnRecord; readonly bytes: number }[] = [];
    for (const name of await files.list(this.#turns)) {
      if (!name.endsWith(".jsonl")) continue;
      const path = join(this.#turns, name);
      const bytes = (await files.lstat(path).catch(() => undefined))?.size;
      if (bytes === undefined || !isWanted(name.slice(0, -".jsonl".length), bytes)) continue;
      const text = await files.readText(path, largestJournalBytes).catch(() => undefined);
      const turn = text === undefined ? undefined : readJournal(text);
      if (turn !== undefined && journalName(turn) === name) found.push({ turn, bytes });
    }
    return found;
  }

  /** Without what is too old, and without the oldest where what is named takes too much room. */
  async #dropOld(turns: readonly TurnRecord[]): Promise<readonly TurnRecord[]> {
    const { platform, age, room } = this.#options;
    const now = platform.clock.now();
    const kept: TurnRecord[] = [];
    const named = new Set<string>();
    let bytes = 0;
    for (const turn of turns.toReversed()) {
      bytes += this.#journals.get(journalName(turn)) ?? 0;
      for (const name of textsOf(turn)) {
        if (!named.has(name)) bytes += bytesOf(name) ?? 0;
        named.add(name);
      }
      const isOld = kept.length >= staysAnyway && now - (turn.ended ?? turn.began) > age;
      if (turn.ended !== undefined && (isOld || bytes > room * freeShare)) await this.remove(turn).catch(() => {});
      else kept.push(turn);
    }
    return kept.toReversed();
  }

  #journalOf(turn: TurnRecord): string {
    return join(this.#turns, journalName(turn));
  }

  async #make(): Promise<void> {
    if (this.#isMade) return;
    await fs.mkdir(dirname(this.#options.directory), { recursive: true, mode: directoryMode });
    for (const path of [this.#options.directory, this.#texts, this.#turns]) await this.#makePrivate(path);
    this.#isMade = true;
  }

  /** Throws where the directory is a link, or somebody else's. */
  async #makePrivate(path: string): Promise<void> {
    const { files, process } = this.#options.platform;
    if ((await files.makeDirectory(path, directoryMode)) === "created") return;
    const facts = await files.lstat(path);
    const isOwn = process.uid === -1 || facts?.uid === process.uid;
    if (facts?.kind !== "directory" || !isOwn) throw new Error(`${path} is not a directory of yours.`);
    if ((facts.mode & 0o777) !== directoryMode) await files.chmod(path, directoryMode);
  }
}

function journalName({ id }: TurnRecord): string {
  return `${id}.jsonl`;
}
