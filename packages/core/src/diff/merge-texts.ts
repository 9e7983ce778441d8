import type { Clock } from "../platform/platform.ts";
import { finish, finishInTurns } from "../support/steps.ts";
import { type LineHunk, lineHunkSteps } from "./line-diff.ts";
import { lineFeedSteps } from "./text-fidelity.ts";

/** First line of a conflict in the right side of a review: what follows stands in the file now. */
export const conflictStart = "<<<<<<< current file";
/** Between both versions. */
export const conflictMiddle = "=======";
/** Last line of a conflict: what stands above it is what was proposed or typed. */
export const conflictEnd = ">>>>>>> proposed change";

export type MergedText =
  | { readonly kind: "clean"; readonly text: string }
  /** `text` holds both versions of each disputed place between conflict markers. */
  | { readonly kind: "conflict"; readonly text: string };

/** Texts up to this many UTF-16 units together are merged at once; longer ones make room for other work. */
const mergedAtOnce = 512 * 1024;

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

/** Whether a text still holds a conflict that `mergeTexts` marked. */
export function hasConflict(text: string): boolean {
  return hasLine(text, conflictStart) || hasLine(text, conflictEnd);
}

function hasLine(text: string, line: string): boolean {
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const after = text.charAt(at + line.length);
    if ((at === 0 || /[\r\n]/u.test(text.charAt(at - 1))) && /^[\r\n]?$/u.test(after)) return true;
  }
  return false;
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
  const baseLines = baseText.split("\n");
  yield;
  const oursLines = oursText.split("\n");
  yield;
  const theirsLines = theirsText.split("\n");
  yield;
  const own: Side = { lines: oursLines, hunks: yield* lineHunkSteps(baseLines, oursLines) };
  const other: Side = { lines: theirsLines, hunks: yield* lineHunkSteps(baseLines, theirsLines) };
  const merged: string[] = [];
  let isClean = true;
  let at = 0;
  for (const { start, end, ownHunks, otherHunks } of regionsOf(own.hunks, other.hunks)) {
    append(merged, baseLines, at, start);
    at = end;
    const ownLines = ownHunks.length === 0 ? undefined : linesOf(start, end, own, ownHunks, baseLines);
    const otherLines = otherHunks.length === 0 ? undefined : linesOf(start, end, other, otherHunks, baseLines);
    if (ownLines === undefined) append(merged, otherLines ?? []);
    else if (otherLines === undefined || prefer === "ours" || isSame(ownLines, otherLines)) append(merged, ownLines);
    else {
      isClean = false;
      append(merged, [conflictStart, ...otherLines, conflictMiddle, ...ownLines, conflictEnd]);
      // The end of the text is a line of its own: what follows the last marker must not stick to it.
      if (end === baseLines.length && !isEmptyEnd(merged)) merged.push("");
    }
  }
  append(merged, baseLines, at);
  return { kind: isClean ? "clean" : "conflict", text: merged.join("\n") };
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

function regionsOf(own: readonly LineHunk[], other: readonly LineHunk[]): readonly Region[] {
  const all = [...own.map((hunk) => ({ hunk, isOwn: true })), ...other.map((hunk) => ({ hunk, isOwn: false }))].sort(
    (one, two) => one.hunk.beforeStart - two.hunk.beforeStart || one.hunk.beforeEnd - two.hunk.beforeEnd,
  );
  const regions: Region[] = [];
  for (const { hunk, isOwn } of all) {
    let region = regions.at(-1);
    if (region === undefined || !overlaps(region, hunk)) {
      region = { start: hunk.beforeStart, end: hunk.beforeEnd, ownHunks: [], otherHunks: [] };
      regions.push(region);
    }
    region.end = Math.max(region.end, hunk.beforeEnd);
    (isOwn ? region.ownHunks : region.otherHunks).push(hunk);
  }
  return regions;
}

/** Whether a hunk, which begins no earlier, is about the same lines, or puts lines at the same place. */
function overlaps(region: Region, hunk: LineHunk): boolean {
  if (hunk.beforeStart < region.end) return true;
  const bothInsert = region.start === region.end && hunk.beforeStart === hunk.beforeEnd;
  return bothInsert && hunk.beforeStart === region.end;
}

/** What one side made of lines `[start, end)` of the base. */
function linesOf(
  start: number,
  end: number,
  side: Side,
  hunks: readonly LineHunk[],
  baseLines: readonly string[],
): readonly string[] {
  const lines: string[] = [];
  let at = start;
  for (const hunk of hunks) {
    append(lines, baseLines, at, hunk.beforeStart);
    append(lines, side.lines, hunk.afterStart, hunk.afterEnd);
    at = hunk.beforeEnd;
  }
  append(lines, baseLines, at, end);
  return lines;
}

function append(lines: string[], from: readonly string[], start = 0, end = from.length): void {
  for (let index = start; index < end; index += 1) lines.push(from[index] ?? "");
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

function isEmptyEnd(lines: readonly string[]): boolean {
  return lines.at(-1) === "";
}
