import type { Entry } from "../model/entries.ts";
import { appendText, type PlacedEntry } from "../model/snapshot.ts";
import { type About, headOf, type Line, parseLine, type TurnRecord } from "./line.ts";
import type { LineFiles } from "./line-files.ts";

/** Where a line is, without its line feed. */
interface Span {
  readonly start: number;
  readonly length: number;
}

/** The lines that make an entry: a whole one, and what was appended to it since. */
interface Chain {
  /** False: earlier lines of it have not been found yet. */
  isWhole: boolean;
  readonly spans: Span[];
}

/** So much is read at once, bytes. */
const pieceBytes = 64 * 1024;
/** Lines that are so near to each other are read together. */
const gapBytes = 16 * 1024;
/** Most bytes that are read together. */
const togetherBytes = 4 * 1024 * 1024;
const lineFeed = 0x0a;
/** A line's head is shorter. */
const headBytes = 64;
/** Longer lines are none of ours. */
const maximumLineBytes = 32 * 1024 * 1024;

/**
 * Reads a transcript from its end, as far as is asked for: of ten thousand entries the newest sixty cost no more than of
 * sixty. What it keeps in memory is where the lines are, not what they say.
 */
export class TranscriptReader {
  readonly #files: LineFiles;
  readonly #path: string;
  readonly #chains: Map<number, Chain> = new Map();
  readonly #turns: Map<string, TurnRecord> = new Map();
  /** Everything from here to the end has been looked at. */
  #scanned: number;
  /** The beginning of a line that goes on from `#scanned`. */
  #rest: Uint8Array = new Uint8Array();
  #size: number;
  #about: { readonly about: About; readonly superseded: number } | undefined;
  /** Of each entry from this place on everything has been looked at. */
  #complete: number = Number.POSITIVE_INFINITY;
  #highest = -1;

  private constructor(files: LineFiles, path: string, size: number) {
    this.#files = files;
    this.#path = path;
    this.#size = size;
    this.#scanned = size;
  }

  /** Opens what is there, without what was torn off at its end. `tornBytes`: how much that was. */
  static async open(
    files: LineFiles,
    path: string,
  ): Promise<{ readonly reader: TranscriptReader; readonly tornBytes: number }> {
    const size = (await files.size(path)) ?? 0;
    const end = await endOfLastLine(files, path, size);
    return { reader: new TranscriptReader(files, path, end), tornBytes: size - end };
  }

  /** Bytes of whole lines. */
  get size(): number {
    return this.#size;
  }

  get turns(): readonly TurnRecord[] {
    return Array.from(this.#turns.values());
  }

  /** What the newest line about the conversation says; reads as far as to it. */
  async about(): Promise<{ readonly about: About; readonly superseded: number } | undefined> {
    await this.#scanUntil(() => this.#about !== undefined);
    return this.#about;
  }

  /** The place for the next new entry. */
  async next(): Promise<number> {
    await this.#scanUntil(() => this.#complete !== Number.POSITIVE_INFINITY);
    return this.#highest + 1;
  }

  /** The newest entries with a place before `place`, in order. */
  async before(place: number, count: number): Promise<readonly PlacedEntry[]> {
    const end = Math.min(place, await this.next());
    const start = Math.max(0, end - count);
    await this.#scanUntil(() => this.#complete <= start);
    const places = Array.from({ length: end - start }, (_, index) => start + index);
    return await this.read(places);
  }

  /** Entries by their places, which have been looked at before; those that cannot be read are left out. */
  async read(places: readonly number[]): Promise<readonly PlacedEntry[]> {
    const chains = places.map((place) => ({ place, spans: this.#chains.get(place)?.spans ?? [] }));
    const lines = await this.#readLines(chains.flatMap(({ spans }) => spans));
    return chains.flatMap(({ place, spans }) => {
      const entry = join(spans.map(({ start }) => lines.get(start)));
      return entry === undefined ? [] : [{ place, entry }];
    });
  }

  /** The images' keys of what `read` has given are in the lines: this gives the lines themselves. */
  async linesOf(place: number): Promise<readonly Line[]> {
    const spans = this.#chains.get(place)?.spans ?? [];
    const lines = await this.#readLines(spans);
    return spans.flatMap(({ start }) => lines.get(start) ?? []);
  }

  /** A line was added at the end. Returns how many bytes it made superfluous. */
  added(line: Line, bytes: number): number {
    const span: Span = { start: this.#size, length: bytes - 1 };
    this.#size += bytes;
    if (line.kind === "about") {
      this.#about = { about: line.about, superseded: line.superseded };
      return 0;
    }
    if (line.kind === "turn") {
      this.#turns.delete(line.turn.turn);
      this.#turns.set(line.turn.turn, line.turn);
      return 0;
    }
    this.#highest = Math.max(this.#highest, line.place);
    if (line.kind === "entry" && line.isFirst && this.#complete === Number.POSITIVE_INFINITY)
      this.#complete = line.place;
    const chain = this.#chains.get(line.place);
    if (line.kind === "append") {
      if (chain === undefined) this.#chains.set(line.place, { isWhole: false, spans: [span] });
      else chain.spans.push(span);
      return 0;
    }
    this.#chains.set(line.place, { isWhole: true, spans: [span] });
    return (chain?.spans ?? []).reduce((sum, { length }) => sum + length + 1, 0);
  }

  async #scanUntil(isDone: () => boolean): Promise<void> {
    while (!isDone() && this.#scanned > 0) await this.#scanPiece();
    if (this.#scanned === 0) this.#complete = 0;
  }

  /** Looks at the piece before what has been looked at. */
  async #scanPiece(): Promise<void> {
    // A long line would be put together again and again: the pieces grow with it.
    const start = Math.max(0, this.#scanned - Math.max(pieceBytes, this.#rest.length));
    const piece = await this.#files.read(this.#path, start, this.#scanned);
    const bytes = Buffer.concat([piece, this.#rest]);
    let end = bytes.length;
    // The last byte ends a line, or the piece begins in the middle of one that has been cut off here.
    while (end > 0) {
      const feed = end >= 2 ? bytes.lastIndexOf(lineFeed, end - 2) : -1;
      if (feed < 0 && start > 0) break;
      this.#found(bytes, feed + 1, end - 1, start);
      end = feed + 1;
    }
    const rest = bytes.subarray(0, end);
    this.#rest = rest.length > maximumLineBytes ? new Uint8Array() : Buffer.from(rest);
    this.#scanned = start;
  }

  /** Takes note of a line, unless a later one counts instead. */
  #found(bytes: Buffer, from: number, to: number, offset: number): void {
    const head = headOf(bytes.toString("utf8", from, Math.min(to, from + headBytes)));
    if (head === undefined) return;
    if (head.kind === "about" || head.kind === "turn") {
      const line = parseLine(bytes.toString("utf8", from, to));
      if (line?.kind === "about") this.#about ??= { about: line.about, superseded: line.superseded };
      if (line?.kind === "turn" && !this.#turns.has(line.turn.turn)) this.#turns.set(line.turn.turn, line.turn);
      return;
    }
    const { place, isFirst } = head;
    this.#highest = Math.max(this.#highest, place);
    if (isFirst) this.#complete = Math.min(this.#complete, place);
    const chain = this.#chains.get(place);
    if (chain?.isWhole === true) return;
    const span: Span = { start: offset + from, length: to - from };
    const isWhole = head.kind === "entry";
    if (chain === undefined) this.#chains.set(place, { isWhole, spans: [span] });
    else {
      chain.spans.unshift(span);
      chain.isWhole = isWhole;
    }
  }

  /** Lines by where they begin. */
  async #readLines(spans: readonly Span[]): Promise<ReadonlyMap<number, Line>> {
    const lines = new Map<number, Line>();
    for (const group of groupsOf(spans)) {
      const start = group[0]?.start ?? 0;
      const last = group.at(-1);
      const end = last === undefined ? start : last.start + last.length;
      const bytes = Buffer.from(await this.#files.read(this.#path, start, end));
      for (const span of group) {
        const from = span.start - start;
        const line = parseLine(bytes.toString("utf8", from, from + span.length));
        if (line !== undefined) lines.set(span.start, line);
      }
    }
    return lines;
  }
}

/** Where the last whole line ends: what follows was being written when its process was killed. */
async function endOfLastLine(files: LineFiles, path: string, size: number): Promise<number> {
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - pieceBytes);
    const feed = Buffer.from(await files.read(path, start, end)).lastIndexOf(lineFeed);
    if (feed >= 0) return start + feed + 1;
    end = start;
  }
  return 0;
}

function groupsOf(spans: readonly Span[]): readonly (readonly Span[])[] {
  const groups: Span[][] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const group = groups.at(-1);
    const first = group?.[0];
    const last = group?.at(-1);
    const isNear =
      first !== undefined &&
      last !== undefined &&
      span.start - (last.start + last.length) <= gapBytes &&
      span.start + span.length - first.start <= togetherBytes;
    if (isNear) group?.push(span);
    else groups.push([span]);
  }
  return groups;
}

function join(lines: readonly (Line | undefined)[]): Entry | undefined {
  let entry: Entry | undefined;
  for (const line of lines) {
    if (line?.kind === "entry") entry = line.entry;
    else if (line?.kind === "append" && entry !== undefined) entry = appendText(entry, line.text);
  }
  return entry;
}
