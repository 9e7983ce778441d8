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

/** What a turn did to the files. Effects of shell commands are not among it, and stay when it is undone. */
export interface TurnChanges {
  /** The id of the prompt that began the turn. */
  readonly turn: string;
  readonly files: readonly ChangedFile[];
  /** A shell command ran in this turn: what it did is not known, and is not undone. */
  readonly ranCommands: boolean;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: "created" | "changed" | "deleted";
  readonly state: "applied" | "undone";
  /** The user was asked about every change of it. False: it was changed without a question (a mode that does not ask). */
  readonly isAsked: boolean;
  /** Why it cannot be undone or redone, for people; absent: it can be tried. */
  readonly obstacle?: string;
}

/** How an undo or a redo of a file ended. `merged`: other changes of the file stayed. */
export type UndoResult =
  | { readonly kind: "done"; readonly merged: boolean }
  | { readonly kind: "refused"; readonly reason: string };
