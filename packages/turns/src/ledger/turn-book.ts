import { messageOf, type Platform } from "@patchbay/core";
import { mergeTexts, restoreLineEnds } from "@patchbay/core/texts";
import { freeShare, type TurnStore } from "../store/turn-store.ts";
import type { Contents } from "./contents.ts";
import { type Content, type FileRecord, inOrder, type JournalEntry, textsOf, type TurnRecord } from "./records.ts";
import { foldersInPlaceOf, foldersMadeSince } from "./folders.ts";
import { findRenames, renamedFrom, sidesOf } from "./renames.ts";
import { infoOf, type Names } from "./turn-info.ts";
import { TurnWriter, type TurnWriterOptions } from "./turn-writer.ts";
import type { TurnInfo } from "../model.ts";

export interface TurnBookOptions extends Omit<TurnWriterOptions, "find"> {
  readonly platform: Pick<Platform, "clock" | "random">;
  readonly store: TurnStore;
  readonly contents: Contents;
  readonly onDidChange: () => void;
}

export type NewTurn = Pick<
  TurnRecord,
  "agent" | "session" | "conversation" | "folder" | "border" | "undoes" | "prompt" | "agents"
>;

/** One change of a file, as far as it is known whose it is. */
export interface NewChange {
  readonly path: string;
  readonly before: Content;
  readonly after: Content;
  readonly mode: FileRecord["mode"];
  readonly goneMode?: number | undefined;
  readonly movedFrom?: string | undefined;
  readonly attribution: FileRecord["attribution"];
  /** The command that did it, where that is known. */
  readonly command?: string | undefined;
}

/** So many changes that are entered together are written down, and told, at once: a command may change thousands of files. */
const entriesAtOnce = 100;

/** Of the first line of a prompt, UTF-16 units. */
const longestPrompt = 200;

/** All turns that are known, and their journals. What cannot be written down is known until the editor ends, and written once it can be. */
export class TurnBook {
  readonly #options: TurnBookOptions;
  readonly #turns: Map<string, TurnRecord> = new Map();
  /** Turns that others began while this window runs. */
  readonly #foreign: Set<string> = new Set();
  /** What is told of each turn, until something of it changes: lists ask for all of them again and again. */
  readonly #told: WeakMap<TurnRecord, TurnInfo> = new WeakMap();
  readonly #writer: TurnWriter;
  /** When turns of this run began, by the system's own clock. */
  readonly #begun: Map<string, number> = new Map();
  /** Files that were compared with all others that came or went. */
  readonly #compared: WeakSet<FileRecord> = new WeakSet();
  /** Against which old name the lines of a file were counted. */
  readonly #counted: WeakMap<FileRecord, FileRecord | undefined> = new WeakMap();
  #order = 0;
  /** Changes that wait for others; undefined: each is written down as it comes. */
  #gathered: { readonly turn: TurnRecord; readonly entry: JournalEntry }[] | undefined;

  constructor(options: TurnBookOptions) {
    this.#options = options;
    this.#writer = new TurnWriter({ ...options, find: (id) => this.#turns.get(id) });
  }

  /** The oldest first. */
  get all(): readonly TurnRecord[] {
    return Array.from(this.#turns.values());
  }

  get(id: string): TurnRecord | undefined {
    return this.#turns.get(id);
  }

  /** Whether this window began the turn, and has not ended it. */
  isBegunHere(id: string): boolean {
    return this.#begun.has(id);
  }

  /** What is told of a turn. */
  info(turn: TurnRecord, names: Names): TurnInfo {
    const told = this.#told.get(turn) ?? infoOf(turn, names);
    this.#told.set(turn, told);
    return told;
  }

  /** Where the turn renamed a file: what stood at its old name. */
  renamedFrom(turn: TurnRecord, file: FileRecord): FileRecord | undefined {
    return renamedFrom(turn, file);
  }

  /** What is not decided of a file, on one side. */
  async read(id: string, path: string, side: "before" | "after"): Promise<string | undefined> {
    const turn = this.#turns.get(id);
    const file = turn?.files.get(path);
    if (turn === undefined || file === undefined) return undefined;
    return await this.#options.contents.read(sidesOf(turn, file)[side]);
  }

  async load(): Promise<void> {
    const { store, logger, onDidChange } = this.#options;
    try {
      for (const turn of await store.load()) {
        this.#turns.set(turn.id, turn);
        this.#order = Math.max(this.#order, turn.order);
      }
    } catch (error) {
      logger.warn("Turns of earlier runs could not be read", { reason: messageOf(error) });
      this.#options.health.failed(error);
    }
    if (this.#turns.size > 0) onDidChange();
  }

  /**
   * Takes over what others have written: another window, or the command line. Of a turn that `isOpen` here only what was decided is
   * theirs.
   */
  async refresh(isOpen: (id: string) => boolean): Promise<void> {
    const { store, onDidChange } = this.#options;
    const { writes } = this.#writer;
    let hasChanged = false;
    await this.#attempt(async () => {
      await store.others((found, gone) => {
        if (this.#writer.writes !== writes || (this.#gathered?.length ?? 0) > 0) return false;
        const isOurs = (id: string): boolean => isOpen(id) || this.#begun.has(id) || this.#writer.owes(id);
        for (const id of gone) if (!isOurs(id)) this.#turns.delete(id);
        for (const turn of found) this.#takeOver(turn, isOurs(turn.id));
        hasChanged = true;
        return true;
      });
    });
    if (!hasChanged) return;
    const sorted = inOrder(this.all);
    this.#turns.clear();
    for (const turn of sorted) this.#turns.set(turn.id, turn);
    onDidChange();
  }

  /** Whether a file holds what a turn of another window, or an undo there, has left in it since then. */
  async isOfOthers(path: string, after: Content, since: number): Promise<boolean> {
    for (const id of this.#foreign) {
      const turn = this.#turns.get(id);
      const file = turn?.files.get(path);
      if (file === undefined || (turn?.ended ?? since) < since) continue;
      if (await this.#options.contents.isSame(file.after, after)) return true;
    }
    return false;
  }

  /** Undefined where nobody knows. */
  async lastWritten(turn: TurnRecord): Promise<number | undefined> {
    return await this.#attempt(() => this.#options.store.lastWritten(turn));
  }

  #takeOver(turn: TurnRecord, isOpen: boolean): void {
    const own = this.#turns.get(turn.id);
    this.#order = Math.max(this.#order, turn.order);
    if (own === undefined) this.#foreign.add(turn.id);
    if (own === undefined || !isOpen) {
      this.#turns.set(turn.id, turn);
      return;
    }
    this.#told.delete(own);
    own.queued = turn.queued;
    for (const [path, { review, undecided, lines }] of turn.files) {
      const file = own.files.get(path);
      if (file !== undefined) own.files.set(path, { ...file, review, undecided, lines });
    }
  }

  async open(what: NewTurn): Promise<TurnRecord> {
    const { clock, random } = this.#options.platform;
    await this.#makeRoom();
    // Another window, or the command line, may have counted on.
    const last = await this.#attempt(() => this.#options.store.lastOrder());
    this.#order = Math.max(this.#order, last ?? 0) + 1;
    const turn: TurnRecord = {
      ...what,
      id: `${String(this.#order).padStart(8, "0")}-${random.token(9)}`,
      order: this.#order,
      prompt: firstLine(what.prompt),
      began: clock.now(),
      ended: undefined,
      headMoved: false,
      git: [],
      isPartial: false,
      note: undefined,
      files: new Map(),
      pending: new Map(),
      queued: [],
    };
    this.#turns.set(turn.id, turn);
    this.#begun.set(turn.id, Date.now());
    await this.write(turn, { type: "turn", turn });
    return turn;
  }

  /** A turn that has changed nothing is forgotten. */
  async end(turn: TurnRecord): Promise<void> {
    turn.pending.clear();
    this.#begun.delete(turn.id);
    turn.ended = Math.max(turn.began, this.#options.platform.clock.now());
    if (turn.files.size === 0) {
      this.#turns.delete(turn.id);
      await this.#writer.remove(turn);
      this.#options.onDidChange();
    } else await this.write(turn, { type: "settled" }, { type: "turn", turn });
  }

  async write(turn: TurnRecord, ...entries: readonly JournalEntry[]): Promise<void> {
    this.#told.delete(turn);
    // The later line about a file counts.
    await this.#writeGathered();
    await this.#writer.append(turn, entries);
    this.#options.onDidChange();
  }

  /** Whether everything that is known is on disk. */
  get isWritten(): boolean {
    return this.#writer.isDone;
  }

  /** Writes what could not be written, if that works by now. */
  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  /** What `work` enters is written down, and told, in few goes. */
  async together(work: () => Promise<void>): Promise<void> {
    this.#gathered ??= [];
    try {
      await work();
    } finally {
      await this.#writeGathered();
      this.#gathered = undefined;
    }
  }

  /** Enters a change of an open turn. What others changed since the turn wrote last stays theirs, as far as lines can be told apart. */
  async enter(turn: TurnRecord, change: NewChange): Promise<void> {
    const { contents } = this.#options;
    const { path, after, command } = change;
    const found = turn.files.get(path);
    const known = found?.commands;
    const commands = command === undefined ? known : [...new Set(known).add(command)];
    if (found === undefined) {
      if ((await contents.isSame(change.before, after)) && change.mode === undefined) return;
      const { before, mode, goneMode, movedFrom, attribution } = change;
      const file: FileRecord = {
        path,
        before,
        after,
        mode,
        goneMode,
        movedFrom,
        madeFolders: this.#foldersMade(turn, change),
        attribution,
        review: "unreviewed",
        undecided: undefined,
        lines: undefined,
        commands,
      };
      await this.#enterFile(turn, file);
      return;
    }
    const file = { ...found };
    const isDecided = file.review === "kept" || file.review === "undone";
    // What was decided stays decided: the new change stands beside it.
    if (isDecided) {
      file.undecided = { before: change.before, after };
      file.review = "unreviewed";
    } else if (file.undecided !== undefined) {
      const { before, after: left } = file.undecided;
      const isLeft = await contents.isSame(left, change.before);
      const rebased = isLeft ? before : await this.#rebased(path, before, left, change.before);
      if (rebased === undefined) file.attribution = "unknown";
      file.undecided = { before: rebased ?? before, after };
    }
    const isUntouched = await contents.isSame(file.after, change.before);
    if (!isUntouched) {
      const rebased = await this.#rebased(path, file.before, file.after, change.before);
      if (rebased === undefined) file.attribution = "unknown";
      else file.before = rebased;
    }
    file.after = after;
    file.attribution = weaker(file.attribution, change.attribution);
    file.mode = mergedMode(file.mode, change.mode);
    file.goneMode = change.goneMode ?? file.goneMode;
    file.movedFrom = change.movedFrom ?? file.movedFrom;
    file.madeFolders ??= this.#foldersMade(turn, change);
    file.commands = commands;
    const isBack = file.mode === undefined && (await contents.isSame(file.before, after));
    if (isBack && file.undecided === undefined) await this.drop(turn, path);
    else await this.#enterFile(turn, file);
  }

  /** Above a file that is new, or in the place of one that is gone. */
  #foldersMade({ id }: TurnRecord, { path, before, after, movedFrom }: NewChange): readonly string[] | undefined {
    const begun = this.#begun.get(id);
    if (begun === undefined || (before.kind !== "none" && after.kind !== "none")) return undefined;
    const made = after.kind === "none" ? foldersInPlaceOf(path, begun) : foldersMadeSince(path, begun, movedFrom);
    return made.length === 0 ? undefined : made;
  }

  /** Finds out which of the files that came in a turn are renamed ones, and counts their lines against what they were. */
  async pair(turn: TurnRecord): Promise<void> {
    for (const { path, from } of await findRenames(turn, this.#options.contents, this.#compared))
      await this.renamed(turn, path, from);
    for (const file of Array.from(turn.files.values())) {
      if (file.movedFrom !== undefined && this.#counted.get(file) !== renamedFrom(turn, file))
        await this.#enterFile(turn, { ...file });
    }
  }

  /** A file that is new stood elsewhere before. */
  async renamed(turn: TurnRecord, path: string, from: string): Promise<void> {
    const file = turn.files.get(path);
    if (file !== undefined) await this.#enterFile(turn, { ...file, movedFrom: from });
  }

  async drop(turn: TurnRecord, path: string): Promise<void> {
    this.#told.delete(turn);
    if (turn.files.delete(path)) await this.write(turn, { type: "gone", path });
  }

  /** Enters what was decided of a file. */
  async review(turn: TurnRecord, path: string, change: Pick<FileRecord, "review" | "undecided">): Promise<void> {
    const found = turn.files.get(path);
    if (found !== undefined) await this.write(turn, await this.#noted(turn, { ...found, ...change }));
  }

  async #enterFile(turn: TurnRecord, file: FileRecord): Promise<void> {
    const entry = await this.#noted(turn, file);
    if (this.#gathered === undefined) {
      await this.write(turn, entry);
      return;
    }
    this.#gathered.push({ turn, entry });
    if (this.#gathered.length >= entriesAtOnce) await this.#writeGathered();
  }

  async #noted(turn: TurnRecord, file: FileRecord): Promise<JournalEntry> {
    const { before, after } = sidesOf(turn, file);
    this.#counted.set(file, renamedFrom(turn, file));
    file.lines = await this.#options.contents.lines(before, after);
    turn.files.set(file.path, file);
    this.#told.delete(turn);
    return { type: "file", file };
  }

  async #writeGathered(): Promise<void> {
    const gathered = this.#gathered?.splice(0) ?? [];
    if (gathered.length === 0) return;
    for (const turn of new Set(gathered.map((one) => one.turn))) {
      const entries = gathered.filter((one) => one.turn === turn).map(({ entry }) => entry);
      await this.#writer.append(turn, entries);
    }
    this.#options.onDidChange();
  }

  /** What stood there before the turn, had the others changed it then; undefined where their lines are the turn's, too. */
  async #rebased(path: string, before: Content, left: Content, found: Content): Promise<Content | undefined> {
    const { contents, store, platform } = this.#options;
    if (!contents.mayKeep(path)) return undefined;
    if (before.kind === "none" || before.kind === "named" || left.kind === "none" || found.kind === "none")
      return undefined;
    const texts = await Promise.all([before, left, found].map((one) => contents.read(one)));
    const [was, wrote, is] = texts;
    if (was === undefined || wrote === undefined || is === undefined) return undefined;
    const merged = await mergeTexts(wrote, was, is, platform.clock);
    if (merged.kind === "conflict") return undefined;
    const text = await restoreLineEnds(merged.text, is, platform.clock);
    const name = await this.#attempt(() => store.keep(text));
    return name === undefined ? undefined : { kind: "text", text: name };
  }

  /** The oldest turns go first, those with open questions last. */
  async #makeRoom(): Promise<void> {
    const { store, contents } = this.#options;
    if (store.size <= store.room * freeShare) return;
    // What was only compared is named by no turn; while one is open it may still be wanted.
    const isQuiet = this.all.every((turn) => turn.ended !== undefined);
    if (isQuiet) await this.#attempt(() => store.sweep(this.all, contents.names));
    const ended = this.all.filter((turn) => turn.ended !== undefined);
    const isDone = (turn: TurnRecord): boolean =>
      Array.from(turn.files.values()).every(({ review }) => review === "kept" || review === "undone");
    const freed = new Set<string>();
    for (const turn of [...ended.filter(isDone), ...ended.filter((one) => !isDone(one))]) {
      if (store.size <= store.room * freeShare) break;
      for (const name of textsOf(turn)) freed.add(name);
      this.#turns.delete(turn.id);
      await this.#writer.remove(turn);
      await this.#attempt(() => store.sweep(this.all, freed));
    }
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#options.logger.warn("A turn could not be written down", { reason: messageOf(error) });
      return undefined;
    }
  }
}

/** By which people, and two tellers of one turn, know it. */
export function firstLine(prompt: string): string {
  return (prompt.trim().split("\n")[0] ?? "").slice(0, longestPrompt);
}

const order = ["exact", "likely", "unknown"] as const;

function weaker(one: FileRecord["attribution"], other: FileRecord["attribution"]): FileRecord["attribution"] {
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}

/** Undefined where it is again what it was. */
function mergedMode(earlier: FileRecord["mode"], later: FileRecord["mode"]): FileRecord["mode"] {
  if (earlier === undefined || later === undefined) return earlier ?? later;
  return earlier.before === later.after ? undefined : { before: earlier.before, after: later.after };
}
