import type { Content, FileRecord } from "../ledger/records.ts";

/** What happened to a file between two looks. */
export interface SeenChange {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly before: Content;
  readonly after: Content;
  readonly mode: FileRecord["mode"];
  /** Permission bits of a file that is gone. */
  readonly goneMode?: number;
  /** Where a file that is new stood at the last look. */
  readonly movedFrom?: string;
  /** It holds what somebody put aside by git, or took from there, since the last look. */
  readonly isOfGit?: true;
  /** It was there, and git ignores it: other programs than the agent's write such files, too. */
  readonly isIgnored?: true;
}

export interface Look {
  readonly changes: readonly SeenChange[];
  /** Another commit is checked out; what that changed is not among the changes. */
  readonly headMoved: boolean;
  /** What git itself did, by its own words; see `TurnInfo.git`. */
  readonly git: readonly string[];
  /** Not every file was looked at. */
  readonly isPartial: boolean;
}

/** Sees nothing, for somebody who only reads what is known. */
export const closedEyes: Eyes = {
  look: async () => ({ changes: [], headMoved: false, git: [], isPartial: false }),
  forget: () => {},
  lastMs: 0,
};

/** PORT: sees what changed on disk without being told. */
export interface Eyes {
  /**
   * What changed since the last look; nothing at the first one. `session`: on whose account texts are kept. Never rejects. Takes some
   * hundred milliseconds where there are many files, in slices.
   */
  look(session: string): Promise<Look>;
  /** Nobody works any more: the next look is a first one. */
  forget(): void;
  /** How long the last look took, ms. */
  readonly lastMs: number;
}
