import { lstatSync } from "node:fs";
import { dirname } from "node:path";

/** The folder in which a file or a link stands. */
export function folderOf(path: string): string {
  return dirname(path);
}

/** The times of files come from a clock that is so much behind, ms. */
const coarseMs = 10;

/**
 * The folders above a file that have been made since then, the innermost first; by the system's own clock, as that gives them their times.
 * None where the file system does not say when a folder was made.
 */
export function foldersMadeSince(path: string, since: number): readonly string[] {
  const made: string[] = [];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (bornMs(folder) < since - coarseMs) break;
    made.push(folder);
  }
  return made;
}

function bornMs(folder: string): number {
  try {
    const stats = lstatSync(folder);
    return stats.isDirectory() ? stats.birthtimeMs : 0;
  } catch {
    // Gone by now: nobody has to remove it.
    return 0;
  }
}
