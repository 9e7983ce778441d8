import { lstatSync, type Stats } from "node:fs";
import { errorCodeOf } from "@patchbay/core";
import type { IndexEntry } from "../git/git-index.ts";

/** By what a file is told from what it was: as git does it, and by the time that nobody can set. */
export interface DiskState {
  readonly kind: "file" | "link" | "other";
  readonly modifiedMs: number;
  readonly changedMs: number;
  readonly size: number;
  readonly mode: number;
  readonly inode: number;
}

/** Times come as floating point numbers, which are off by less than a microsecond. */
const closeMs = 0.001;

/** What the system says where nothing can stand; of anything else (no permission, a failing disk) nobody knows. */
const absent: ReadonlySet<string | undefined> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ERR_INVALID_ARG_VALUE",
]);

/**
 * What stands at a path; no link is followed at its end. Undefined where there is nothing, or a directory; `unknown` where the system does
 * not say. At once: twenty thousand answers of the asynchronous kind take several times as long, all of it on this thread.
 */
export function diskStateOf(
  path: string,
  statAt: (path: string) => Stats | undefined = statsAt,
): DiskState | "unknown" | undefined {
  let stats: Stats | undefined;
  try {
    stats = statAt(path);
  } catch (error) {
    return absent.has(errorCodeOf(error)) ? undefined : "unknown";
  }
  if (stats === undefined || stats.isDirectory()) return undefined;
  return {
    kind: stats.isFile() ? "file" : stats.isSymbolicLink() ? "link" : "other",
    modifiedMs: stats.mtimeMs,
    changedMs: stats.ctimeMs,
    size: stats.size,
    mode: stats.mode & 0o7777,
    inode: stats.ino,
  };
}

function statsAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

export function isSameState(one: DiskState, other: DiskState): boolean {
  return (
    one.modifiedMs === other.modifiedMs &&
    one.changedMs === other.changedMs &&
    one.size === other.size &&
    one.mode === other.mode &&
    one.inode === other.inode &&
    one.kind === other.kind
  );
}

const linkMode = 0o120000;
const typeBits = 0o170000;
const executable = 0o100;

/** The names of an empty file: by SHA-1 and by SHA-256. */
const emptyObjects: ReadonlySet<string> = new Set([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]);

/**
 * Whether a file is what git has in its index, as far as its state tells: not where it changed so shortly before the index was written that
 * its times would be the same ("racy git").
 */
export function isClean(state: DiskState, entry: IndexEntry, indexWrittenMs: number): boolean {
  const kind = (entry.mode & typeBits) === linkMode ? "link" : "file";
  if (entry.isUncertain || state.kind !== kind || entry.modifiedMs >= indexWrittenMs) return false;
  // Git takes the size of what it cannot vouch for.
  if (entry.size === 0 && !emptyObjects.has(entry.object)) return false;
  if (kind === "file" && ((state.mode ^ entry.mode) & executable) !== 0) return false;
  return (
    state.size % 2 ** 32 === entry.size &&
    Math.abs(state.modifiedMs - entry.modifiedMs) < closeMs &&
    (entry.inode === 0 || state.inode % 2 ** 32 === entry.inode)
  );
}
