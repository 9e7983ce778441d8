import type { Entry } from "../model/entries.ts";
import { appendText, type PlacedEntry } from "../model/snapshot.ts";

/** What became of an entry that came. */
export type Upserted =
  | { readonly kind: "entry"; readonly place: number; readonly entry: Entry }
  /** It differs from what was there by more text alone. */
  | { readonly kind: "append"; readonly place: number; readonly text: string };

/** So many of the newest entries stay in memory at least: what a view shows at first. */
export const newestCount = 60;
/** So many stay at most, and beyond the newest so many UTF-16 units of their texts: 16 MB. */
const heldCount = 400;
const heldUnits = 8 * 1024 * 1024;

/** The newest entries of a conversation. Earlier ones are in the transcript. */
export class EntryList {
  /** In the order of places. */
  readonly #entries: Map<number, Entry> = new Map();
  /** Of all entries that came since the list was made, also of those that have left the memory. */
  readonly #places: Map<string, number> = new Map();
  #next: number;

  constructor(entries: readonly PlacedEntry[], next: number) {
    this.#next = next;
    for (const { place, entry } of entries) {
      this.#entries.set(place, entry);
      this.#places.set(entry.id, place);
    }
  }

  /** The place of the next new entry. */
  get next(): number {
    return this.#next;
  }

  /** The place of the first entry in memory. */
  get first(): number {
    return this.#entries.keys().next().value ?? this.#next;
  }

  get all(): readonly PlacedEntry[] {
    return this.between(this.first, this.#next);
  }

  /** Undefined also for one that has left the memory. */
  get(id: string): PlacedEntry | undefined {
    const place = this.#places.get(id);
    const entry = place === undefined ? undefined : this.#entries.get(place);
    return place === undefined || entry === undefined ? undefined : { place, entry };
  }

  /** The entry of a place, as long as it is in memory. */
  at(place: number): Entry | undefined {
    return this.#entries.get(place);
  }

  has(id: string): boolean {
    return this.#places.has(id);
  }

  /** Entries from a place on to before another one, as far as they are in memory. */
  between(start: number, end: number): readonly PlacedEntry[] {
    const entries: PlacedEntry[] = [];
    for (let place = Math.max(start, this.first); place < end; place += 1) {
      const entry = this.#entries.get(place);
      if (entry !== undefined) entries.push({ place, entry });
    }
    return entries;
  }

  upsert(entry: Entry): Upserted {
    const place = this.#places.get(entry.id) ?? this.#next;
    if (place === this.#next) {
      this.#next += 1;
      this.#places.set(entry.id, place);
      this.#entries.set(place, entry);
      return { kind: "entry", place, entry };
    }
    const before = this.#entries.get(place);
    // One that has left the memory does not come back: its line is written, and views are told.
    if (before === undefined) return { kind: "entry", place, entry };
    this.#entries.set(place, entry);
    const text = addedText(before, entry);
    return text === undefined ? { kind: "entry", place, entry } : { kind: "append", place, text };
  }

  /** Adds text. Undefined: there is no such entry. */
  append(id: string, text: string): number | undefined {
    const place = this.#places.get(id);
    if (place === undefined) return undefined;
    const entry = this.#entries.get(place);
    if (entry !== undefined) this.#entries.set(place, appendText(entry, text));
    return place;
  }

  /** Lets go of the oldest entries that are more than may be held, as long as `mayGo` allows it. */
  trim(mayGo: (placed: PlacedEntry) => boolean): void {
    if (this.#entries.size <= newestCount) return;
    let count = 0;
    let units = 0;
    let isFull = false;
    // Counted from the newest, so that it is the oldest that go.
    for (const { place, entry } of this.all.toReversed()) {
      count += 1;
      if (count <= newestCount) continue;
      units += sizeOf(entry);
      isFull ||= count > heldCount || units > heldUnits;
      if (isFull && mayGo({ place, entry })) this.#entries.delete(place);
    }
  }
}

/** The text by which an entry has grown, if it has changed in nothing else. */
function addedText(before: Entry, after: Entry): string | undefined {
  const [one, other] = [textOf(before), textOf(after)];
  if (one === undefined || other === undefined || other.length <= one.length || !other.startsWith(one))
    return undefined;
  return isSame(withoutText(before), withoutText(after)) ? other.slice(one.length) : undefined;
}

function textOf(entry: Entry): string | undefined {
  if (entry.kind === "message" || entry.kind === "thought") return entry.text;
  // An output that has lost its beginning has not just grown.
  return entry.kind === "tool" && entry.outputOmitted === undefined ? entry.output : undefined;
}

function withoutText(entry: Entry): object {
  if (entry.kind === "tool") {
    const { output: _output, ...rest } = entry;
    return rest;
  }
  if (entry.kind !== "message" && entry.kind !== "thought") return entry;
  const { text: _text, ...rest } = entry;
  return rest;
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** About how much memory an entry takes, UTF-16 units. */
function sizeOf(entry: Entry): number {
  const lengthOf = (...texts: readonly (string | undefined)[]): number =>
    texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  switch (entry.kind) {
    case "message":
    case "thought":
      return entry.text.length;
    case "tool": {
      const changes = (entry.changes ?? []).flatMap(({ before, after }) => [before, after]);
      return lengthOf(entry.output, entry.input, entry.command, ...changes);
    }
    case "prompt":
      return lengthOf(
        ...entry.blocks.map((block) =>
          block.type === "image" ? block.data : block.type === "mention" ? block.path : block.text,
        ),
      );
    case "question": {
      if (entry.question.type !== "permission") return 0;
      return lengthOf(entry.question.change?.before, entry.question.change?.after, entry.question.input);
    }
    default:
      return 0;
  }
}
