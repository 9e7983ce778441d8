import { createHash } from "node:crypto";
import {
  causeOf,
  type Clock,
  type Disposable,
  Emitter,
  type Event,
  type Logger,
  type PrivateStorage,
} from "@patchbay/core";
import { type Entry, outputLimit, type PromptBlock } from "../model/entries.ts";
import type { PlacedEntry } from "../model/snapshot.ts";
import { ChangeSet } from "./change-set.ts";
import { type About, encodeLine, type Line, type TurnRecord } from "./line.ts";
import type { LineFiles } from "./line-files.ts";
import { TranscriptReader } from "./transcript-reader.ts";

/** From a change to its line on disk, ms: with the write itself less than the second that may be lost. */
const flushDelayMs = 400;
/** How soon a write that has failed is tried again, ms. */
const retryDelayMs = 15_000;
/** After so many bytes the transcript says again what it is about, so that this is found near its end. */
const aboutEveryBytes = 64 * 1024;
/** After so many UTF-16 units of pieces an entry is written as a whole. */
const appendedUnits = 4 * outputLimit;
/** Smaller transcripts are never compacted, bytes. */
const compactedFromBytes = 256 * 1024;
/** So much that counts no more is not left until the end of the turn, bytes. */
const compactedAtOnceBytes = 8 * 1024 * 1024;
/** Entries that are held at once while a transcript is compacted. */
const compactedPage = 100;

export interface TranscriptOptions {
  readonly path: string;
  readonly files: LineFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where images and texts of files are kept beside it. */
  readonly texts: PrivateStorage;
  /** False: another window has it, and nothing is written. */
  readonly isOwn: boolean;
}

/** One conversation on disk: a file that only grows, line by line, until it is compacted. */
export class Transcript {
  readonly #options: TranscriptOptions;
  #reader: TranscriptReader;
  readonly #pending: ChangeSet = new ChangeSet();
  #writing: ChangeSet | undefined;
  #about: About | undefined;
  #isAboutPending = false;
  #sinceAbout = 0;
  #superseded = 0;
  /** How much was appended to an entry since it was written as a whole, UTF-16 units. */
  readonly #appended: Map<number, number> = new Map();
  #entryAt: (place: number) => Entry | undefined = () => undefined;
  /** Entries below this place have their first line. */
  #begun: number;
  #timer: Disposable | undefined;
  #queue: Promise<void> = Promise.resolve();
  #failure: string | undefined;
  #isClosed = false;
  readonly #keeping: Emitter<{ readonly failure: { readonly cause: unknown } | undefined }> = new Emitter();

  private constructor(options: TranscriptOptions, reader: TranscriptReader, begun: number) {
    this.#options = options;
    this.#reader = reader;
    this.#begun = begun;
  }

  static async open(options: TranscriptOptions): Promise<Transcript> {
    const { reader, tornBytes } = await TranscriptReader.open(options.files, options.path);
    if (tornBytes > 0 && options.isOwn) await options.files.truncate(options.path, reader.size);
    const transcript = new Transcript(options, reader, await reader.next());
    const found = await reader.about();
    transcript.#about = found?.about;
    transcript.#superseded = found?.superseded ?? 0;
    return transcript;
  }

  /** Tells when writing begins to fail, and when it works again. */
  get onDidChangeKeeping(): Event<{ readonly failure: { readonly cause: unknown } | undefined }> {
    return this.#keeping.event;
  }

  /** What it is about; undefined where nothing was written yet. */
  get about(): About | undefined {
    return this.#about;
  }

  /** The place for the next new entry. */
  get next(): number {
    return this.#begun;
  }

  /** Bytes of its file. */
  get size(): number {
    return this.#reader.size;
  }

  /** Turns that changed files, as earlier versions noted them here, in order; as far as the transcript has been read. */
  get turns(): readonly TurnRecord[] {
    return this.#reader.turns.toSorted((one, other) => one.place - other.place);
  }

  get texts(): PrivateStorage {
    return this.#options.texts;
  }

  /** Whether everything of an entry is on disk. */
  isKept(place: number): boolean {
    return !this.#pending.has(place) && this.#writing?.has(place) !== true;
  }

  /** Entries with places before `place`, in order, as they are on disk. */
  async before(place: number, count: number): Promise<readonly PlacedEntry[]> {
    const entries = await this.#inTurn(() => this.#reader.before(place, count));
    return await Promise.all(entries.map((placed) => this.#withImages(placed)));
  }

  describe(about: About): void {
    this.#about = about;
    this.#isAboutPending = true;
    this.#schedule();
  }

  upsert(place: number, entry: Entry): void {
    this.#pending.upsert(place, entry);
    this.#schedule();
  }

  append(place: number, text: string): void {
    this.#pending.append(place, text);
    this.#schedule();
  }

  /** Resolves when what there is now is written, or could not be. Never rejects. */
  async flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    await this.#inTurn(() => this.#write());
    // What goes on for hours must not wait for its end.
    if (this.#superseded >= compactedAtOnceBytes) await this.#compactIfWorth();
  }

  /** Writes what is left. Nothing is written afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.tidy();
    this.#isClosed = true;
    this.#timer?.dispose();
  }

  /** Names who knows an entry as it is now: one that has grown by many pieces is then written as a whole. */
  ask(entryAt: (place: number) => Entry | undefined): void {
    this.#entryAt = entryAt;
  }

  /** Writes what is left, and compacts the file where that is worth it. Never rejects. */
  async tidy(): Promise<void> {
    await this.flush();
    await this.#compactIfWorth();
  }

  /** Writes it anew without what later lines have replaced. Never rejects: a failure costs room only. */
  async compact(): Promise<void> {
    const { files, path, logger, isOwn } = this.#options;
    if (!isOwn) return;
    await this.#inTurn(async () => {
      try {
        await files.replace(path, this.#compacted());
        this.#superseded = 0;
        this.#reader = (await TranscriptReader.open(files, path)).reader;
        await this.#reader.next();
      } catch (error) {
        logger.warn("A transcript could not be compacted", { reason: causeOf(error) });
      }
    });
  }

  async #compactIfWorth(): Promise<void> {
    const { size } = this.#reader;
    if (size >= compactedFromBytes && this.#superseded > size / 2) await this.compact();
  }

  async *#compacted(): AsyncGenerator<string> {
    if (this.#about !== undefined) yield encodeLine({ kind: "about", about: this.#about, superseded: 0 });
    // Looks at everything, so that all turns are known, too.
    await this.#reader.before(1, 1);
    const turns = [...this.turns];
    for (let place = 0; place < this.#begun; place += compactedPage) {
      const places = Array.from({ length: Math.min(compactedPage, this.#begun - place) }, (_, index) => place + index);
      for (const placed of await this.#reader.read(places)) {
        // Where the next one begins: who reads the end finds the newest.
        for (let next = turns[1]; next !== undefined && next.place <= placed.place; next = turns[1]) {
          const [turn] = turns.splice(0, 1);
          if (turn !== undefined) yield encodeLine({ kind: "turn", turn });
        }
        const images = imagesOf(await this.#reader.linesOf(placed.place));
        yield encodeLine({ kind: "entry", ...placed, isFirst: true, ...(images === undefined ? {} : { images }) });
      }
    }
    for (const turn of turns) yield encodeLine({ kind: "turn", turn });
    if (this.#about !== undefined) yield encodeLine({ kind: "about", about: this.#about, superseded: 0 });
  }

  #schedule(delayMs = flushDelayMs): void {
    const { clock, isOwn } = this.#options;
    if (this.#isClosed || !isOwn) return;
    this.#timer ??= clock.setTimeout(() => void this.flush(), this.#failure === undefined ? delayMs : retryDelayMs);
  }

  /** One thing at a time on the file. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  async #write(): Promise<void> {
    // Once it is closed, it may be another window's.
    if (!this.#options.isOwn || this.#isClosed) return;
    if (this.#pending.isEmpty && !this.#isAboutPending) return;
    const changes = this.#takeChanges();
    this.#writing = changes;
    const begun = this.#begun;
    try {
      await this.#add(await this.#linesFor(changes));
      this.#told(undefined);
    } catch (error) {
      this.#begun = begun;
      this.#pending.putBack(changes);
      this.#isAboutPending = true;
      await this.#cutOffWhatWasBegun();
      this.#told(error);
      this.#schedule();
    } finally {
      this.#writing = undefined;
    }
  }

  async #linesFor(changes: ChangeSet): Promise<readonly Line[]> {
    const lines: Line[] = [];
    if (this.#about !== undefined && (this.#isAboutPending || this.#sinceAbout >= aboutEveryBytes)) {
      lines.push({ kind: "about", about: this.#about, superseded: this.#superseded });
      this.#isAboutPending = false;
      this.#sinceAbout = 0;
    }
    for (const [place, change] of changes.inOrder()) {
      if (change.kind === "append") {
        lines.push({ kind: "append", place, text: change.text });
        continue;
      }
      this.#appended.delete(place);
      const isFirst = place >= this.#begun;
      lines.push({ kind: "entry", place, isFirst, ...(await this.#withoutImages(change.entry)) });
      if (isFirst) this.#begun = place + 1;
    }
    return lines;
  }

  /** What has changed. An output of hours is not kept piece by piece: its end is all that counts. */
  #takeChanges(): ChangeSet {
    const changes = this.#pending.take();
    for (const { place, text } of changes.appends) {
      const units = (this.#appended.get(place) ?? 0) + text.length;
      this.#appended.set(place, units);
      const entry = units > appendedUnits ? this.#entryAt(place) : undefined;
      if (entry !== undefined) changes.upsert(place, entry);
    }
    return changes;
  }

  async #add(lines: readonly Line[]): Promise<void> {
    const { files, path } = this.#options;
    const texts = lines.map(encodeLine);
    await files.append(path, texts.join(""));
    for (const [index, line] of lines.entries()) {
      const bytes = Buffer.byteLength(texts[index] ?? "");
      this.#superseded += this.#reader.added(line, bytes);
      this.#sinceAbout += bytes;
    }
  }

  /** A full disk takes a part of what is written: the next line must not stick to it. */
  async #cutOffWhatWasBegun(): Promise<void> {
    const { files, path, logger } = this.#options;
    try {
      if (((await files.size(path)) ?? 0) > this.#reader.size) await files.truncate(path, this.#reader.size);
    } catch (error) {
      logger.warn("What was begun of a line could not be removed", { reason: causeOf(error) });
    }
  }

  #told(error: unknown): void {
    const failure = error === undefined ? undefined : causeOf(error);
    if (failure === this.#failure) return;
    this.#failure = failure;
    if (failure !== undefined) this.#options.logger.warn("A transcript could not be written", { reason: failure });
    this.#keeping.fire({ failure: error === undefined ? undefined : { cause: error } });
  }

  /** Images stand beside the transcript: it would be read slowly with them. */
  async #withoutImages(entry: Entry): Promise<{ readonly entry: Entry; readonly images?: Record<string, string> }> {
    if (entry.kind !== "prompt" || !entry.blocks.some(isImage)) return { entry };
    const images: Record<string, string> = {};
    const blocks: PromptBlock[] = [];
    for (const [index, block] of entry.blocks.entries()) {
      blocks.push(isImage(block) ? { ...block, data: "" } : block);
      if (!isImage(block) || block.data === "") continue;
      const key = createHash("sha256").update(block.data).digest("hex");
      try {
        await this.#options.texts.write(key, block.data);
        images[index] = key;
      } catch (error) {
        // The conversation is worth more than its pictures.
        this.#options.logger.warn("An image could not be kept", { reason: causeOf(error) });
      }
    }
    return { entry: { ...entry, blocks }, images };
  }

  async #withImages({ place, entry }: PlacedEntry): Promise<PlacedEntry> {
    if (entry.kind !== "prompt" || !entry.blocks.some(isImage)) return { place, entry };
    const images = imagesOf(await this.#reader.linesOf(place)) ?? {};
    const blocks = await Promise.all(
      entry.blocks.map(async (block, index): Promise<PromptBlock> => {
        const key = images[index];
        if (!isImage(block) || key === undefined) return block;
        // One that was dropped for room is shown by its name.
        return { ...block, data: (await this.#options.texts.read(key).catch(() => undefined)) ?? "" };
      }),
    );
    return { place, entry: { ...entry, blocks } };
  }
}

function isImage(block: PromptBlock): block is Extract<PromptBlock, { type: "image" }> {
  return block.type === "image";
}

function imagesOf(lines: readonly Line[]): Readonly<Record<string, string>> | undefined {
  return lines.flatMap((line) => (line.kind === "entry" && line.images !== undefined ? [line.images] : [])).at(-1);
}
