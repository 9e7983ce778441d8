import { createHash } from "node:crypto";
import type {
  Event,
  LedgerFile,
  LedgerPart,
  LedgerTexts,
  LedgerTurn,
  LedgerUndone,
  LedgerView,
  Platform,
  PromptsSince,
  TurnLedger,
} from "@patchbay/core";
import type { Contents } from "../ledger/contents.ts";
import type { FileRecord, TurnRecord } from "../ledger/records.ts";
import type { TurnBook } from "../ledger/turn-book.ts";
import type { Places } from "../look/places.ts";
import type { HunkLines, TurnFile, UndoLedger, UndoneFile } from "../model.ts";
import { type Comparing, fileHunks, type FileHunk, takenBack } from "./file-hunks.ts";
import { Rehearsal } from "./rehearsal.ts";
import type { Undoing } from "../undo/undoing.ts";

export interface ConversationLedgerOptions {
  readonly platform: Platform;
  readonly book: TurnBook;
  readonly places: Places;
  readonly contents: Contents;
  readonly steps: Comparing["steps"];
  readonly ledger: UndoLedger;
  readonly undo: Undoing;
  /** The same for another ledger. */
  readonly undoIn: (ledger: UndoLedger) => Undoing;
  readonly onDidChange: Event<void>;
  /** Resolves when what was told so far is worked in. */
  readonly workedIn: () => Promise<void>;
}

/** The ledger as conversations see it: the turns that they told of, each with its prompt. */
export class ConversationLedger implements TurnLedger {
  readonly #options: ConversationLedgerOptions;

  constructor(options: ConversationLedgerOptions) {
    this.#options = options;
  }

  get #comparing(): Comparing {
    const { platform, steps } = this.#options;
    return { clock: platform.clock, steps };
  }

  get onDidChange(): Event<void> {
    return this.#options.onDidChange;
  }

  async turnsOf(conversation: string, most: number): Promise<readonly LedgerTurn[]> {
    await this.#options.workedIn();
    const { book, places } = this.#options;
    const undone = this.#undone();
    const turns = this.#turnsOf(conversation).filter(({ files }) => files.size > 0);
    return turns.slice(-most).map((turn) => ({
      id: turn.id,
      prompt: turn.conversation?.prompt,
      files: book.info(turn, places).files.map(({ mode, target: _target, ...file }): LedgerFile => {
        const record = this.#file(turn.id, file.path);
        const isAccepted = file.review === "kept" && record !== undefined && record.undecided === undefined;
        const was = record === undefined ? undefined : (book.renamedFrom(turn, record) ?? record);
        const canRedo = undone.has(`${turn.id} ${places.real(file.path)}`);
        return {
          ...file,
          ...(isAccepted ? { isAccepted } : {}),
          ...(was?.before.kind === "none" ? { isNew: true } : {}),
          ...(mode === undefined || file.kind === "mode" ? {} : { hasMode: true }),
          ...(record?.commands === undefined ? {} : { commands: record.commands }),
          canRedo,
          revision: revisionOf([record, was, canRedo, turn.queued]),
        };
      }),
    }));
  }

  async texts({ turn, path }: LedgerPart & { readonly path: string }): Promise<LedgerTexts | undefined> {
    await this.#options.workedIn();
    const { contents, places } = this.#options;
    const file = this.#file(turn, path);
    // What git holds of it is read there, and is shown as little as what is kept here.
    if (file === undefined || !contents.mayKeep(places.real(path))) return undefined;
    const { after: left } = file;
    const record = this.#options.book.get(turn);
    const was = (record === undefined ? undefined : this.#options.book.renamedFrom(record, file)) ?? file;
    const [before, after] = await Promise.all([contents.read(was.before), contents.read(left)]);
    if (before === undefined && was.before.kind !== "none") return undefined;
    if (after === undefined && left.kind !== "none") return undefined;
    return { before, after };
  }

  async view({ turn, path }: LedgerPart & { readonly path: string }): Promise<LedgerView | undefined> {
    await this.#options.workedIn();
    const found = this.#told(turn, path);
    if (found === undefined) return undefined;
    const { mode, target } = found;
    // What is shown goes to a page: nothing in it but data.
    const hunks = (await this.#hunks(turn, path))?.map(({ open: _open, takenUp: _takenUp, ...hunk }) => hunk);
    return { hunks, ...(mode === undefined ? {} : { mode }), ...(target === undefined ? {} : { target }) };
  }

  async keep({ turn, path, hunk }: LedgerPart): Promise<boolean> {
    await this.#options.workedIn();
    const { undo } = this.#options;
    if (path === undefined) return await undo.keep(turn, {});
    if (hunk === undefined) return await undo.keep(turn, { path });
    const found = await this.#hunk(turn, path, hunk);
    return found?.open !== undefined && (await undo.keep(turn, { path, hunk: found.open.at }));
  }

  async undo({ turn, path, hunk }: LedgerPart, how: { readonly now?: boolean } = {}): Promise<readonly LedgerUndone[]> {
    await this.#options.workedIn();
    const { undo } = this.#options;
    if (path === undefined) return this.#toldOf(turn, (await undo.undo(turn, how)).files);
    if (hunk !== undefined) {
      await this.#takeUpHunk(turn, path, hunk);
      const open = (await this.#hunk(turn, path, hunk))?.open;
      // The agent, or somebody elsewhere, has gone on meanwhile.
      if (open === undefined) return this.#toldOf(turn, [{ path, outcome: "stale" }]);
      const { files } = await undo.undo(turn, { ...how, path, hunk: open.at, lines: open.lines });
      return this.#toldOf(turn, files);
    }
    for (const one of this.#namesOf(turn, path)) await this.#takeUpAgain(turn, one);
    return this.#toldOf(turn, (await undo.undo(turn, { ...how, path })).files);
  }

  async redo({ turn, path, hunk }: LedgerPart): Promise<readonly LedgerUndone[]> {
    await this.#options.workedIn();
    await this.#options.ledger.refresh();
    if (path !== undefined && hunk !== undefined) return await this.#redoHunk(turn, path, hunk);
    const { book, undo, places } = this.#options;
    const real = path === undefined ? undefined : places.real(path);
    const isStanding = (file: FileRecord): boolean =>
      file.review !== "undone" && (real === undefined || real === file.path);
    const done: UndoneFile[] = [];
    for (const entry of book.all.toReversed()) {
      if (entry.undoes !== turn) continue;
      const meant = Array.from(entry.files.values()).filter(isStanding);
      const named = meant.map((file) => places.named(file.path));
      if (named.length === 0) continue;
      const { files } = await undo.undo(entry.id, { ...(path === undefined ? {} : { path }), now: true });
      done.push(...files.filter((file) => path !== undefined || named.includes(file.path)));
    }
    return this.#toldOf(turn, done);
  }

  async #redoHunk(turn: string, path: string, id: string): Promise<readonly LedgerUndone[]> {
    const { book, undo, ledger, places } = this.#options;
    const hunk = await this.#hunk(turn, path, id);
    for (const entry of hunk?.state === "undone" ? book.all.toReversed() : []) {
      const file = entry.undoes === turn ? entry.files.get(places.real(path)) : undefined;
      const written = file === undefined || file.review === "undone" ? undefined : await ledger.texts(entry.id, path);
      const found =
        written === undefined || hunk === undefined ? undefined : await takenBack(written, hunk, this.#comparing);
      if (found === undefined) continue;
      const { files } = await undo.undo(entry.id, { path, hunk: found.at, lines: found.lines, now: true });
      return this.#toldOf(turn, files);
    }
    return this.#toldOf(turn, [{ path, outcome: "stale" }]);
  }

  async undoSince(since: PromptsSince): Promise<readonly LedgerUndone[]> {
    await this.#options.workedIn();
    await this.#options.ledger.refresh();
    const { undo, places } = this.#options;
    const done: UndoneFile[] = [];
    for (const turn of this.#turnsSince(since)) {
      const meant = standing(turn);
      for (const { path } of meant) await this.#takeUpAgain(turn.id, places.named(path));
      const paths = new Set(meant.map(({ path }) => places.named(path)));
      const { files } = await undo.undo(turn.id, {});
      done.push(...files.filter(({ path }) => paths.has(path)));
    }
    return this.#worstOf(since, done);
  }

  async rehearse(since: PromptsSince): Promise<readonly LedgerUndone[]> {
    await this.#options.workedIn();
    const { platform, ledger, contents, places, undoIn } = this.#options;
    await ledger.refresh();
    const turns = this.#turnsSince(since);
    const keptAgain = new Set<FileRecord>();
    for (const turn of turns) for (const file of standing(turn)) if (await this.#isKeptWhole(file)) keptAgain.add(file);
    const rehearsal = new Rehearsal({
      ledger,
      contents,
      sides: (id, path) => {
        const file = this.#file(id, path);
        return file === undefined || keptAgain.has(file) ? file : (file.undecided ?? file);
      },
      isTakenUpAgain: (id, path) => {
        const file = this.#file(id, path);
        return file !== undefined && keptAgain.has(file);
      },
      facts: async (path) => await platform.files.lstat(places.real(path)),
      list: async (folder) => await platform.files.list(places.real(folder)).catch(() => undefined),
      separator: platform.process.platform === "win32" ? "\\" : "/",
    });
    const undo = undoIn(rehearsal);
    const done: UndoneFile[] = [];
    for (const turn of turns) {
      const paths = new Set(standing(turn).map(({ path }) => places.named(path)));
      const { files } = await undo.undo(turn.id, { now: true });
      done.push(...files.filter(({ path }) => paths.has(path)));
    }
    undo.dispose();
    return this.#worstOf(since, done);
  }

  /** Oldest first. */
  #turnsOf(conversation: string): readonly TurnRecord[] {
    return this.#options.book.all.filter(
      (turn) => turn.conversation !== undefined && turn.session === conversation && turn.undoes === undefined,
    );
  }

  /** Newest first. */
  #turnsSince({ conversation, prompts }: PromptsSince): readonly TurnRecord[] {
    const turns = this.#turnsOf(conversation);
    const first = turns.findIndex((turn) => prompts.includes(turn.conversation?.prompt ?? ""));
    return first === -1 ? [] : turns.slice(first).toReversed();
  }

  #file(turn: string, path: string): FileRecord | undefined {
    const { book, places } = this.#options;
    return book.get(turn)?.files.get(places.real(path));
  }

  #told(turn: string, path: string): TurnFile | undefined {
    const { book, places } = this.#options;
    const record = book.get(turn);
    return record === undefined ? undefined : book.info(record, places).files.find((file) => file.path === path);
  }

  /** Undefined where no text of it is kept, or it is none. */
  async #hunks(turn: string, path: string): Promise<readonly FileHunk[] | undefined> {
    const { book, ledger } = this.#options;
    const whole = await this.texts({ turn, path });
    const undecided = await ledger.texts(turn, path);
    if (whole === undefined || undecided === undefined) return undefined;
    const waiting = (book.get(turn)?.queued ?? []).filter((one) => one.path === undefined || one.path === path);
    const isQueued = (lines: HunkLines): boolean =>
      waiting.some(
        (one) =>
          one.except?.includes(path) !== true &&
          (one.lines === undefined || (one.lines.before === lines.before && one.lines.after === lines.after)),
      );
    return await fileHunks({ whole, undecided, isQueued, how: this.#comparing });
  }

  async #hunk(turn: string, path: string, id: string): Promise<FileHunk | undefined> {
    await this.#options.ledger.refresh();
    return (await this.#hunks(turn, path))?.find((hunk) => hunk.id === id);
  }

  #toldOf(turn: string, files: readonly Pick<UndoneFile, "path" | "outcome">[]): readonly LedgerUndone[] {
    return files.map(({ path, outcome }) => ({ path, outcome, ...this.#whatOf([turn], path) }));
  }

  /** One for each file: several turns may have changed it. */
  #worstOf(since: PromptsSince, files: readonly UndoneFile[]): readonly LedgerUndone[] {
    const turns = this.#turnsSince(since).map(({ id }) => id);
    const found = new Map<string, UndoneFile["outcome"][]>();
    for (const { path, outcome } of files) found.set(path, [...(found.get(path) ?? []), outcome]);
    const told = Array.from(found, ([path, all]) => {
      const worst = all.reduce((one, other) => (outcomes.indexOf(other) > outcomes.indexOf(one) ? other : one));
      const outcome = worst === "conflict" && all.includes("undone") ? ("partly" as const) : worst;
      return { path, outcome, ...this.#whatOf(turns, path) };
    });
    return told.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** What turns, the newest first, did to a file, taken together. */
  #whatOf(turns: readonly string[], path: string): Omit<LedgerUndone, "path" | "outcome"> {
    const told = turns.flatMap((id) => {
      const [info, file] = [this.#told(id, path), this.#file(id, path)];
      return info === undefined || file === undefined ? [] : [{ info, isNew: file.before.kind === "none" }];
    });
    const [newest, oldest] = [told[0], told.at(-1)];
    const movedFrom = told.find(({ info }) => info.movedFrom !== undefined)?.info.movedFrom;
    const isNew = oldest?.isNew === true && movedFrom === undefined;
    const kinds = new Set(told.map(({ info }) => info.kind));
    const kind = kinds.size === 1 ? newest?.info.kind : newest?.info.kind === "deleted" ? "deleted" : undefined;
    return {
      kind: kind ?? (isNew ? "created" : "changed"),
      ...(isNew ? { isNew } : {}),
      ...(movedFrom === undefined ? {} : { movedFrom }),
    };
  }

  /** Turns and files of which an undo still stands. */
  #undone(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const { undoes, files } of this.#options.book.all) {
      if (undoes === undefined) continue;
      for (const { path, review } of files.values()) if (review !== "undone") found.add(`${undoes} ${path}`);
    }
    return found;
  }

  /** Of a file that the turn renamed, both: each has been decided by itself. */
  #namesOf(turn: string, path: string): readonly string[] {
    const { book, places } = this.#options;
    const [record, file] = [book.get(turn), this.#file(turn, path)];
    const from = record === undefined || file === undefined ? undefined : book.renamedFrom(record, file);
    return from === undefined ? [path] : [path, places.named(from.path)];
  }

  /** What the user kept, and now names, is to be decided again. */
  async #takeUpAgain(turn: string, path: string): Promise<void> {
    const { book } = this.#options;
    const [record, file] = [book.get(turn), this.#file(turn, path)];
    if (record === undefined || file === undefined || !(await this.#isKeptWhole(file))) return;
    await book.review(record, file.path, { review: "unreviewed", undecided: undefined });
  }

  /** The same of one hunk. */
  async #takeUpHunk(turn: string, path: string, hunk: string): Promise<void> {
    const { ledger } = this.#options;
    const before = (await this.#hunk(turn, path, hunk))?.takenUp?.();
    const undecided = await ledger.texts(turn, path);
    if (before !== undefined && undecided !== undefined)
      await ledger.review(turn, path, "partly", { before, after: undecided.after });
  }

  /** Of a file that is kept something may have been undone before. */
  async #isKeptWhole({ review, undecided, after }: FileRecord): Promise<boolean> {
    return (
      review === "kept" && undecided !== undefined && (await this.#options.contents.isSame(undecided.before, after))
    );
  }
}

/** What an undo would find there. */
function standing({ files }: TurnRecord): readonly FileRecord[] {
  return Array.from(files.values()).filter(({ review }) => review !== "undone");
}

function revisionOf(what: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(what)).digest("hex").slice(0, 12);
}

/** The worst last. */
const outcomes = ["undone", "queued", "partly", "stale", "conflict", "unsure", "unknown", "failed"] as const;
