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
