import type { Disposable } from "@patchbay/core";
import type { JournalEntry, TurnRecord } from "../ledger/records.ts";
import type { ShelfFile } from "./copy-shelf.ts";

/** PORT: where turns and texts are kept. Nothing of it rejects for what others have done to the files; a full disk does. */
export interface TurnStore {
  /** What earlier runs and other windows have left, in the order in which it happened. */
  load(): Promise<readonly TurnRecord[]>;
  /**
   * Turns to which somebody else has written since they were read here last, as they are now, and new ones; and the ids of those that
   * somebody else has removed. `keep` says whether they are taken over; those that are not come again with the next look.
   */
  others(keep: (turns: readonly TurnRecord[], gone: ReadonlySet<string>) => boolean): Promise<void>;
  /** The highest `TurnRecord.order` on disk, whoever wrote it; 0: there is none. */
  lastOrder(): Promise<number>;
  /** When a turn was last written, whoever did; Unix milliseconds. Undefined where it is not on disk. */
  lastWritten(turn: TurnRecord): Promise<number | undefined>;
  /** Calls back when anybody may have written a turn. Undefined where that cannot be told, or nothing is there yet. */
  watch(onChange: () => void): Disposable | undefined;
  /**
   * Resolves when it is written; rejects where there is no room, as with a full disk, and where what was written of the turn before is
   * not there any more: then all of the turn is to be written, beginning with `anew`.
   */
  append(turn: TurnRecord, entries: readonly JournalEntry[]): Promise<void>;
  remove(turn: TurnRecord): Promise<void>;
  /** Keeps a text and names it; undefined where there is no room for it. */
  keep(text: string): Promise<string | undefined>;
  /** Whether a text is there, as far as this window knows. */
  has(name: string): boolean;
  /** Whether a text is there. It is then kept as if it had just been written. */
  refresh(name: string): Promise<boolean>;
  /** The same for many of them: the texts are listed once, and those that were asked for before are found in the list. */
  refreshMany(): Promise<(name: string) => Promise<boolean>>;
  /** Undefined where it is not there any more, or is not what it was. */
  read(name: string): Promise<string | undefined>;
  /** A file for copies that nobody else is to read. */
  openShelf(): Promise<ShelfFile>;
  /** Bytes of the room that copies take; set by whoever makes them. */
  aside: () => number;
  /** Bytes of all texts and journals. */
  readonly size: number;
  /** How many there may be: more are never written. */
  readonly room: number;
  /**
   * Removes texts that no turn names. `known`: turns of this run. `freed`: texts of turns that this run has removed; others may be those
   * of another window, which it is about to name.
   */
  sweep(known: readonly TurnRecord[], freed: ReadonlySet<string>): Promise<void>;
}

/** So much of the room is taken at most by what earlier turns changed when another one begins, */
export const freeShare = 0.6;

/** and so much by copies of what it may change. The rest is for what it does change. */
export const copyShare = 0.15;

/** The rest of the room is for journals: what is known of a turn is worth more than one more text of it. */
export const textShare: number = 15 / 16;

/** A name says how long its text is, so that nobody has to look. */
export function nameOfText(text: string, mac: (key: string, text: string) => string): string {
  return `${mac("text", text)}.${Buffer.byteLength(text)}`;
}

/** Undefined for what is no name of a text. */
export function bytesOf(name: string): number | undefined {
  const size = /^[A-Za-z0-9_-]{43}\.(?<size>\d{1,12})$/u.exec(name)?.groups?.["size"];
  return size === undefined ? undefined : Number(size);
}
