import { finish } from "../support/steps.ts";

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

/** So many lines are looked at between two chances for other work. */
const linesPerStep = 4_000;

/** What changed from one text to the other, in whole lines; line ends are part of no line (`\r` is). */
export function diffLines(before: string, after: string): readonly LineHunk[] {
  return finish(lineHunkSteps(before.split("\n"), after.split("\n")));
}

/**
 * The smallest edits, in whole lines, that make `before` into `after`: an editor that applies them keeps its cursors, folds
 * and marks. In order, not overlapping, all in units of `before`.
 */
export function textEdits(before: string, after: string): readonly TextEdit[] {
  if (before === after) return [];
  const starts = lineStarts(before);
  const lines = after.split("\n");
  return diffLines(before, after).map(({ beforeStart, beforeEnd, afterStart, afterEnd }) => {
    const isToEnd = beforeEnd === starts.length;
    const text = lines.slice(afterStart, afterEnd).join("\n");
    if (!isToEnd) {
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
  });
}

/**
 * Compares two lists of lines: first by the lines that both have exactly once (patience diff), what is left between those
 * line by line, and stretches too long for that as one replacement. The time grows with the number of lines, whatever they hold.
 */
export function* lineHunkSteps(before: readonly string[], after: readonly string[]): Generator<void, LineHunk[]> {
  const hunks: LineHunk[] = [];
  const open: LineHunk[] = [{ beforeStart: 0, beforeEnd: before.length, afterStart: 0, afterEnd: after.length }];
  let looked = 0;
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const rest = withoutCommonEnds(span, before, after);
    looked += span.beforeEnd - span.beforeStart + span.afterEnd - span.afterStart;
    if (looked > linesPerStep) {
      looked = 0;
      yield;
    }
    const { beforeStart, beforeEnd, afterStart, afterEnd } = rest;
    if (beforeStart === beforeEnd && afterStart === afterEnd) continue;
    if (beforeStart === beforeEnd || afterStart === afterEnd) {
      hunks.push(rest);
      continue;
    }
    const anchors = yield* uniqueCommonLines(rest, before, after);
    if (anchors.length > 0) open.push(...between(rest, anchors));
    else if ((beforeEnd - beforeStart) * (afterEnd - afterStart) <= mostPairs)
      hunks.push(...compare(rest, before, after));
    else hunks.push(rest);
  }
  return joined(hunks);
}

interface Pair {
  readonly before: number;
  readonly after: number;
}

function withoutCommonEnds(span: LineHunk, before: readonly string[], after: readonly string[]): LineHunk {
  let { beforeStart, beforeEnd, afterStart, afterEnd } = span;
  while (beforeStart < beforeEnd && afterStart < afterEnd && before[beforeStart] === after[afterStart]) {
    beforeStart += 1;
    afterStart += 1;
  }
  while (beforeEnd > beforeStart && afterEnd > afterStart && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd -= 1;
    afterEnd -= 1;
  }
  return { beforeStart, beforeEnd, afterStart, afterEnd };
}

/** The longest run, in the order of both, of lines that stand exactly once on each side. */
function* uniqueCommonLines(
  { beforeStart, beforeEnd, afterStart, afterEnd }: LineHunk,
  before: readonly string[],
  after: readonly string[],
): Generator<void, readonly Pair[]> {
  const repeated = -1;
  const places = new Map<string, { before: number; after: number | undefined }>();
  for (let index = beforeStart; index < beforeEnd; index += 1) {
    const line = before[index] ?? "";
    const place = places.get(line);
    if (place === undefined) places.set(line, { before: index, after: undefined });
    else place.before = repeated;
    if ((index - beforeStart) % linesPerStep === linesPerStep - 1) yield;
  }
  for (let index = afterStart; index < afterEnd; index += 1) {
    const place = places.get(after[index] ?? "");
    if (place !== undefined) place.after = place.after === undefined ? index : repeated;
    if ((index - afterStart) % linesPerStep === linesPerStep - 1) yield;
  }
  const pairs: Pair[] = [];
  for (const place of places.values()) {
    if (place.before !== repeated && place.after !== undefined && place.after !== repeated) {
      pairs.push({ before: place.before, after: place.after });
    }
  }
  // A Map keeps the order of insertion: the pairs are in the order of `before`.
  return longestIncreasing(pairs);
}

function longestIncreasing(pairs: readonly Pair[]): readonly Pair[] {
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
  }
  const run: Pair[] = [];
  for (let index = tops.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) run.push(pair);
  }
  return run.reverse();
}

/** The stretches before, between and after the anchors, last first: what is taken next is the first one. */
function between(span: LineHunk, anchors: readonly Pair[]): readonly LineHunk[] {
  const spans: LineHunk[] = [];
  let beforeStart = span.beforeStart;
  let afterStart = span.afterStart;
  for (const anchor of anchors) {
    spans.push({ beforeStart, beforeEnd: anchor.before, afterStart, afterEnd: anchor.after });
    beforeStart = anchor.before + 1;
    afterStart = anchor.after + 1;
  }
  spans.push({ beforeStart, beforeEnd: span.beforeEnd, afterStart, afterEnd: span.afterEnd });
  return spans.reverse();
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

/** In order, and those that touch as one. */
function joined(hunks: LineHunk[]): LineHunk[] {
  hunks.sort((one, other) => one.beforeStart - other.beforeStart || one.afterStart - other.afterStart);
  const result: LineHunk[] = [];
  for (const hunk of hunks) {
    const last = result.at(-1);
    if (last !== undefined && last.beforeEnd === hunk.beforeStart && last.afterEnd === hunk.afterStart) {
      result[result.length - 1] = { ...last, beforeEnd: hunk.beforeEnd, afterEnd: hunk.afterEnd };
    } else result.push(hunk);
  }
  return result;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
