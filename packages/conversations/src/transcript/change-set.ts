import type { Entry } from "../model/entries.ts";
import { appendText, type PlacedAppend, type PlacedEntry } from "../model/snapshot.ts";

type Change = { readonly kind: "entry"; readonly entry: Entry } | { readonly kind: "append"; readonly text: string };

/** What has changed since somebody looked: for each entry its newest state, or the text that was added to it. */
export class ChangeSet {
  readonly #changes: Map<number, Change> = new Map();

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  has(place: number): boolean {
    return this.#changes.has(place);
  }

  upsert(place: number, entry: Entry): void {
    this.#changes.set(place, { kind: "entry", entry });
  }

  append(place: number, text: string): void {
    const before = this.#changes.get(place);
    if (before === undefined) this.#changes.set(place, { kind: "append", text });
    else if (before.kind === "append") this.#changes.set(place, { kind: "append", text: before.text + text });
    else this.#changes.set(place, { kind: "entry", entry: appendText(before.entry, text) });
  }

  /** Puts changes before these that were taken from here and came to nothing. */
  putBack(older: ChangeSet): void {
    const newer = Array.from(this.#changes);
    this.#changes.clear();
    for (const [place, change] of older.#changes) this.#changes.set(place, change);
    for (const [place, change] of newer) {
      if (change.kind === "entry") this.upsert(place, change.entry);
      else this.append(place, change.text);
    }
  }

  /** Everything up to now; what comes later is not in it. */
  take(): ChangeSet {
    const taken = new ChangeSet();
    for (const [place, change] of this.#changes) taken.#changes.set(place, change);
    this.#changes.clear();
    return taken;
  }

  clear(): void {
    this.#changes.clear();
  }

  /** In the order of places. */
  inOrder(): readonly (readonly [place: number, change: Change])[] {
    return Array.from(this.#changes).sort(([one], [other]) => one - other);
  }

  get entries(): readonly PlacedEntry[] {
    return this.inOrder().flatMap(([place, change]) =>
      change.kind === "entry" ? [{ place, entry: change.entry }] : [],
    );
  }

  get appends(): readonly PlacedAppend[] {
    return this.inOrder().flatMap(([place, change]) =>
      change.kind === "append" ? [{ place, text: change.text }] : [],
    );
  }
}
