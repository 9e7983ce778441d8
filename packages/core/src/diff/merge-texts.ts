import { type Clock, Effort, finish, finishInTurns } from "../support/time.ts";
import { type LineHunk, lineHunkSteps, lineSteps } from "./line-diff.ts";
import { conflictEnd, conflictMiddle, conflictStart } from "./model.ts";
import { lineFeedSteps } from "./text-fidelity.ts";

export type MergedText =
  | { readonly kind: "clean"; readonly text: string }
  /** `text` holds both versions of each disputed place between conflict markers. */
  | { readonly kind: "conflict"; readonly text: string };

/** Texts up to this many UTF-16 units together are merged at once; longer ones make room for other work. */
const mergedAtOnce = 512 * 1024;

/** So many lines are put together at once. */
const linesPerPart = 8_192;

/**
 * Merges two changes of one text, line by line: `ours` (the right side of a review) and `theirs` (the file as it is now), both
 * made from `base`. Each line that one side changed is taken from that side; where both changed the same lines, or put
 * different lines at the same place, it is a conflict. Changes of neighbouring lines are none: nobody's line is in doubt.
 *
 * With `prefer`, a conflict is decided for that side. Line ends of `theirs` and `base` do not count; the result has line feeds alone (`restoreLineEnds` gives the proposal's).
 */
export async function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  clock: Clock,
  prefer?: "ours",
): Promise<MergedText> {
  const steps = mergeSteps(base, ours, theirs, prefer);
  if (base.length + ours.length + theirs.length <= mergedAtOnce) return finish(steps);
  return await finishInTurns(steps, clock);
}

function* mergeSteps(
  base: string,
  ours: string,
  theirs: string,
  prefer: "ours" | undefined,
): Generator<void, MergedText> {
  const baseText = yield* lineFeedSteps(base);
  const oursText = yield* lineFeedSteps(ours);
  const theirsText = yield* lineFeedSteps(theirs);
  yield;
  if (baseText === theirsText || oursText === theirsText) return { kind: "clean", text: oursText };
  if (baseText === oursText) return { kind: "clean", text: theirsText };
  const effort = new Effort();
  const baseLines = yield* lineSteps(baseText);
  const oursLines = yield* lineSteps(oursText);
  const theirsLines = yield* lineSteps(theirsText);
  const own: Side = { lines: oursLines, hunks: yield* lineHunkSteps(baseLines, oursLines) };
  const other: Side = { lines: theirsLines, hunks: yield* lineHunkSteps(baseLines, theirsLines) };
  const merged: string[] = [];
  let isClean = true;
  let at = 0;
  for (const { start, end, ownHunks, otherHunks } of regionsOf(own.hunks, other.hunks)) {
    yield* append(merged, baseLines, effort, at, start);
    at = end;
    const ownLines = ownHunks.length === 0 ? undefined : yield* linesOf(start, end, own, ownHunks, baseLines, effort);
    const otherLines =
      otherHunks.length === 0 ? undefined : yield* linesOf(start, end, other, otherHunks, baseLines, effort);
    if (ownLines === undefined) yield* append(merged, otherLines ?? [], effort);
    else if (otherLines === undefined || prefer === "ours" || (yield* isSame(ownLines, otherLines, effort)))
      yield* append(merged, ownLines, effort);
    else {
      isClean = false;
      merged.push(conflictStart);
      yield* append(merged, otherLines, effort);
      merged.push(conflictMiddle);
      yield* append(merged, ownLines, effort);
      merged.push(conflictEnd);
      // The end of the text is a line of its own: what follows the last marker must not stick to it.
      if (end === baseLines.length && !isEmptyEnd(merged)) merged.push("");
    }
  }
  yield* append(merged, baseLines, effort, at);
  return { kind: isClean ? "clean" : "conflict", text: yield* joinSteps(merged) };
}

function* joinSteps(lines: readonly string[]): Generator<void, string> {
  const parts: string[] = [];
  for (let start = 0; start < lines.length; start += linesPerPart) {
    parts.push(lines.slice(start, start + linesPerPart).join("\n"));
    yield;
  }
  return parts.join("\n");
}

interface Side {
  readonly lines: readonly string[];
  readonly hunks: readonly LineHunk[];
}

/** Lines `[start, end)` of the base that one side changed, or both did. */
interface Region {
  readonly start: number;
  end: number;
  readonly ownHunks: LineHunk[];
  readonly otherHunks: LineHunk[];
}

function* regionsOf(own: readonly LineHunk[], other: readonly LineHunk[]): Generator<Region, void> {
  let region: Region | undefined;
  for (const { hunk, isOwn } of inOrder(own, other)) {
    if (region === undefined || !overlaps(region, hunk)) {
      if (region !== undefined) yield region;
      region = { start: hunk.beforeStart, end: hunk.beforeEnd, ownHunks: [], otherHunks: [] };
    }
    region.end = Math.max(region.end, hunk.beforeEnd);
    (isOwn ? region.ownHunks : region.otherHunks).push(hunk);
  }
  if (region !== undefined) yield region;
}

/** The hunks of both, each in order already, by where they begin. */
function* inOrder(
  own: readonly LineHunk[],
  other: readonly LineHunk[],
): Generator<{ readonly hunk: LineHunk; readonly isOwn: boolean }, void> {
  let [ownAt, otherAt] = [0, 0];
  for (;;) {
    const [one, two] = [own[ownAt], other[otherAt]];
    const isOwn = one !== undefined && (two === undefined || begins(one, two) <= 0);
    const hunk = isOwn ? one : two;
    if (hunk === undefined) return;
    yield { hunk, isOwn };
    if (isOwn) ownAt += 1;
    else otherAt += 1;
  }
}

function begins(one: LineHunk, two: LineHunk): number {
  return one.beforeStart - two.beforeStart || one.beforeEnd - two.beforeEnd;
}

/** Whether a hunk, which begins no earlier, is about the same lines, or puts lines at the same place. */
function overlaps(region: Region, hunk: LineHunk): boolean {
  if (hunk.beforeStart < region.end) return true;
  const bothInsert = region.start === region.end && hunk.beforeStart === hunk.beforeEnd;
  return bothInsert && hunk.beforeStart === region.end;
}

/** What one side made of lines `[start, end)` of the base. */
function* linesOf(
  start: number,
  end: number,
  side: Side,
  hunks: readonly LineHunk[],
  baseLines: readonly string[],
  effort: Effort,
): Generator<void, readonly string[]> {
  const lines: string[] = [];
  let at = start;
  for (const hunk of hunks) {
    yield* append(lines, baseLines, effort, at, hunk.beforeStart);
    yield* append(lines, side.lines, effort, hunk.afterStart, hunk.afterEnd);
    at = hunk.beforeEnd;
  }
  yield* append(lines, baseLines, effort, at, end);
  return lines;
}

function* append(
  lines: string[],
  from: readonly string[],
  effort: Effort,
  start = 0,
  end = from.length,
): Generator<void, void> {
  for (let index = start; index < end; index += 1) {
    lines.push(from[index] ?? "");
    if (effort.isDue(1)) yield;
  }
}

function* isSame(one: readonly string[], other: readonly string[], effort: Effort): Generator<void, boolean> {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false;
    if (effort.isDue(1)) yield;
  }
  return true;
}

function isEmptyEnd(lines: readonly string[]): boolean {
  return lines.at(-1) === "";
}
