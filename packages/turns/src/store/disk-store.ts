import { constants, promises as fs } from "node:fs";
import { basename, join } from "node:path";
import {
  type Disposable,
  errorCodeOf,
  findPrivateDirectory,
  PatchbayError,
  type Platform,
  storageLevels,
} from "@patchbay/core";
import { inOrder, type JournalEntry, readJournal, textsOf, type TurnRecord, writeEntry } from "../ledger/records.ts";
import { openShelfFile, type ShelfFile } from "./copy-shelf.ts";
import { bytesOf, freeShare, nameOfText, textShare, type TurnStore } from "./turn-store.ts";

const fileMode = 0o600;

/** So much of a journal is read at once: one of a turn with a hundred thousand files is long. */
const chunkBytes = 256 * 1024;

/** A text that no turn names may be one that another window is about to name, ms. */
const unnamedForMs = 24 * 60 * 60 * 1_000;

/** A text that is still wanted counts as new again after so long, ms: well before somebody sweeps it. */
const freshForMs = unnamedForMs / 2;

/** So many turns are gone through at once, which takes some milliseconds. */
const turnsAtOnce = 500;

/** The newest turns stay however old they are: clocks jump. */
const staysAnyway = 20;

export interface DiskStoreOptions {
  readonly platform: Platform;
  /** What is made is made in it. */
  readonly directory: string;
  readonly room: number;
  readonly age: number;
}

interface JournalFile {
  readonly id: string;
  /** Undefined where nobody can tell just now. */
  readonly bytes: number | undefined;
}

interface ReadJournal {
  readonly turn: TurnRecord;
  readonly bytes: number;
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
  /** When they were written, or made to count as new, as far as this window knows. */
  readonly #freshened: Map<string, number> = new Map();
  /** Bytes of journals by the id of their turn, as far as this window has read or written them. */
  readonly #journals: Map<string, number> = new Map();
  /** Journals that are being written: how long they are is not known for a moment. */
  readonly #writing: Set<string> = new Set();
  aside: () => number = () => 0;
  #size = 0;
  #isMade = false;
  #isChecked = false;

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
    if (!(await this.#isReadable())) return [];
    for (const name of await files.list(this.#texts)) this.#know(name);
    const all = await this.#readTurns(({ id, bytes }) => {
      // One that cannot be read now is read with a later look.
      if (bytes === undefined) this.#shrink(id);
      else this.#grow(id, bytes);
      return true;
    });
    const turns = await this.#dropOld(inOrder(all.found.map(({ turn }) => turn)));
    if (all.isWhole) await this.#removeUnnamed(turns, new Set());
    return turns;
  }

  async others(keep: (turns: readonly TurnRecord[], gone: ReadonlySet<string>) => boolean): Promise<void> {
    const gone = new Set(this.#journals.keys());
    const { found } = await this.#readTurns(({ id, bytes }) => {
      gone.delete(id);
      return bytes !== undefined && !this.#writing.has(id) && this.#journals.get(id) !== bytes;
    });
    const turns = found.map(({ turn }) => turn);
    if (found.length + gone.size === 0 || !keep(turns, gone)) return;
    for (const id of gone) this.#shrink(id);
    for (const { turn, bytes } of found) this.#grow(turn.id, bytes - (this.#journals.get(turn.id) ?? 0));
  }

  async lastOrder(): Promise<number> {
    const names = await this.#options.platform.files.list(this.#turns);
    return names.reduce((last, name) => Math.max(last, Number(/^\d+(?=-)/u.exec(name)?.[0] ?? 0)), 0);
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
    if (this.#size + this.aside() + lines.length > this.#options.room)
      throw new Error("There is no room for what is known of turns.");
    await this.#make();
    // Lines about a turn that does not stand there any more would be of no use.
    const isNew = !this.#journals.has(turn.id);
    const creates = isNew ? constants.O_CREAT : 0;
    const flags = constants.O_WRONLY | creates | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
    this.#writing.add(turn.id);
    try {
      const file = await fs.open(this.#journalOf(turn), flags, fileMode);
      try {
        await file.writeFile(lines);
      } finally {
        await file.close();
      }
    } catch (error) {
      if (errorCodeOf(error) === "ENOENT") await this.#forgetGone(turn);
      throw error;
    } finally {
      this.#writing.delete(turn.id);
    }
    // Where another window has written meanwhile, the journal is longer, and its lines are still to be read.
    this.#grow(turn.id, lines.length);
  }

  /** Somebody has removed a journal, or all of the storage. */
  async #forgetGone(turn: TurnRecord): Promise<void> {
    this.#shrink(turn.id);
    this.#isMade = false;
    const { files } = this.#options.platform;
    if ((await files.lstat(this.#texts).catch(() => undefined)) !== undefined) return;
    for (const name of Array.from(this.#known)) this.#forget(name);
  }

  async remove(turn: TurnRecord): Promise<void> {
    await this.#options.platform.files.remove(this.#journalOf(turn));
    this.#shrink(turn.id);
  }

  async keep(text: string): Promise<string | undefined> {
    const { platform, room } = this.#options;
    const { files, random } = platform;
    const name = nameOfText(text, random.mac);
    if (this.#known.has(name) && (await this.refresh(name))) return name;
    if (this.#size + this.aside() + (bytesOf(name) ?? 0) > room * textShare) return undefined;
    await this.#make();
    const temporary = join(this.#texts, this.#passingName());
    try {
      await files.createExclusive(temporary, text, fileMode);
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
      // Somebody has removed the storage: it is made anew, once.
      this.#isMade = false;
      await this.#make();
      await files.createExclusive(temporary, text, fileMode);
    }
    try {
      await files.rename(temporary, join(this.#texts, name));
    } catch (error) {
      files.removeSync(temporary);
      throw error;
    }
    this.#know(name);
    this.#freshened.set(name, this.#options.platform.clock.now());
    return name;
  }

  async openShelf(): Promise<ShelfFile> {
    await this.#make();
    return await openShelfFile(this.#texts, this.#passingName());
  }

  /** Of a file that is swept where it stays. */
  #passingName(): string {
    const { process, random } = this.#options.platform;
    return `.${process.pid}-${random.token(9)}.tmp`;
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  async refreshMany(): Promise<(name: string) => Promise<boolean>> {
    const { files, clock } = this.#options.platform;
    const there = new Set(await files.list(this.#texts));
    return async (name) => {
      const freshened = there.has(name) && this.#known.has(name) ? this.#freshened.get(name) : undefined;
      const isFresh = freshened !== undefined && Math.abs(clock.now() - freshened) <= freshForMs;
      return isFresh || (await this.refresh(name));
    };
  }

  async refresh(name: string): Promise<boolean> {
    const { files, clock } = this.#options.platform;
    const path = join(this.#texts, name);
    const facts = await files.lstat(path);
    if (facts?.kind !== "file") {
      this.#forget(name);
      return false;
    }
    const now = clock.now();
    const isOld = Math.abs(now - facts.modifiedMs) > freshForMs;
    if (isOld) await fs.lutimes(path, now / 1_000, now / 1_000);
    this.#freshened.set(name, isOld ? now : facts.modifiedMs);
    return true;
  }

  async read(name: string): Promise<string | undefined> {
    const bytes = bytesOf(name);
    if (bytes === undefined) return undefined;
    const { files, random } = this.#options.platform;
    const text = await files.readText(join(this.#texts, name), bytes).catch(() => undefined);
    return text !== undefined && nameOfText(text, random.mac) === name ? text : undefined;
  }

  async sweep(known: readonly TurnRecord[], freed: ReadonlySet<string>): Promise<void> {
    const { found, isWhole } = await this.#readTurns();
    // What cannot be read just now may name any of them.
    if (isWhole) await this.#removeUnnamed([...known, ...found.map(({ turn }) => turn)], freed);
  }

  async #removeUnnamed(turns: readonly TurnRecord[], freed: ReadonlySet<string>): Promise<void> {
    const { files, clock } = this.#options.platform;
    const named = new Set<string>();
    for (const [number, turn] of turns.entries()) {
      if (number % turnsAtOnce === turnsAtOnce - 1) await makeRoomForOthers();
      for (const name of textsOf(turn)) named.add(name);
    }
    // An agent that works may be about to change what was compared at its begin; how long ago that was, no clock tells that may jump.
    const isQuiet = turns.every(({ ended, undoes }) => ended !== undefined || undoes !== undefined);
    for (const name of await files.list(this.#texts)) {
      if (named.has(name)) continue;
      const path = join(this.#texts, name);
      const facts = await files.lstat(path).catch(() => undefined);
      if (facts === undefined) continue;
      const isOld = isQuiet && clock.now() - facts.modifiedMs >= unnamedForMs;
      if (!freed.has(name) && !isOld) continue;
      await files.remove(path).catch(() => {});
      this.#forget(name);
    }
  }

  #forget(name: string): void {
    this.#freshened.delete(name);
    if (this.#known.delete(name)) this.#size -= bytesOf(name) ?? 0;
  }

  #know(name: string): void {
    const bytes = bytesOf(name);
    if (bytes === undefined || this.#known.has(name)) return;
    this.#known.add(name);
    this.#size += bytes;
  }

  #grow(id: string, bytes: number): void {
    this.#journals.set(id, (this.#journals.get(id) ?? 0) + bytes);
    this.#size += bytes;
  }

  #shrink(id: string): void {
    this.#size -= this.#journals.get(id) ?? 0;
    this.#journals.delete(id);
  }

  async #readTurns(
    isWanted: (journal: JournalFile) => boolean = () => true,
  ): Promise<{ readonly found: readonly ReadJournal[]; readonly isWhole: boolean }> {
    const { files } = this.#options.platform;
    const found: ReadJournal[] = [];
    let isWhole = true;
    if (!(await this.#isReadable())) return { found, isWhole };
    for (const name of await files.list(this.#turns)) {
      if (!name.endsWith(".jsonl")) continue;
      const path = join(this.#turns, name);
      const id = name.slice(0, -".jsonl".length);
      try {
        const facts = await files.lstat(path);
        if (facts === undefined || !isWanted({ id, bytes: facts.size })) continue;
        const turn = facts.kind === "file" ? await readJournal(linesOf(path, this.#options.room)) : undefined;
        if (turn !== undefined && journalName(turn) === name) found.push({ turn, bytes: facts.size });
      } catch {
        // No descriptor left, a failing disk: it is there.
        isWhole = false;
        isWanted({ id, bytes: undefined });
      }
    }
    return { found, isWhole };
  }

  /** Without what is too old, and without the oldest where what is named takes too much room. */
  async #dropOld(turns: readonly TurnRecord[]): Promise<readonly TurnRecord[]> {
    const { platform, age, room } = this.#options;
    const now = platform.clock.now();
    const kept: TurnRecord[] = [];
    const named = new Set<string>();
    let bytes = 0;
    for (const [number, turn] of turns.toReversed().entries()) {
      if (number % turnsAtOnce === turnsAtOnce - 1) await makeRoomForOthers();
      bytes += this.#journals.get(turn.id) ?? 0;
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

  /** Throws where a directory is a link, or somebody else's. */
  async #make(): Promise<void> {
    if (this.#isMade) return;
    await this.#find("make");
    this.#isMade = true;
    this.#isChecked = true;
  }

  /** Whether there is something to read, and nobody else can have put it there. Throws where a directory is a link, or somebody else's. */
  async #isReadable(): Promise<boolean> {
    if (this.#isChecked) return true;
    if ((await this.#options.platform.files.lstat(this.#options.directory)) === undefined) return false;
    await this.#find("look");
    this.#isChecked = true;
    return true;
  }

  async #find(intent: "look" | "make"): Promise<void> {
    const { platform, directory } = this.#options;
    const place = await storageLevels(platform, directory);
    const inner = [this.#texts, this.#turns].map((path) => ({ ...place, root: directory, levels: [basename(path)] }));
    for (const request of [place, ...inner]) {
      const path = join(request.root, ...request.levels);
      if (intent === "look" && (await platform.files.lstat(path)) === undefined) continue;
      const found = await findPrivateDirectory(platform, { ...request, intent });
      if (found.kind === "refused") throw new PatchbayError("storage-failed", found.reason);
    }
  }
}

/**
 * The lines of a regular file, as far as it goes. What is no UTF-8 spoils its own line alone. Throws where it cannot be read.
 */
async function* linesOf(path: string, limitBytes: number): AsyncGenerator<string> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await fs.open(path, flags);
  try {
    if (!(await file.stat()).isFile()) return;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let [rest, read] = ["", 0];
    while (read < limitBytes) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) break;
      read += bytesRead;
      const lines = (rest + decoder.decode(chunk.subarray(0, bytesRead), { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    yield rest;
  } finally {
    await file.close();
  }
}

async function makeRoomForOthers(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

function journalName({ id }: TurnRecord): string {
  return `${id}.jsonl`;
}
