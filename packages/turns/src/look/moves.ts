import { type DiskState, diskStateOf } from "./disk-state.ts";

/**
 * Where files that are new stood at the last look. Who moves a folder leaves everything in it as it was, its times, too: only by this are
 * such files told from those that were there all the time and that git did not list.
 */
export class Moves {
  readonly #known: ReadonlyMap<string, { readonly state: DiskState | undefined }>;
  /** By what a file keeps when it is moved; made when it is first wanted. */
  #places: Map<string, string> | undefined;

  constructor(known: ReadonlyMap<string, { readonly state: DiskState | undefined }>) {
    this.#known = known;
  }

  /** Undefined where it did not stand anywhere else, or stands there still. */
  from(state: DiskState): string | undefined {
    const key = keyOf(state);
    const path = this.#all().get(key);
    const now = path === undefined ? undefined : diskStateOf(path);
    if (now === "unknown" || now?.inode === state.inode) return undefined;
    // A second name of the same file is a new one.
    this.#all().delete(key);
    return path;
  }

  #all(): Map<string, string> {
    if (this.#places === undefined) {
      this.#places = new Map();
      for (const [path, { state }] of this.#known) if (state !== undefined) this.#places.set(keyOf(state), path);
    }
    return this.#places;
  }
}

/** Names of files are used again: an inode alone says nothing. */
function keyOf({ inode, kind, size, modifiedMs }: DiskState): string {
  return `${inode} ${kind} ${size} ${modifiedMs}`;
}
