import { lstatSync, readdirSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";

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

/** More folders are not looked for in one. */
const mostFolders = 100;

/**
 * The folders where a file stood, and above it, that have come since then, the innermost first. A folder in the file's own place has, however
 * old it is: it was moved there. None where there is no folder.
 */
export function foldersInPlaceOf(path: string, since: number): readonly string[] {
  if (factsOf(path) === undefined) return [];
  const made = foldersMadeSince(`${path}/.`, since);
  return [...foldersIn(path), ...(made.length === 0 ? [path] : made)];
}

/** The folders in one, the innermost first. */
function foldersIn(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at: string | undefined = folder, next = 0; at !== undefined && found.length < mostFolders; next += 1) {
    try {
      for (const entry of readdirSync(at, { withFileTypes: true }))
        if (entry.isDirectory()) found.push(join(at, entry.name));
    } catch {
      // Gone, or nobody may look: it stays.
    }
    at = found[next];
  }
  return found.toReversed();
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
