import type { FileFacts, HostMessage, Logger, Platform } from "@patchbay/core";

/** What a turn of an agent changed. */
export interface TurnInfo {
  readonly id: string;
  /** By which users name it. It counts up and never becomes another turn's while this one is known. */
  readonly number: number;
  /**
   * The agents that worked in it, by name: more than one where two worked at the same time and nobody can tell which one wrote. A second
   * session of the same agent has what it was asked behind its name.
   */
  readonly agents: readonly string[];
  /** Id of the first agent, e.g. `claude`. */
  readonly agent: string;
  /** The agent's own name for its session. */
  readonly session: string;
  /** The first line of the prompt; empty where it is not known. */
  readonly prompt: string;
  /** Unix milliseconds. */
  readonly began: number;
  /** Undefined while the agent works. Never before `began`, whatever the clock does. */
  readonly ended: number | undefined;
  /** `exact`: the agent told where the turn begins and ends; `estimated`: from its first write until it was quiet. */
  readonly border: "exact" | "estimated";
  /** An undo of this turn: it is an entry like any other, and can be undone. */
  readonly undoes: string | undefined;
  /** Another commit was checked out meanwhile: what that changed is not listed. */
  readonly headMoved: boolean;
  /**
   * What git itself did meanwhile, whoever asked it to, by its own words (`commit`, `checkout`, `rebase`, `stash` …); `index`: something else
   * is staged. No undo takes it back. Not there where it did nothing of the kind.
   */
  readonly git?: readonly string[];
  /** Not all files could be looked at: there are too many, or git did not answer. Of others than the open ones only what the agent told of is known. */
  readonly isPartial: boolean;
  /** By path. */
  readonly files: readonly TurnFile[];
}

export interface TurnFile {
  /** Absolute, in the folder as the editor names it. */
  readonly path: string;
  /** `mode`: only its permissions; `link`: a link that was made or changed; `binary` and `large`: no text of it can be shown. */
  readonly kind: "created" | "changed" | "deleted" | "mode" | "link" | "binary" | "large";
  /**
   * `exact`: the agent told of the write before, or the user accepted it. `likely`: it changed while a command of the agent ran, before the
   * agent said that it wrote something, or while one worked that tells of neither, and the user did not type in it. `unknown`: the user
   * did, or there was nothing of the kind.
   */
  readonly attribution: "exact" | "likely" | "unknown";
  readonly review: FileReview;
  /** Lines that came and went; undefined where no text is kept. */
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
  /**
   * Why an undo cannot bring back what it was before; not there where it can. `large`: over the limit, and git does not have it.
   * `withheld`: no copy of it may be kept. `failed`: the copy could not be written. `unread`: nobody could read it in time.
   * `special`: a folder, a pipe or a device.
   */
  readonly cannotUndo?: "large" | "withheld" | "failed" | "unread" | "special";
  /** Permission bits, where they changed. */
  readonly mode?: { readonly before: number; readonly after: number };
  /** What a link said, on each side that is one. */
  readonly target?: { readonly before?: string; readonly after?: string };
  /**
   * Where it stood before, named as `path`: the turn renamed it, as it was or nearly. Lines and texts are told against what it was there,
   * and both names are kept or undone together.
   */
  readonly movedFrom?: string;
}

/** `queued`: an undo waits until the agent's turn has ended. */
export type FileReview = "unreviewed" | "kept" | "undone" | "partly" | "queued";

/** Lines from 0, the end not included, on the right: in `afterText`. */
export interface TurnHunk {
  readonly start: number;
  readonly end: number;
  /** Of lines that were added only these are meant, not their whole hunk: a file that the turn created is one hunk. */
  readonly isPart?: true;
}

/** What is to be kept or undone: all of a turn, one file of it, or one hunk of that. */
export interface TurnPart {
  readonly path?: string;
  readonly hunk?: TurnHunk;
}

export interface UndoRequest extends TurnPart {
  /** Also while an agent works. Default: it waits until the turn has ended. */
  readonly now?: boolean;
  /** What the agent is told. */
  readonly reason?: string;
  /** Without a path: also files that the user may have changed (`unknown`). Default: these are left alone. */
  readonly unsure?: boolean;
  /** Files of a queued undo that were kept meanwhile: they are left out of it. */
  readonly except?: readonly string[];
  /** The lines of the hunk of a queued undo, by which it is found again: the agent goes on and moves them. */
  readonly lines?: HunkLines;
}

/** What a hunk replaces, and by what. */
export interface HunkLines {
  readonly before: string;
  readonly after: string;
}

export interface UndoResult {
  readonly files: readonly UndoneFile[];
  /** The entry that this undo is, for another undo; undefined where nothing was written. */
  readonly turn: string | undefined;
  /** The request as it waits for the end of the turn, for `FolderLedgers.undoWaiting`; not there where nothing waits. */
  readonly waiting?: UndoRequest;
}

export interface UndoneFile {
  readonly path: string;
  /**
   * `partly`: lines that changed since were left alone. `conflict`: all of them had. `stale`: the file changed while it was written.
   * `unknown`: nobody kept what it was before. `failed`: it could not be written. `unsure`: it may be the user's own change, and was not
   * named.
   */
  readonly outcome: "undone" | "partly" | "conflict" | "queued" | "stale" | "unknown" | "failed" | "unsure";
  /** Hunks that were left alone. */
  readonly conflicts: number;
}

/** PORT: the way to the files of the user, by an editor or without one. Paths are as in `TurnFile`. */
export interface UndoDoor {
  /** What the editor shows of a file that is not saved; undefined: the disk has it all. */
  unsavedText(path: string): Promise<string | undefined>;
  /**
   * Writes if the file, or its unsaved text, still holds `heldText` at that moment; undefined: there is no file. `mode`: permission bits
   * of a file that is made; one that is there keeps its own.
   */
  replace(path: string, heldText: string | undefined, text: string, mode?: number): Promise<"written" | "stale">;
  /** To the trash: a file, or a link itself. False where that cannot be. */
  remove(path: string): Promise<boolean>;
  /** Puts a whole file or link in the place of what was `held`; `stale` where it is anything else by now. */
  restore(path: string, held: FileFacts | undefined, wanted: WholeFile): Promise<"written" | "stale">;
  /** Removes a folder in which nothing is left. */
  removeEmpty(folder: string): Promise<void>;
}

/** What stands at a path, as it is put back: to the byte. */
export type WholeFile =
  /** `bytes` undefined: what it holds stays. `mode`: its permission bits; undefined: those stay, too. */
  | { readonly kind: "file"; readonly bytes: Uint8Array | undefined; readonly mode: number | undefined }
  /** Never followed, wherever it leads. */
  | { readonly kind: "link"; readonly target: string };

/** One file of a turn as it is undone at once, because it is no text or is no longer one. */
export interface WholeChange {
  /** What stands there now: as the turn left it, as it was before, or neither. */
  readonly now: "after" | "before" | "else";
  /** For the door: by this it knows that nothing has come in between. */
  readonly held: FileFacts | undefined;
  /** What is to be put back; `none`: there was nothing. Undefined: it cannot be read again. */
  readonly wanted: WholeFile | "none" | undefined;
}

/** What an undo did, for whoever tells the agent. */
export interface UndoNotice {
  /** The turn that was undone. */
  readonly turn: TurnInfo;
  readonly result: UndoResult;
  readonly reason: string | undefined;
}

export interface FolderLedgersOptions {
  readonly platform: Platform;
  readonly logger?: Logger;
  /** Private: what is made there is 0600 and 0700. Made with its first entry. */
  readonly storageDirectory: string;
  /** The workspace's folders, absolute, as the editor names them. */
  readonly folders: readonly string[];
  /**
   * Whether a copy of a file may be kept, as far as the user says so (`Companion.mayName`); false: it is named, and no text of it is
   * kept. Of files that hold secrets by convention none is, whatever this says.
   */
  readonly mayKeep: (path: string) => boolean;
  /** Files that are open in the editor: these are looked at in any case. */
  readonly openFiles?: () => readonly string[];
  readonly door: UndoDoor;
  /** Shows the user that the storage cannot be written: once for each time that it breaks. Default: the log alone hears of it. */
  readonly tellUser?: (message: HostMessage) => Promise<unknown>;
  /** False: somebody who only reads and decides, as the command line does; nothing is looked at for the agents that work. */
  readonly looks?: boolean;
  /** How long an agent without hooks is quiet when its turn counts as ended, ms. Default: 30 s. */
  readonly quietMs?: number;
  readonly limits?: Partial<LedgerLimits>;
}

/** What is kept at most, in bytes of UTF-8 but for the last. */
export interface LedgerLimits {
  /** A larger text is named, not kept. */
  readonly file: number;
  readonly session: number;
  readonly all: number;
  /** Older turns go, ms; the newest ones stay whatever the clock says. */
  readonly age: number;
}

/** The two sides of one change, as far as they are not decided: a hunk that was kept is on both, one that was undone on neither. */
export interface TurnTexts {
  /** Undefined: there was no file. */
  readonly before: string | undefined;
  /** Undefined: there is no file. */
  readonly after: string | undefined;
  /** Permission bits of a file that is gone, where they are known. */
  readonly goneMode?: number;
}

/** A turn has ended. */
export interface TurnEnd {
  readonly id: string;
  /** False: another window has heard of it, and carries out what waits for it. */
  readonly isHere: boolean;
}

/** What an undo writes, one file after the other. A process that is killed in the middle leaves it such that it can be undone. */
export interface UndoEntry {
  /** A file is about to be written, or removed; `now`: what it holds, undefined: there is none. Kept when it resolves. */
  aboutTo(path: string, now: string | undefined): Promise<void>;
  /** What became of it; undefined: it was left alone after all. */
  settle(path: string, wrote: Pick<TurnTexts, "before" | "after"> | undefined): Promise<void>;
  /** The same of what is on disk, text or not. False: no copy of it may, or can, be kept. */
  aboutToTake(path: string): Promise<boolean>;
  settleTaken(path: string): Promise<void>;
  /** What was put back at a path is what was taken away at another one. */
  renamed(path: string, from: string): Promise<void>;
  /** Resolves with its id; undefined where nothing was written. */
  end(): Promise<string | undefined>;
}

/** What keeping and undoing needs of the ledger. Paths are as in `TurnFile`. */
export interface UndoLedger {
  readonly door: UndoDoor;
  turn(id: string): TurnInfo | undefined;
  /** Undefined where no text is kept, or there is no such file in the turn. */
  texts(id: string, path: string): Promise<TurnTexts | undefined>;
  /** The file on disk; `text` undefined: there is none. Undefined: it is no text, too large, or no file of the folder. */
  textOnDisk(path: string): Promise<{ readonly text: string | undefined } | undefined>;
  /** What stands at one path, as a whole; undefined where the turn did nothing there. `isTakenUpAgain`: as if nothing of it was decided. */
  whole(id: string, path: string, isTakenUpAgain?: boolean): Promise<WholeChange | undefined>;
  /** All of a file is undone. */
  undidWhole(id: string, path: string): Promise<void>;
  /** All of a file is kept, text or not, under both its names. */
  keptWhole(id: string, path: string): Promise<void>;
  /** Whether the user has kept all of it, not by accepting it in a review: then an undo of the whole turn leaves it alone. */
  isKept(id: string, path: string): boolean;
  /** An undo of an undo has put back what the turn had left: it is to be reviewed again. */
  broughtBack(id: string, path: string, isOnlyMode: boolean): Promise<void>;
  /** Permission bits of a file that is there, where the turn changed them. */
  modes(id: string, path: string): { readonly before: number; readonly after: number } | undefined;
  /** Whether the turn made the file, and the folders it made for it. */
  made(id: string, path: string): { readonly isNew: boolean; readonly folders: readonly string[] };
  /** What was decided of a file, under both its names, and what is undecided since. Kept when it resolves. */
  review(id: string, path: string, review: FileReview, undecided?: TurnTexts): Promise<void>;
  /** Verdicts that wait for the end of a turn, in order; as they were given to `queue`. Survive a restart. */
  queued(id: string): readonly UndoRequest[];
  queue(id: string, requests: readonly UndoRequest[]): Promise<void>;
  /** An undo as an entry of its own. Nothing is noted before something is about to be written. */
  openEntry(undoes: string): UndoEntry;
  /** Whether an agent works that an undo of this turn would disturb: its own, or one that changed a file of it. */
  isWorking(id: string): boolean;
  /** Calls back with each turn that has ended, also those that ended in an earlier run and have verdicts waiting. */
  onDidEnd(listener: (end: TurnEnd) => void): { dispose(): void };
  /** Notes what the agent is to hear of it. Kept when it resolves. */
  undid(notice: UndoNotice): Promise<void>;
  /** Takes over what other windows and the command line have decided. */
  refresh(): Promise<void>;
}
