import {
  type Clock,
  type Disposable,
  Emitter,
  type Event,
  type Logger,
  type Platform,
  type TurnLedger,
  turnsDirectory,
  type TurnWitness,
} from "@patchbay/core";
import { lateLedger } from "@patchbay/core/turn-ledger";
import {
  createDiskDoor,
  FolderLedgers,
  selectedHunks,
  partsOf,
  type PlacedHunk,
  placedHunks,
  type TurnInfo,
  undecidedFiles,
  type UndoDoor,
  type UndoResult,
} from "@patchbay/turns";
import type { LinesPlace, LinesUndone, ListedTurn, TurnMark, TurnUndone } from "../../common/protocol.ts";
import type { WorkspaceHost } from "../workspace-host.ts";

/** More turns are not listed; older ones are in the ledger all the same. */
const mostTurns = 30;

/** More files of a turn are not listed one by one. */
const mostFiles = 200;

/** More changes of a file are not marked. */
const mostMarks = 2_000;

/** How often windows are told that the list has changed at most, ms. */
const tellsEveryMs = 200;

export interface WorkspaceTurnsOptions {
  readonly host: WorkspaceHost;
  readonly platform: Platform;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether a copy of a file may be kept. */
  readonly mayKeep: (path: string) => boolean;
}

/** What agents changed in the folders of a workspace. The ledger is opened with the first word of an agent, or with turns of an earlier run. */
export class WorkspaceTurns implements Disposable {
  readonly witness: TurnWitness;
  /** What conversations changed. */
  readonly ledger: TurnLedger;
  /** Whether the user wants the list. What is noted stays where it is. */
  isOn = true;
  readonly #options: WorkspaceTurnsOptions;
  readonly #changed: Emitter<void> = new Emitter();
  readonly #ledgerChanged: Emitter<void> = new Emitter();
  readonly #following: readonly Disposable[];
  #ledgers: FolderLedgers | undefined;
  #due: Disposable | undefined;
  #isOver = false;
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: WorkspaceTurnsOptions) {
    this.#options = options;
    const { workspace, documents } = options.host;
    this.witness = {
      turnBegan: (...told) => this.#open()?.turnBegan(...told),
      turnEnded: (...told) => this.#open()?.turnEnded(...told),
      aboutToWrite: (...told) => this.#open()?.aboutToWrite(...told),
      aboutToRun: (...told) => this.#open()?.aboutToRun(...told),
      wrote: (...told) => this.#open()?.wrote(...told),
      accepted: (...told) => this.#open()?.accepted(...told),
      ready: async () => await this.#open()?.ready(),
      notes: async (source) => (await this.#open()?.notes(source)) ?? [],
      passedOn: (ids) => this.#open()?.passedOn(ids),
    };
    this.ledger = lateLedger(async () => {
      await this.wake();
      return this.isOn ? this.#ledgers?.conversations : undefined;
    }, this.#ledgerChanged.event);
    const reopen = (): void => void this.#reopen();
    const following = [workspace.onDidChangeFolders(reopen)];
    const unsaved = documents.onDidChangeUnsaved?.(({ path }) => {
      // What is saved, or read anew from the disk, is nobody's typing.
      if (documents.isDirty(path) !== false) this.#ledgers?.touched(path);
    });
    if (unsaved !== undefined) following.push(unsaved);
    this.#following = following;
  }

  /** Shows what an earlier run left to be reviewed. Never rejects. */
  async wake(): Promise<void> {
    const { files } = this.#options.platform;
    const found = await files.lstat(this.#directory()).catch(() => undefined);
    if (found !== undefined) this.#open();
  }

  /** What is not decided, newest first, without the files that are. */
  list(): readonly ListedTurn[] {
    if (!this.isOn) return [];
    const open = (this.#ledgers?.turns() ?? []).flatMap((turn) => listed(turn) ?? []);
    return open.slice(0, mostTurns);
  }

  async keep(turn: string, path: string | undefined): Promise<boolean> {
    return (await this.#open()?.keep(turn, path)) ?? false;
  }

  /** What is marked in a file as a window holds it. */
  async marksIn(path: string, text: string): Promise<readonly TurnMark[]> {
    return (await this.#placed(path, text)).slice(0, mostMarks).map(markOf);
  }

  /** See `PatchbayServer.decideLines`. */
  async decideLines(
    verdict: "keep" | "undo",
    { path, text, first, last, isSelected }: LinesPlace,
  ): Promise<readonly LinesUndone[] | undefined> {
    const hunks = selectedHunks(await this.#placed(path, text), first, last, isSelected);
    if (hunks.length === 0) return undefined;
    const done: LinesUndone[] = [];
    for (const { turn, part } of partsOf(path, hunks)) {
      if (verdict === "keep") await this.#ledgers?.keep(turn.id, path, part.hunk);
      else {
        const result = await this.undo(turn.id, part);
        if (result !== undefined) done.push({ of: turn.id, result });
      }
    }
    return done;
  }

  async undo(turn: string, request: Parameters<FolderLedgers["undo"]>[1]): Promise<TurnUndone | undefined> {
    const ledgers = this.#open();
    return ledgers === undefined ? undefined : undone(ledgers, await ledgers.undo(turn, request));
  }

  /** Undefined where it was carried out already. */
  async undoWaiting(
    turn: string,
    request: Parameters<FolderLedgers["undoWaiting"]>[1],
  ): Promise<TurnUndone | undefined> {
    const ledgers = this.#open();
    const result = await ledgers?.undoWaiting(turn, request);
    return ledgers === undefined || result === undefined ? undefined : undone(ledgers, result);
  }

  /** Takes the last undo back; undefined where there is none. */
  async bringBack(): Promise<TurnUndone | undefined> {
    const last = this.#open()?.lastUndo();
    return last === undefined ? undefined : await this.undo(last.id, { now: true });
  }

  /** The file as it was before a turn; undefined: there was none, or no text of it is kept. */
  async beforeText(turn: string, path: string): Promise<string | undefined> {
    return await this.#open()?.beforeText(turn, path);
  }

  /** What was told is on disk then. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#ledgers?.settled();
    this.dispose();
  }

  dispose(): void {
    this.#isOver = true;
    for (const one of this.#following) one.dispose();
    this.#due?.dispose();
    this.#ledgers?.dispose();
  }

  async #placed(path: string, text: string): Promise<readonly PlacedHunk[]> {
    const ledgers = this.isOn ? this.#ledgers : undefined;
    const held = { path, lines: linesOf(text), linesOf };
    return ledgers === undefined ? [] : await placedHunks(ledgers, held, this.#options.clock);
  }

  #open(): FolderLedgers | undefined {
    const { host, platform, logger, mayKeep } = this.#options;
    const folders = host.workspace.folders();
    if (this.#isOver || !this.isOn || folders.length === 0) return undefined;
    if (this.#ledgers !== undefined) return this.#ledgers;
    const ledgers = new FolderLedgers({
      platform,
      logger,
      storageDirectory: this.#directory(),
      folders,
      mayKeep,
      openFiles: () => host.editors.openFiles(),
      door: this.#door(folders),
      tellUser: async (message) => await host.messages.show(message),
    });
    this.#ledgers = ledgers;
    ledgers.onDidChange(() => {
      this.#ledgerChanged.fire();
      this.#tellSoon();
    });
    return ledgers;
  }

  async #reopen(): Promise<void> {
    const old = this.#ledgers;
    this.#ledgers = undefined;
    await old?.settled();
    old?.dispose();
    await this.wake();
    this.#ledgerChanged.fire();
    this.#tellSoon();
  }

  #tellSoon(): void {
    if (this.#isOver) return;
    this.#due ??= this.#options.clock.setTimeout(() => {
      this.#due = undefined;
      this.#changed.fire();
    }, tellsEveryMs);
  }

  #directory(): string {
    const { host, platform } = this.#options;
    return turnsDirectory(platform, host.workspace.folders());
  }

  /** The user's files: in the window that has unsaved text of them, else byte for byte on disk. */
  #door(folders: readonly string[]): UndoDoor {
    const { host, platform } = this.#options;
    const disk = createDiskDoor({ platform, folders });
    return {
      ...disk,
      unsavedText: async (path) => (await host.unsavedIn(path))?.text,
      replace: async (path, heldText, text, mode) => {
        const found = await host.unsavedIn(path);
        if (found === undefined) return await disk.replace(path, heldText, text, mode);
        if (heldText === undefined) return "stale";
        return await found.window.call((client) => client.writeDocument(path, heldText, text)).catch(() => "stale");
      },
      remove: async (path) => (await host.unsavedIn(path)) === undefined && (await disk.remove(path)),
    };
  }
}

/** Where lines were removed, the line above is marked; at the top the first one. */
function markOf({ start, end, kind }: PlacedHunk): TurnMark {
  const first = kind === "delete" ? Math.max(start, 1) : start + 1;
  return { kind, first, last: Math.max(first, end) };
}

/** As Theia's editors count lines: what follows the last line end is a line only if it holds something. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/u);
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Undefined where nothing of it is to be decided. An undo is brought back by its own command. */
function listed(turn: TurnInfo): ListedTurn | undefined {
  const undecided = undecidedFiles(turn);
  if (undecided.length === 0) return undefined;
  const sum = (side: "added" | "removed"): number =>
    undecided.reduce((count, { lines }) => count + (lines?.[side] ?? 0), 0);
  return {
    ...turn,
    files: undecided.slice(0, mostFiles),
    undecided: undecided.length,
    lines: { added: sum("added"), removed: sum("removed") },
  };
}

function undone(ledgers: FolderLedgers, result: UndoResult): TurnUndone {
  const { turn } = result;
  return { ...result, isTold: turn !== undefined && ledgers.isToHear(turn) };
}
