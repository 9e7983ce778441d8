import type { Disposable, Event, FileFacts, Platform } from "@patchbay/core";
import type {
  FileReview,
  FolderLedgersOptions,
  TurnEnd,
  TurnInfo,
  TurnTexts,
  UndoDoor,
  UndoEntry,
  UndoLedger,
  UndoNotice,
  UndoRequest,
  WholeChange,
  WholeFile,
} from "../model.ts";
import type { Places } from "../look/places.ts";
import type { Contents } from "./contents.ts";
import type { Observer } from "./observer.ts";
import { type Content, type FileRecord, goneModeOf, noFile, type TurnRecord } from "./records.ts";
import { renamedFrom, sidesOf } from "./renames.ts";
import type { TurnBook } from "./turn-book.ts";

export interface UndoRoomOptions extends Pick<FolderLedgersOptions, "door"> {
  readonly platform: Platform;
  readonly book: TurnBook;
  readonly contents: Contents;
  readonly observer: Observer;
  readonly places: Places;
  readonly onDidEnd: Event<TurnEnd>;
  readonly info: (id: string) => TurnInfo | undefined;
}

type Sides = Pick<FileRecord, "before" | "after">;

/** The ledger as keeping and undoing sees it. */
export class UndoRoom implements UndoLedger {
  readonly #options: UndoRoomOptions;

  constructor(options: UndoRoomOptions) {
    this.#options = options;
  }

  get door(): UndoDoor {
    return this.#options.door;
  }

  turn(id: string): TurnInfo | undefined {
    return this.#options.info(id);
  }

  async texts(id: string, path: string): Promise<TurnTexts | undefined> {
    const { book, places, contents } = this.#options;
    const turn = book.get(id);
    const file = turn?.files.get(places.real(path));
    if (turn === undefined || file === undefined) return undefined;
    const sides = sidesOf(turn, file);
    const [before, after] = await Promise.all([contents.read(sides.before), contents.read(sides.after)]);
    if (before === undefined && sides.before.kind !== "none") return undefined;
    if (after === undefined && sides.after.kind !== "none") return undefined;
    const goneMode = goneModeOf(file);
    return { before, after, ...(goneMode === undefined ? {} : { goneMode }) };
  }

  async textOnDisk(path: string): Promise<{ readonly text: string | undefined } | undefined> {
    return await this.#options.contents.textNow(this.#options.places.real(path));
  }

  async review(id: string, path: string, review: FileReview, undecided?: TurnTexts): Promise<void> {
    const { book, places } = this.#options;
    const turn = book.get(id);
    if (turn === undefined) return;
    const real = places.real(path);
    const sides =
      undecided === undefined
        ? undefined
        : { before: await this.#keep(real, undecided.before), after: await this.#keep(real, undecided.after) };
    const file = turn.files.get(real);
    if (file === undefined) return;
    const from = renamedFrom(turn, file);
    // Undos that were all taken back leave nothing decided.
    const isOpen = review === "partly" && (await this.#isAllOf({ ...file, before: (from ?? file).before }, sides));
    const change = isOpen ? ({ review: "unreviewed", undecided: undefined } as const) : { review, undecided: sides };
    if (from === undefined) return await book.review(turn, real, change);
    const left = change.undecided;
    // Each name has the side on which something stands there.
    await book.review(turn, from.path, { ...change, undecided: left && { ...left, after: noFile } });
    await book.review(turn, real, { ...change, undecided: left && { ...left, before: noFile } });
  }

  async #isAllOf({ before, after }: Sides, undecided: Sides | undefined): Promise<boolean> {
    const { contents } = this.#options;
    if (undecided === undefined || !(await contents.isSame(undecided.before, before))) return false;
    return await contents.isSame(undecided.after, after);
  }

  async whole(id: string, path: string, isTakenUpAgain = false): Promise<WholeChange | undefined> {
    const { platform, contents, places } = this.#options;
    const file = this.#file(id, path);
    if (file === undefined) return undefined;
    const { before, after } = isTakenUpAgain ? file : (file.undecided ?? file);
    const real = places.real(path);
    const held = await platform.files.lstat(real);
    if (file.mode !== undefined && (await contents.isSame(before, after))) {
      const now = held?.mode === file.mode.after ? "after" : held?.mode === file.mode.before ? "before" : "else";
      return { now, held, wanted: { kind: "file", bytes: undefined, mode: file.mode.before } };
    }
    const found = await contents.ofTaken(real);
    const isLeft =
      (await contents.isSame(found, after)) ||
      // A large one was told by its size and times.
      (after.kind === "named" && (await contents.isSame(await contents.ofFile(real, "undo"), after)));
    const now = isLeft ? "after" : (await contents.isSame(found, before)) ? "before" : "else";
    return { now, held, wanted: await this.#wanted(before, file, held) };
  }

  async #wanted(
    before: Content,
    file: FileRecord,
    held: FileFacts | undefined,
  ): Promise<WholeFile | "none" | undefined> {
    if (before.kind === "none") return "none";
    if (before.kind === "link") return before;
    const bytes = await this.#options.contents.bytes(before);
    if (bytes === undefined) return undefined;
    const { mode } = file;
    const changed = mode !== undefined && held?.mode === mode.after ? mode.before : undefined;
    return { kind: "file", bytes, mode: held === undefined ? goneModeOf(file) : changed };
  }

  async undidWhole(id: string, path: string): Promise<void> {
    const { book, places } = this.#options;
    const turn = book.get(id);
    const file = this.#file(id, path);
    if (turn === undefined || file === undefined) return;
    const { before } = file.undecided ?? file;
    await book.review(turn, places.real(path), { review: "undone", undecided: { before, after: before } });
  }

  async keptWhole(id: string, path: string): Promise<void> {
    const { book } = this.#options;
    const turn = book.get(id);
    const file = this.#file(id, path);
    if (turn === undefined || file === undefined) return;
    for (const one of [renamedFrom(turn, file), file]) {
      if (one === undefined) continue;
      const { after } = one;
      await book.review(turn, one.path, { review: "kept", undecided: { before: after, after } });
    }
  }

  isKept(id: string, path: string): boolean {
    const file = this.#file(id, path);
    return file?.review === "kept" && file.undecided !== undefined;
  }

  async broughtBack(id: string, path: string, isOnlyMode: boolean): Promise<void> {
    const { book, contents, places } = this.#options;
    const turn = book.get(id);
    const file = this.#file(id, path);
    if (turn === undefined || file === undefined) return;
    const real = places.real(path);
    const { before, after } = file;
    const now = isOnlyMode ? before : await contents.ofTaken(real);
    const isAll = await contents.isSame(now, after);
    // What somebody has written since is not what came back. A large one was told by its times, which are new.
    if (!isAll && (isOnlyMode || after.kind !== "named")) return;
    await book.review(turn, real, { review: "unreviewed", undecided: isAll ? undefined : { before, after: now } });
  }

  modes(id: string, path: string): FileRecord["mode"] {
    return this.#file(id, path)?.mode;
  }

  made(id: string, path: string): { readonly isNew: boolean; readonly folders: readonly string[] } {
    const { places } = this.#options;
    const file = this.#file(id, path);
    const folders = (file?.madeFolders ?? []).filter((folder) => places.isInside(folder));
    return { isNew: file?.before.kind === "none", folders: folders.map((folder) => places.named(folder)) };
  }

  #file(id: string, path: string): FileRecord | undefined {
    return this.#options.book.get(id)?.files.get(this.#options.places.real(path));
  }

  queued(id: string): readonly UndoRequest[] {
    return this.#options.book.get(id)?.queued ?? [];
  }

  async queue(id: string, requests: readonly UndoRequest[]): Promise<void> {
    const { book } = this.#options;
    const turn = book.get(id);
    if (turn === undefined) return;
    turn.queued = requests;
    await book.write(turn, { type: "queue", queued: requests });
  }

  openEntry(undoes: string): UndoEntry {
    const { book, places, observer, contents, platform } = this.#options;
    const found = new Map<string, FileFacts | undefined>();
    let turn: TurnRecord | undefined;
    const opened = async (): Promise<TurnRecord> => {
      if (turn !== undefined) return turn;
      const undone = book.get(undoes);
      turn = await book.open({
        agent: undone?.agent ?? "",
        session: undone?.session ?? "",
        conversation: undefined,
        folder: undone?.folder,
        border: "exact",
        undoes,
        prompt: undone?.prompt ?? "",
        agents: undone?.agents ?? [],
      });
      return turn;
    };
    const pend = async (real: string, before: Content): Promise<void> => {
      found.set(real, await platform.files.lstat(real));
      const entry = await opened();
      entry.pending.set(real, before);
      await book.write(entry, { type: "pending", path: real, before });
    };
    const enter = async (real: string, before: Content, after: Content): Promise<void> => {
      if (turn === undefined) return;
      const [was, is] = [found.get(real), await platform.files.lstat(real)];
      const hasMode = was?.kind === "file" && is?.kind === "file" && was.mode !== is.mode;
      const mode = hasMode ? { before: was.mode, after: is.mode } : undefined;
      const goneMode = is === undefined ? was?.mode : undefined;
      await book.enter(turn, { path: real, before, after, mode, goneMode, attribution: "exact" });
      await observer.undid(real, before, after);
    };
    const settled = async (real: string): Promise<void> => {
      if (turn?.pending.delete(real) === true) await book.write(turn, { type: "settled" });
    };
    return {
      aboutTo: async (path, now) => {
        const real = places.real(path);
        await pend(real, await this.#keep(real, now));
      },
      settle: async (path, wrote) => {
        const real = places.real(path);
        if (wrote !== undefined)
          await enter(real, await this.#keep(real, wrote.before), await this.#keep(real, wrote.after));
        await settled(real);
      },
      aboutToTake: async (path) => {
        const real = places.real(path);
        const held = await contents.ofTaken(real);
        await pend(real, held);
        return held.kind !== "named";
      },
      settleTaken: async (path) => {
        const real = places.real(path);
        const before = turn?.pending.get(real);
        const after = await contents.ofTaken(real);
        const isMode = found.get(real)?.mode !== (await platform.files.lstat(real))?.mode;
        if (before !== undefined && (isMode || !(await contents.isSame(before, after))))
          await enter(real, before, after);
        await settled(real);
      },
      renamed: async (path, from) => {
        if (turn !== undefined) await book.renamed(turn, places.real(path), places.real(from));
      },
      end: async () => {
        if (turn === undefined) return undefined;
        await book.end(turn);
        return turn.files.size === 0 ? undefined : turn.id;
      },
    };
  }

  isWorking(id: string): boolean {
    const { book, observer } = this.#options;
    const turn = book.get(id);
    return observer.open.some(
      (one) =>
        (one.agent === turn?.agent && one.session === turn.session) ||
        Array.from(one.files.keys()).some((path) => turn?.files.has(path) === true),
    );
  }

  onDidEnd(listener: (end: TurnEnd) => void): Disposable {
    return this.#options.onDidEnd(listener);
  }

  async undid(notice: UndoNotice): Promise<void> {
    const { book, places } = this.#options;
    const entry = notice.result.turn === undefined ? undefined : book.get(notice.result.turn);
    // A guessed turn is one of a session that no prompt is told of.
    if (entry !== undefined && notice.turn.border === "exact") {
      entry.note = toldOfUndo(notice, (path) => places.shown(path));
      await book.write(entry, { type: "turn", turn: entry });
    }
  }

  async refresh(): Promise<void> {
    const { book, observer } = this.#options;
    await book.refresh((id) => observer.isHeard(id));
    await observer.followOthers();
  }

  /** On nobody's account: an undo that could not be undone would be worse than a full store. */
  async #keep(path: string, text: string | undefined): Promise<Content> {
    return await this.#options.contents.keep(path, text, "undo");
  }
}

/** More files are counted. */
const mostFiles = 20;

/**
 * What the agent is told of an undo, so that it does not build on what is gone. `shown`: a path as the agent knows it. Undefined
 * where nothing was written.
 */
export function toldOfUndo({ turn, result, reason }: UndoNotice, shown: (path: string) => string): string | undefined {
  const undone = result.files.filter(({ outcome }) => outcome === "undone" || outcome === "partly");
  if (undone.length === 0) return undefined;
  const named = undone
    .slice(0, mostFiles)
    .map(({ path, outcome }) => (outcome === "partly" ? `${shown(path)} (in part)` : shown(path)));
  const more = undone.length > mostFiles ? [`${undone.length - mostFiles} more`] : [];
  const [what, where] =
    turn.undoes === undefined ? ["took back", "changes of yours in"] : ["brought back", "changes in"];
  const said = reason?.trim() ?? "";
  const asked = said === "" ? "" : ` They say: ${said}`;
  return `The user reviewed what you did and ${what} ${where} ${[...named, ...more].join(", ")}. Read these files again before you go on with them, and do not change them back unless the user asks for it.${asked}`;
}
