/** Line numbers from 1, both included. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** A place in a file; `line` counts from 1. */
export interface Location {
  readonly path: string;
  readonly line?: number;
}

/**
 * A change to a file. `isFragment`: both texts are parts of the file (what some agents send), and where they belong is not known.
 * `before` undefined: a new file. `after` undefined: the file is deleted.
 */
export interface FileChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  readonly isFragment?: boolean;
}

/** What a turn did to the files, by its tools and by commands. */
export interface TurnChanges {
  /** By which its files are asked for. */
  readonly turn: string;
  /** The id of the prompt that began it; absent where that is not known. */
  readonly prompt?: string;
  readonly files: readonly ChangedFile[];
  /** How many more it changed. */
  readonly more: number;
}

export interface ChangedFile {
  readonly path: string;
  /** `mode`: only its permissions; `binary` and `large`: no text of it can be shown. */
  readonly kind: "created" | "changed" | "deleted" | "moved" | "mode" | "link" | "binary" | "large";
  /** Where it stood before. */
  readonly movedFrom?: string;
  /** `exact`: the agent told of the write, or the user accepted it. `unknown`: it may be the user's own change. */
  readonly mark: "exact" | "likely" | "unknown";
  /**
   * `accepted`: in a review. `kept`: afterwards; an undo of the whole turn leaves it alone. `queued`: an undo waits for the end of the
   * agent's turn.
   */
  readonly state: "applied" | "accepted" | "kept" | "undone" | "partly" | "queued";
  /** Absent where no text of it is kept. */
  readonly lines?: { readonly added: number; readonly removed: number };
  /** Something of it was undone, and can be had again. */
  readonly canRedo: boolean;
  /** Why it cannot be undone, for people; absent: it can be tried. */
  readonly obstacle?: string;
  /** There was nothing at the path before, whatever stands there now. */
  readonly isNew?: true;
  /** Its permissions changed, too. */
  readonly hasMode?: true;
  /** The entries of the commands that changed it, where that is known. */
  readonly commands?: readonly string[];
  /** Another one whenever there is something else to see of it (`FileView`). Absent: its hunks cannot be looked at. */
  readonly revision?: string;
}

/** What a turn did to a file, as it is looked at. */
export interface FileView {
  /** Absent: no text of it is kept, or it is none. */
  readonly hunks?: readonly FileHunk[];
  /** Permission bits, where they changed. */
  readonly mode?: { readonly before: number; readonly after: number };
  /** What a link said, on each side that is one. */
  readonly target?: { readonly before?: string; readonly after?: string };
}

/** Some lines of a file that a turn changed, each with its end. */
export interface FileHunk {
  /** By which it is kept, undone and brought back. */
  readonly id: string;
  /** `queued`: an undo waits for the end of the agent's turn. */
  readonly state: "open" | "kept" | "undone" | "queued";
  /** Where its lines began before the turn and as the turn left them, from 0. */
  readonly beforeStart: number;
  readonly afterStart: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Lines around it that the turn left alone. */
  readonly above: readonly string[];
  readonly below: readonly string[];
}

/** What becomes of the files when all turns since a prompt are undone. */
export interface Restoring {
  readonly canRewind: boolean;
  /** Why not, for people. */
  readonly reason?: string;
  readonly files: readonly RestoredFile[];
}

/** A file that the turns since a prompt changed. */
export interface RestoredFile {
  readonly path: string;
  /** What the turns did to it, taken together. */
  readonly kind: ChangedFile["kind"];
  readonly movedFrom?: string;
  /** There was nothing before: it goes to the trash. */
  readonly isNew?: true;
  /** `partly`: lines that the user changed stay. `yours`: it stays, because the user has, or may have, changed it. `lost`: it cannot come back. */
  readonly fate: "back" | "partly" | "yours" | "lost";
  /** Why it does not come back, for people. */
  readonly reason?: string;
}

/** A file that an undo, or a redo, leaves alone, in whole or in part, and why, for people. */
export interface LeftFile {
  readonly path: string;
  readonly reason: string;
}
