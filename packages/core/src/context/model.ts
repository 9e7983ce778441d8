/**
 * The neutral picture of what the user has open. Lines and characters are 0-based, characters are UTF-16 code units,
 * as editors count; each dialect converts to what its agent wants.
 */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A file on disk that is open in the editor. */
export interface OpenFile {
  /** Absolute path as the editor shows it. */
  readonly path: string;
  /** When it was focused last, Unix milliseconds. */
  readonly timestamp: number;
}

/** The one file the user is in. */
export interface ActiveFile {
  readonly path: string;
  readonly cursor: Position;
  /** Absent where nothing is selected or the text may not be shared. */
  readonly selection?: SelectedText;
  /** What else is selected in it, in the editor's order; absent: nothing. */
  readonly otherSelections?: readonly SelectedText[];
}

export interface SelectedText {
  readonly range: Range;
  /** At most 16,384 UTF-8 bytes, cut on a whole code point. */
  readonly text: string;
}

/** What is shared with the agents: at most 10 files, most recently focused first; `active` is the first of them or absent. */
export interface EditorContext {
  readonly files: readonly OpenFile[];
  readonly active?: ActiveFile;
  /** Whether the user trusts the workspace; absent where the editor has no such notion. */
  readonly trusted?: boolean;
}

/** Most files ever shared (docs/protocols/gemini.md: the client keeps 10). */
export const maximumOpenFiles = 10;

/** Most selections ever shared beside the first: a column of cursors is no choice of texts. */
export const maximumOtherSelections = 19;

/** Most selected text ever shared, in UTF-8 bytes. */
export const maximumSelectionBytes = 16_384;
