import { Effort } from "../support/time.ts";
import { pieceLength } from "./text-fidelity.ts";

/** Lines `[beforeStart, beforeEnd)` of one text stand as lines `[afterStart, afterEnd)` in another one; all from 0. */
export interface LineHunk {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/** A replacement in a text, in UTF-16 units of that text. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Stretches without a line that both sides have exactly once are compared line by line up to this many pairs. */
const mostPairs = 250_000;

/** So many pairs take about as long as a line does otherwise. */
const pairsPerLine = 30;

/** See `textEdits` in text-edits.ts. */
export function* textEditSteps(before: string, after: string): Generator<void, readonly TextEdit[]> {
  if (before === after) return [];
  const effort = new Effort();
  const old = yield* lineSteps(before);
  const lines = yield* lineSteps(after);
  const starts: number[] = [];
  let start = 0;
  for (const line of old) {
    starts.push(start);
    start += line.length + 1;
    if (effort.isDue(1)) yield;
  }
  const edits: TextEdit[] = [];
  for (const hunk of yield* lineHunkSteps(old, lines)) {
    edits.push(editOf(hunk, before, starts, lines));
    if (effort.isDue(1)) yield;
  }
  return edits;
}

function editOf(
  { beforeStart, beforeEnd, afterStart, afterEnd }: LineHunk,
  before: string,
  starts: readonly number[],
  lines: readonly string[],
): TextEdit {
  const text = lines.slice(afterStart, afterEnd).join("\n");
  if (beforeEnd < starts.length) {
    const whole = afterEnd > afterStart ? `${text}\n` : "";
    return { start: starts[beforeStart] ?? 0, end: starts[beforeEnd] ?? before.length, text: whole };
  }
  // The last line has no line end of its own: one goes or comes with the line end before it.
  const fromLineEnd = beforeStart > 0 && (beforeStart === beforeEnd || afterStart === afterEnd);
  const start = beforeStart < starts.length ? (starts[beforeStart] ?? 0) : before.length;
  if (!fromLineEnd) return { start, end: before.length, text };
  return beforeStart === beforeEnd
    ? { start: before.length, end: before.length, text: `\n${text}` }
    : { start: start - 1, end: before.length, text: "" };
}

/** The lines of a text with line feeds; line ends are part of no line (`\r` is). */
export function* lineSteps(text: string): Generator<void, readonly string[]> {
  const lines: string[] = [];
  let begun = "";
  for (let start = 0; start < text.length; start += pieceLength) {
    const [first = "", ...more] = text.slice(start, start + pieceLength).split("\n");
    begun += first;
    for (const line of more) {
      lines.push(begun);
      begun = line;
    }
    yield;
  }
  lines.push(begun);
  return lines;
}

/**
 * Compares two lists of lines: first by the lines that both have exactly once (patience diff), what is left between those
 * line by line, and stretches too long for that as one replacement. The time grows with the number of lines, whatever they hold.
 */
export function* lineHunkSteps(before: readonly string[], after: readonly string[]): Generator<void, LineHunk[]> {
  const hunks: LineHunk[] = [];
  const effort = new Effort();
  // What is taken next is the first stretch in the texts, so that the hunks come in order.
  const open: LineHunk[] = [{ beforeStart: 0, beforeEnd: before.length, afterStart: 0, afterEnd: after.length }];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const rest = yield* withoutCommonEnds(span, before, after, effort);
    const { beforeStart, beforeEnd, afterStart, afterEnd } = rest;
    if (beforeStart === beforeEnd && afterStart === afterEnd) continue;
    const isOneLine = beforeEnd - beforeStart === 1 && afterEnd - afterStart === 1;
    if (isOneLine || beforeStart === beforeEnd || afterStart === afterEnd) {
      addHunk(hunks, rest);
      if (effort.isDue(1)) yield;
      continue;
    }
    const anchors = yield* uniqueCommonLines(rest, before, after, effort);
    const pairs = (beforeEnd - beforeStart) * (afterEnd - afterStart);
    if (anchors.length > 0) yield* openBetween(rest, anchors, open, effort);
    else if (pairs > mostPairs) addHunk(hunks, rest);
    else {
      for (const hunk of compare(rest, before, after)) addHunk(hunks, hunk);
      if (effort.isDue(1 + pairs / pairsPerLine)) yield;
    }
  }
  return hunks;
}

/** Hunks that touch are one. */
function addHunk(hunks: LineHunk[], hunk: LineHunk): void {
  const last = hunks.at(-1);
  if (last !== undefined && last.beforeEnd === hunk.beforeStart && last.afterEnd === hunk.afterStart) {
    hunks[hunks.length - 1] = { ...last, beforeEnd: hunk.beforeEnd, afterEnd: hunk.afterEnd };
  } else hunks.push(hunk);
}

/** A table of more lines than these is made of parts. */
const linesOfOnePart = 4_096;

/** A map grows in one go, which takes long where it is large: then many small ones, by what tells lines apart well enough. */
class LineTable<T> {
  readonly #parts: readonly Map<string, T>[];

  /** `lines`: about how many there will be. */
  constructor(lines: number) {
    const count = lines > linesOfOnePart ? 64 : 1;
    this.#parts = Array.from({ length: count }, () => new Map<string, T>());
  }

  get(line: string): T | undefined {
    return this.#partOf(line)?.get(line);
  }

  set(line: string, value: T): void {
    this.#partOf(line)?.set(line, value);
  }

  #partOf(line: string): Map<string, T> | undefined {
    if (this.#parts.length === 1) return this.#parts[0];
    const { length } = line;
    let mark = length;
    // From the end, where numbered lines differ, and from the middle.
    for (const at of [length - 1, length - 2, length - 3, length >> 1]) mark = mark * 31 + (line.charCodeAt(at) || 0);
    return this.#parts[mark & 63];
  }
}

interface Pair {
  readonly before: number;
  readonly after: number;
}

function* withoutCommonEnds(
  span: LineHunk,
  before: readonly string[],
  after: readonly string[],
  effort: Effort,
): Generator<void, LineHunk> {
  let { beforeStart, beforeEnd, afterStart, afterEnd } = span;
  while (beforeStart < beforeEnd && afterStart < afterEnd && before[beforeStart] === after[afterStart]) {
    beforeStart += 1;
    afterStart += 1;
    if (effort.isDue(1)) yield;
  }
  while (beforeEnd > beforeStart && afterEnd > afterStart && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd -= 1;
    afterEnd -= 1;
    if (effort.isDue(1)) yield;
  }
  return { beforeStart, beforeEnd, afterStart, afterEnd };
}

/** The longest run, in the order of both, of lines that stand exactly once on each side. */
function* uniqueCommonLines(
  { beforeStart, beforeEnd, afterStart, afterEnd }: LineHunk,
  before: readonly string[],
  after: readonly string[],
  effort: Effort,
): Generator<void, readonly Pair[]> {
  const repeated = -1;
  const places = new LineTable<{ before: number; after: number | undefined }>(beforeEnd - beforeStart);
  for (let index = beforeStart; index < beforeEnd; index += 1) {
    const line = before[index] ?? "";
    const place = places.get(line);
    if (place === undefined) places.set(line, { before: index, after: undefined });
    else place.before = repeated;
    if (effort.isDue(1)) yield;
  }
  for (let index = afterStart; index < afterEnd; index += 1) {
    const place = places.get(after[index] ?? "");
    if (place !== undefined) place.after = place.after === undefined ? index : repeated;
    if (effort.isDue(1)) yield;
  }
  const pairs: Pair[] = [];
  for (let index = beforeStart; index < beforeEnd; index += 1) {
    const place = places.get(before[index] ?? "");
    if (place?.before === index && place.after !== undefined && place.after !== repeated) {
      pairs.push({ before: index, after: place.after });
    }
    if (effort.isDue(1)) yield;
  }
  return yield* longestIncreasing(pairs, effort);
}

function* longestIncreasing(pairs: readonly Pair[], effort: Effort): Generator<void, readonly Pair[]> {
  const tops: number[] = [];
  const previous: number[] = [];
  for (const [index, pair] of pairs.entries()) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tops[middle] ?? 0]?.after ?? 0) < pair.after) low = middle + 1;
      else high = middle;
    }
    previous.push(low === 0 ? -1 : (tops[low - 1] ?? -1));
    tops[low] = index;
    if (effort.isDue(1)) yield;
  }
  const run: Pair[] = [];
  for (let index = tops.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) run.push(pair);
    if (effort.isDue(1)) yield;
  }
  return run.reverse();
}

/** Opens the stretches before, between and after the anchors, the last one first: what is taken next is the first one. */
function* openBetween(
  span: LineHunk,
  anchors: readonly Pair[],
  open: LineHunk[],
  effort: Effort,
): Generator<void, void> {
  let { beforeEnd, afterEnd } = span;
  for (let index = anchors.length - 1; index >= 0; index -= 1) {
    const anchor = anchors[index];
    if (anchor === undefined) continue;
    const beforeStart = anchor.before + 1;
    const afterStart = anchor.after + 1;
    if (beforeStart < beforeEnd || afterStart < afterEnd) open.push({ beforeStart, beforeEnd, afterStart, afterEnd });
    beforeEnd = anchor.before;
    afterEnd = anchor.after;
    if (effort.isDue(1)) yield;
  }
  open.push({ beforeStart: span.beforeStart, beforeEnd, afterStart: span.afterStart, afterEnd });
}

/** A longest common run by the whole table; for short stretches. */
function compare(span: LineHunk, before: readonly string[], after: readonly string[]): readonly LineHunk[] {
  const rows = span.beforeEnd - span.beforeStart;
  const columns = span.afterEnd - span.afterStart;
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        before[span.beforeStart + row] === after[span.afterStart + column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  const hunks: LineHunk[] = [];
  let row = 0;
  let column = 0;
  while (row < rows || column < columns) {
    const fromRow = row;
    const fromColumn = column;
    while (
      (row < rows || column < columns) &&
      !(row < rows && column < columns && before[span.beforeStart + row] === after[span.afterStart + column])
    ) {
      const below = row < rows ? (lengths[(row + 1) * width + column] ?? 0) : -1;
      const beside = column < columns ? (lengths[row * width + column + 1] ?? 0) : -1;
      if (below >= beside) row += 1;
      else column += 1;
    }
    if (row > fromRow || column > fromColumn) {
      hunks.push({
        beforeStart: span.beforeStart + fromRow,
        beforeEnd: span.beforeStart + row,
        afterStart: span.afterStart + fromColumn,
        afterEnd: span.afterStart + column,
      });
    }
    while (row < rows && column < columns && before[span.beforeStart + row] === after[span.afterStart + column]) {
      row += 1;
      column += 1;
    }
  }
  return hunks;
}
