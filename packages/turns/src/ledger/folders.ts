import { lstatSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";

/** The folder in which a file or a link stands. */
export function folderOf(path: string): string {
  return dirname(path);
}

/** The times of files come from a clock that is so much behind, ms. */
const coarseMs = 10;

/**
 * The folders above a file that have been made since then, or moved there with the file, which stood at `movedFrom`; the innermost first.
 * By the system's own clock, as that gives them their times. None where the file system does not say when a folder was made.
 */
export function foldersMadeSince(path: string, since: number, movedFrom?: string): readonly string[] {
  const made: string[] = [];
  let origin = movedFrom === undefined ? undefined : dirname(movedFrom);
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const facts = factsOf(folder);
    const isMade = facts !== undefined && facts.birthtimeMs >= since - coarseMs;
    const cameAlong = facts !== undefined && origin !== undefined && isMoved(facts, origin, since);
    if (!isMade && !cameAlong) break;
    made.push(folder);
    origin = origin !== undefined && basename(origin) === basename(folder) ? dirname(origin) : undefined;
  }
  return made;
}

/**
 * Whether a folder is the one that stood at `origin`. Whoever moves a folder changes neither what is in it nor the folders in it; one in
 * which names have come since may have been there.
 */
function isMoved({ ctimeMs, mtimeMs }: Stats, origin: string, since: number): boolean {
  return factsOf(origin) === undefined && (ctimeMs < since - coarseMs || mtimeMs < ctimeMs);
}

/** Undefined where there is no folder any more: nobody has to remove it. */
function factsOf(folder: string): Stats | undefined {
  try {
    const facts = lstatSync(folder);
    return facts.isDirectory() ? facts : undefined;
  } catch {
    return undefined;
  }
}
