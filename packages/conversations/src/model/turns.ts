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
