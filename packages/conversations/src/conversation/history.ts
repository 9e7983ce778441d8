import type { Entry, TurnEndEntry, Usage } from "../model/entries.ts";
import { patchEntries, type PlacedEntry } from "../model/snapshot.ts";
import type { ConversationFile } from "../transcript/conversation-store.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { EntryList, newestCount } from "./entry-list.ts";
import type { GatheredUpdates } from "./gathered-updates.ts";
import { settle } from "./settling.ts";

/** How many entries a page of earlier ones has. */
const pageCount = 100;

/** Entries are let go of when so many have come. */
const trimEvery = 50;

/** The entries of a conversation: the newest in memory, all of them in the transcript, and every change told to the views. */
export class History {
  readonly #transcript: Transcript;
  readonly #updates: GatheredUpdates;
  readonly #list: EntryList;
  /** Their places, by their ids. */
  readonly #openQuestions: Map<string, number> = new Map();
  #sinceTrim = 0;
  /** The newest. */
  #prompt: string | undefined;

  private constructor(transcript: Transcript, updates: GatheredUpdates, entries: readonly PlacedEntry[]) {
    this.#transcript = transcript;
    this.#updates = updates;
    this.#list = new EntryList(entries, transcript.next);
    this.#prompt = entries.findLast(({ entry }) => entry.kind === "prompt")?.entry.id;
    transcript.ask((place) => this.#list.at(place));
  }

  /** Reads the newest entries. What was open when the last session of this window ended is not open any more. */
  static async open({ transcript, isOwn }: ConversationFile, updates: GatheredUpdates): Promise<History> {
    const entries = await transcript.before(Number.POSITIVE_INFINITY, newestCount);
    return new History(transcript, updates, isOwn ? entries.map(settled) : entries);
  }

  get isEmpty(): boolean {
    return this.#list.next === 0;
  }

  /** Somebody has said something, so far as is in memory. */
  get hasTalk(): boolean {
    return this.newest.some(({ entry }) => entry.kind === "prompt" || entry.kind === "message");
  }

  /** The newest entries, in order, and as far back as a question is open: nobody would find it else. */
  get newest(): readonly PlacedEntry[] {
    return this.#list.between(Math.min(this.next - newestCount, this.#oldestQuestion), this.next);
  }

  /** What was used by the end of the last turn that told it. */
  get usage(): Usage | undefined {
    for (const { entry } of this.newest.toReversed()) if (entry.kind === "turn-end" && entry.usage) return entry.usage;
    return undefined;
  }

  /** The place for the next new entry. */
  get next(): number {
    return this.#list.next;
  }

  /** How many questions are open. */
  get waiting(): number {
    return this.#openQuestions.size;
  }

  has(id: string): boolean {
    return this.#list.has(id);
  }

  /** An entry that is in memory. */
  get(id: string): Entry | undefined {
    return this.#list.get(id)?.entry;
  }

  upsert(given: Entry): void {
    if (given.kind === "prompt") this.#prompt = given.id;
    const entry = given.kind === "turn-end" ? this.#withPrompt(given) : given;
    const change = this.#list.upsert(entry);
    if (change.kind === "append") this.#added(change.place, change.text);
    else {
      this.#transcript.upsert(change.place, change.entry);
      this.#updates.upsert(change.place, change.entry);
    }
    this.#count(entry, change.place);
    this.#sinceTrim += 1;
    if (this.#sinceTrim >= trimEvery) this.trim();
  }

  /** Adds text. False: there is no such entry. */
  append(id: string, text: string): boolean {
    const place = this.#list.append(id, text);
    if (place !== undefined) this.#added(place, text);
    return place !== undefined;
  }

  /** A page of entries before a place, in order: those in memory as they are, the others from the transcript. */
  async before(place: number): Promise<readonly PlacedEntry[]> {
    await this.#transcript.flush();
    const start = Math.max(0, Math.min(place, this.#list.next) - pageCount);
    const kept = await this.#transcript.before(place, pageCount);
    const held = this.#list.between(start, place);
    return patchEntries(kept.map(settled), { entries: held, appends: [] }).filter((one) => one.place >= start);
  }

  /** Every entry, in order. */
  async *all(): AsyncGenerator<PlacedEntry, void> {
    for (let end = pageCount; end - pageCount < this.next; end += pageCount)
      for (const placed of await this.before(end)) if (placed.place >= end - pageCount) yield placed;
  }

  /** An entry, also one that is not in memory. */
  async entry(id: string): Promise<Entry | undefined> {
    const held = this.get(id);
    if (held !== undefined) return held;
    for await (const { entry } of this.all()) if (entry.id === id) return entry;
    return undefined;
  }

  /** The places at which a text was said, without regard to case. */
  async find(text: string, signal: AbortSignal): Promise<readonly number[]> {
    const wanted = text.toLowerCase();
    const places: number[] = [];
    if (wanted === "") return places;
    for await (const { place, entry } of this.all()) {
      if (signal.aborted) break;
      if (searchedText(entry).toLowerCase().includes(wanted)) places.push(place);
    }
    return places;
  }

  /** The session has ended, or a turn of it: nothing more comes of what has not settled. */
  settle(mayBeRunning: (entry: Entry) => boolean = () => false): void {
    for (const { entry } of this.#list.all) {
      const after = settle(entry);
      if (after !== entry && !mayBeRunning(entry)) this.upsert(after);
    }
  }

  /** Lets go of entries that are on disk and need not be in memory. */
  trim(): void {
    this.#sinceTrim = 0;
    const oldestQuestion = this.#oldestQuestion;
    this.#list.trim(
      ({ place, entry }) => place < oldestQuestion && this.#transcript.isKept(place) && settle(entry) === entry,
    );
  }

  #withPrompt(entry: TurnEndEntry): TurnEndEntry {
    const known = this.get(entry.id);
    const prompt = entry.prompt ?? (known?.kind === "turn-end" ? known.prompt : this.#prompt);
    return prompt === undefined ? entry : { ...entry, prompt };
  }

  #added(place: number, text: string): void {
    this.#transcript.append(place, text);
    this.#updates.append(place, text);
  }

  get #oldestQuestion(): number {
    return Math.min(...this.#openQuestions.values());
  }

  #count(entry: Entry, place: number): void {
    if (entry.kind !== "question") return;
    const before = this.#openQuestions.size;
    if (entry.outcome === undefined) this.#openQuestions.set(entry.id, place);
    else this.#openQuestions.delete(entry.id);
    if (this.#openQuestions.size !== before) this.#updates.status({ waiting: this.#openQuestions.size });
  }
}

function settled({ place, entry }: PlacedEntry): PlacedEntry {
  return { place, entry: settle(entry) };
}

/** What was said, by the user and by the agent, and what was run. */
export function searchedText(entry: Entry): string {
  switch (entry.kind) {
    case "prompt":
      return entry.blocks
        .flatMap((block) => (block.type === "image" ? [] : block.type === "mention" ? [block.path] : [block.text]))
        .join("\n");
    case "message":
      return entry.text;
    case "tool":
      return `${entry.title}\n${entry.command ?? ""}`;
    case "question": {
      const answer = entry.outcome?.type === "answered" ? entry.outcome.summary : "";
      if (entry.question.type === "plan") return `${entry.question.plan}\n${answer}`;
      return entry.question.type === "form" ? `${entry.question.message}\n${answer}` : "";
    }
    default:
      return "";
  }
}
