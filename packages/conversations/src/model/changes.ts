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
}

/** A file that an undo, or a redo, leaves alone, in whole or in part, and why, for people. */
export interface LeftFile {
  readonly path: string;
  readonly reason: string;
}
