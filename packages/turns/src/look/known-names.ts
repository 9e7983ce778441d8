import { diskStateOf } from "./disk-state.ts";
import type { WorkTree } from "./work-trees.ts";

/**
 * For systems that find a file in any case and Unicode normalisation: a file that is listed in another spelling than before is the same
 * file, as git has it (`core.ignoreCase`). Taken for a new one, its undo would remove the only one there is.
 */
export class KnownNames {
  readonly #known: ReadonlyMap<string, unknown>;
  readonly #listed: Set<string> = new Set();
  /** By a spelling that they share; made when a name is first wanted that was not known. */
  #spellings: Map<string, string> | undefined;

  constructor(known: ReadonlyMap<string, unknown>) {
    this.#known = known;
  }

  /** What stands there now, spelled as it is: git's index does not say that. */
  listed({ untracked, ignored }: WorkTree): void {
    for (const paths of [untracked, ignored]) for (const path of paths) this.#listed.add(path);
  }

  /** By which name a file was known that stands there by this one. */
  of(path: string): string {
    if (this.#known.has(path)) return path;
    this.#spellings ??= new Map(Array.from(this.#known.keys(), (known) => [sharedSpelling(known), known]));
    const known = this.#spellings.get(sharedSpelling(path));
    if (known === undefined || this.#listed.has(known)) return path;
    const [before, now] = [diskStateOf(known), diskStateOf(path)];
    return typeof before === "object" && typeof now === "object" && before.inode === now.inode ? known : path;
  }
}

function sharedSpelling(path: string): string {
  return path.normalize("NFD").toLowerCase();
}
