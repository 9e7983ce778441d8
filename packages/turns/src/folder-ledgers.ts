import {
  type Disposable,
  Emitter,
  type Event,
  type FileBefore,
  isSecretPath,
  LoadOnce,
  messageOf,
  nullLogger,
  type TurnLedger,
  type TurnNote,
  type TurnSource,
  type TurnWitness,
} from "@patchbay/core";
import { lineHunkSteps } from "@patchbay/core/texts";
import { lateLedger } from "@patchbay/core/turn-ledger";
import { GitReader } from "./git/git-reader.ts";
import { Contents } from "./ledger/contents.ts";
import { StoreHealth } from "./ledger/store-health.ts";
import { type Announced, Observer } from "./ledger/observer.ts";
import { TurnBook } from "./ledger/turn-book.ts";
import { UndoRoom } from "./ledger/undo-room.ts";
import { closedEyes } from "./look/eyes.ts";
import { Places } from "./look/places.ts";
import { WorkspaceEyes } from "./look/workspace-eyes.ts";
import type {
  FolderLedgersOptions,
  LedgerLimits,
  TurnEnd,
  TurnHunk,
  TurnInfo,
  UndoLedger,
  UndoRequest,
  UndoResult,
} from "./model.ts";
import { DiskStore } from "./store/disk-store.ts";
import { CopyShelf } from "./store/copy-shelf.ts";
import { copyShare, textShare, type TurnStore } from "./store/turn-store.ts";
import { Undoing } from "./undo/undoing.ts";

const usualLimits: LedgerLimits = {
  file: 1024 * 1024,
  session: 64 * 1024 * 1024,
  all: 200 * 1024 * 1024,
  age: 30 * 24 * 60 * 60 * 1_000,
};

const usualQuietMs = 30_000;

/** An agent waits no longer for what is to be in hand before it goes on, ms. */
const readyMs = 1_000;

/** Nor than this for what it is about to write to be in the journal: a look may be under way, ms. */
const notedMs = 30;

/** What another window or the command line has written is looked at so long after it, ms. */
const othersMs = 300;

/** What agents changed in the folders of a workspace, turn by turn. */
export class FolderLedgers implements TurnWitness {
  /** For conversations: their own turns. */
  readonly conversations: TurnLedger;
  readonly #options: FolderLedgersOptions;
  readonly #change: Emitter<void> = new Emitter();
  readonly #objects: GitReader;
  readonly #places: Places;
  readonly #contents: Contents;
  readonly #book: TurnBook;
  readonly #observer: Observer;
  readonly #undo: Undoing;
  readonly #room: UndoLedger;
  readonly #store: TurnStore;
  readonly #shelf: CopyShelf;
  readonly #health: StoreHealth;
  /** Of a path with links resolved. */
  readonly #mayKeep: (path: string) => boolean;
  #watching: Disposable | undefined;
  #looksSoon: Disposable | undefined;
  /** What was told is worked in one after the other. */
  // oxlint-disable-next-line patchbay/no-kept-promise -- The end of a chain whose links never reject.
  #tail: Promise<void> = Promise.resolve();
  /** What the agent that was told of last waits for. */
  // oxlint-disable-next-line patchbay/no-kept-promise -- Never rejects.
  #needed: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(options: FolderLedgersOptions) {
    this.#options = options;
    const { platform, folders, storageDirectory, logger = nullLogger } = options;
    const limits = { ...usualLimits, ...options.limits };
    const objects = new GitReader({ platform, logger });
    this.#objects = objects;
    this.#places = new Places(platform, folders);
    const store = new DiskStore({ platform, directory: storageDirectory, room: limits.all, age: limits.age });
    this.#store = store;
    const shelf = new CopyShelf(
      async () => await store.openShelf(),
      () => Math.min(limits.all * copyShare * 2, limits.all * textShare - store.size),
    );
    store.aside = () => shelf.bytes;
    this.#shelf = shelf;
    // Asked here, where every edition, and the command line, comes by: nobody can forget it.
    const mayKeep = (path: string): boolean => {
      const named = this.#places.named(path);
      return !isSecretPath(path) && !isSecretPath(named) && options.mayKeep(named);
    };
    this.#mayKeep = mayKeep;
    this.#health = new StoreHealth({
      clock: platform.clock,
      directory: storageDirectory,
      tellUser: (message) => {
        options.tellUser?.(message).catch((error: unknown) => {
          logger.warn("A message could not be shown", { code: message.code, reason: messageOf(error) });
        });
      },
      retry: () => this.#later(async () => await this.#book.flush()),
    });
    const health = this.#health;
    const contents = new Contents({ platform, logger, health, store, shelf, objects, mayKeep, limits });
    this.#contents = contents;
    const onDidChange = (): void => {
      if (!this.#isOver) this.#change.fire();
    };
    this.#book = new TurnBook({ platform, store, contents, logger, health, onDidChange });
    const openFiles = (): readonly string[] => (options.openFiles?.() ?? []).map((path) => this.#places.real(path));
    const eyes =
      options.looks === false
        ? closedEyes
        : new WorkspaceEyes({ platform, logger, places: this.#places, objects, contents, openFiles });
    const ended = new Emitter<TurnEnd>();
    this.#observer = new Observer({
      clock: platform.clock,
      book: this.#book,
      contents,
      eyes,
      quietMs: options.quietMs ?? usualQuietMs,
      isVisitor: options.looks === false,
      later: (work) => this.#later(work),
      onDidEnd: ({ id }, isHere) => ended.fire({ id, isHere }),
    });
    const room: UndoLedger = new UndoRoom({
      ...options,
      book: this.#book,
      contents,
      observer: this.#observer,
      places: this.#places,
      onDidEnd: ended.event,
      info: (id) => this.#infoOf(id),
    });
    this.#room = room;
    this.#undo = new Undoing(room, platform.clock);
    // Where no panel is open, nobody asks.
    const ofConversations = new LoadOnce(async () => {
      const { ConversationLedger } = await import("./conversations/conversation-ledger.ts");
      const { event: onDidChange } = this.#change;
      const parts = { platform, contents, onDidChange, steps: lineHunkSteps, ledger: room, undo: this.#undo };
      const workedIn = async (): Promise<void> => await this.#workedIn();
      const undoIn = (ledger: UndoLedger): Undoing => new Undoing(ledger, platform.clock);
      return new ConversationLedger({ ...parts, book: this.#book, places: this.#places, workedIn, undoIn });
    });
    this.conversations = lateLedger(async () => await ofConversations.get(), this.#change.event);
    this.#later(async () => {
      await this.#places.load();
      await this.#book.load();
      await this.#observer.resume();
      for (const { id, ended: at, queued } of this.#book.all)
        if (at !== undefined && queued.length > 0) ended.fire({ id, isHere: true });
      this.#watch();
    });
  }

  /** Fires when a turn, or what is known of one, has changed. */
  get onDidChange(): Event<void> {
    return this.#change.event;
  }

  /** Newest first. */
  turns(): readonly TurnInfo[] {
    return this.#book.all.toReversed().map((turn) => this.#book.info(turn, this.#places));
  }

  /**
   * The undo that was made last and still stands, of any turn or of one: undoing it brings back what it took. What brought something
   * back is an undo of an undo, and is not meant.
   */
  lastUndo(turnId?: string): TurnInfo | undefined {
    const isOfTurn = (undoes: string | undefined): boolean =>
      undoes !== undefined && (turnId ?? undoes) === undoes && this.#book.get(undoes)?.undoes === undefined;
    return this.turns().find(
      ({ undoes, files }) => isOfTurn(undoes) && files.some(({ review }) => review !== "undone"),
    );
  }

  turnBegan(source: TurnSource, prompt: string): void {
    this.#later(async () => {
      await this.#observer.began(source, prompt);
      this.#watch();
    });
    this.#needed = this.#tail;
  }

  turnEnded(source: TurnSource): void {
    this.#later(() => this.#observer.ended(source));
    this.#needed = this.#tail;
  }

  /** What the files hold is read at once, whatever is being worked in. */
  aboutToWrite(source: TurnSource, files: readonly FileBefore[]): void {
    const announced = this.#asTheyAre(source, files);
    this.#later(async () => await this.#observer.aboutToWrite(source, await announced));
    const noted = this.#tail;
    // Written down, too, should the editor be killed, unless that takes longer.
    this.#needed = announced.then(async () => await this.#atMost(noted, notedMs));
  }

  aboutToRun(source: TurnSource, _command: string, id?: string): void {
    this.#later(() => this.#observer.aboutToRun(source, id));
    this.#needed = this.#tail;
  }

  wrote(source: TurnSource, id?: string): void {
    this.#later(() => this.#observer.wrote(source, id));
    this.#needed = this.#tail;
  }

  accepted(source: TurnSource, path: string, text: string): void {
    this.#later(() => this.#observer.accepted(source, this.#places.real(path), text));
  }

  async ready(): Promise<void> {
    await this.#atMost(this.#needed, readyMs);
  }

  async #atMost(work: Promise<void>, ms: number): Promise<void> {
    const { clock } = this.#options.platform;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      void work.then(() => {
        timer.dispose();
        resolve();
      });
    });
  }

  async notes({ agent, session }: Pick<TurnSource, "agent" | "session">): Promise<readonly TurnNote[]> {
    let found: readonly TurnNote[] = [];
    this.#later(async () => {
      await this.#room.refresh();
      found = this.#book.all.flatMap((turn) =>
        turn.note !== undefined && turn.agent === agent && turn.session === session
          ? [{ id: turn.id, text: turn.note }]
          : [],
      );
    });
    await this.#atMost(this.#tail, readyMs);
    return found;
  }

  passedOn(ids: readonly string[]): void {
    this.#later(async () => {
      for (const id of ids) {
        const turn = this.#book.get(id);
        if (turn?.note === undefined) continue;
        turn.note = undefined;
        await this.#book.write(turn, { type: "turn", turn });
      }
    });
  }

  /** Whether the agent hears of an undo with its next prompt; `undo`: its entry. */
  isToHear(undo: string): boolean {
    return this.#book.get(undo)?.note !== undefined;
  }

  /** The file as it was, with what was kept since; undefined: there was none, or no text of it is kept. */
  async beforeText(turnId: string, path: string): Promise<string | undefined> {
    return await this.#textOf(turnId, path, "before");
  }

  /** The file as the turn left it, without what was undone since; undefined: there is none, or no text of it is kept. */
  async afterText(turnId: string, path: string): Promise<string | undefined> {
    return await this.#textOf(turnId, path, "after");
  }

  /** False where there is nothing that could be kept. */
  async keep(turnId: string, path?: string, hunk?: TurnHunk): Promise<boolean> {
    await this.#workedIn();
    return await this.#undo.keep(turnId, partOf(path, hunk));
  }

  async undo(turnId: string, request: UndoRequest = {}): Promise<UndoResult> {
    await this.#workedIn();
    return await this.#undo.undo(turnId, request);
  }

  /** Does at once what waits for the end of the turn (`UndoResult.waiting`); undefined where it was carried out already. */
  async undoWaiting(turnId: string, waiting: UndoRequest): Promise<UndoResult | undefined> {
    await this.#workedIn();
    return await this.#undo.undoWaiting(turnId, waiting);
  }

  /** The user typed in a file; as the editor names it. */
  touched(path: string): void {
    this.#observer.touched(this.#places.real(path));
  }

  /** False: something could not be written down; it is known until the editor ends. */
  get isWritten(): boolean {
    return this.#book.isWritten;
  }

  /** Resolves when everything that was told is worked in and on disk, and the verdicts that waited for it are carried out. */
  async settled(): Promise<void> {
    await this.#workedIn();
    this.#later(async () => await this.#book.flush());
    await this.#tail;
    await this.#undo.settled();
  }

  async #workedIn(): Promise<void> {
    let tail: Promise<void>;
    do {
      tail = this.#tail;
      await tail;
      await this.#undo.settled();
    } while (tail !== this.#tail);
  }

  dispose(): void {
    this.#isOver = true;
    this.#watching?.dispose();
    this.#looksSoon?.dispose();
    this.#observer.dispose();
    this.#undo.dispose();
    this.#health.dispose();
    this.#objects.dispose();
    this.#shelf.dispose();
    this.#change.dispose();
  }

  /** Never rejects. */
  async #asTheyAre({ session }: TurnSource, files: readonly FileBefore[]): Promise<readonly Announced[]> {
    await this.#places.load();
    const found = files
      .map((file) => ({ file, path: this.#places.real(file.path) }))
      .filter(({ path }) => this.#places.isInside(path));
    const announced = await Promise.all(
      found.map(async ({ file, path }) => ({
        path,
        before:
          "before" in file
            ? await this.#contents.keep(path, file.before, session)
            : await this.#contents.ofFile(path, session),
      })),
    );
    this.#observer.announce(announced);
    return announced;
  }

  #infoOf(id: string): TurnInfo | undefined {
    const turn = this.#book.get(id);
    return turn === undefined ? undefined : this.#book.info(turn, this.#places);
  }

  async #textOf(turnId: string, path: string, side: "before" | "after"): Promise<string | undefined> {
    await this.#workedIn();
    const real = this.#places.real(path);
    // What git holds of it is read there, and is shown as little as what is kept here.
    return this.#mayKeep(real) ? await this.#book.read(turnId, real, side) : undefined;
  }

  /** Other windows and the command line write into the same journals. */
  #watch(): void {
    if (this.#isOver) return;
    this.#watching ??= this.#store.watch(() => {
      if (this.#isOver || this.#looksSoon !== undefined) return;
      this.#looksSoon = this.#options.platform.clock.setTimeout(() => {
        this.#looksSoon = undefined;
        this.#later(() => this.#room.refresh());
      }, othersMs);
    });
  }

  #later(work: () => Promise<void>): void {
    this.#tail = this.#tail.then(async () => {
      if (this.#isOver) return;
      try {
        await work();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#options.logger?.warn("What an agent did could not be entered", { reason });
      }
    });
  }
}

function partOf(path: string | undefined, hunk: TurnHunk | undefined): { path?: string; hunk?: TurnHunk } {
  return { ...(path === undefined ? {} : { path }), ...(hunk === undefined ? {} : { hunk }) };
}
