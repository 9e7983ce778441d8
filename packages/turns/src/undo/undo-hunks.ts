import type { TurnHunk } from "../model.ts";
import { finish, type LineHunk, lineHunkSteps } from "@patchbay/core/texts";

/** What is to be taken back of one file: a turn made `after` of `before`, and since then it has become `now`. */
export interface UndoInput {
  /** As read from the disk: with byte order mark and line ends. Empty where there was no file. */
  readonly before: string;
  readonly after: string;
  readonly now: string;
  /** Hunks of `changedHunks(before, after)`, by number. */
  readonly which: "all" | readonly number[];
  /** As given to `changedHunks`. */
  readonly cut?: TurnHunk | undefined;
  /**
   * True: `now` is an editor's text, which has one kind of line end and no byte order mark, whatever the file has. What is
   * put back gets the line ends of `now`.
   */
  readonly isBuffer?: boolean;
}

export interface UndoneText {
  /** `now` with what stood there before the turn. Each of its lines stands in `now` or in `before`. */
  readonly text: string;
  /** Hunks with lines that were changed since. They were left alone. */
  readonly conflicts: readonly number[];
  /** Hunks that are taken back now, those that somebody had taken back by hand among them. */
  readonly undone: readonly number[];
}

const byteOrderMark = "\ufeff";

/** The lines of a text, each with its line end: the last one may have none, and an empty text has no line. */
export function wholeLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const ended = lines.map((line) => `${line}\n`);
  return last === "" ? ended : [...ended, last];
}

/**
 * What a turn changed in a file, as hunks of whole lines, counted from 0. A line end, or a missing one, is part of its line. The
 * number of a hunk in this list names it: before and after of a turn do not change any more.
 *
 * @param cut Added lines that are hunks of their own here.
 */
export function changedHunks(before: string, after: string, cut?: TurnHunk): readonly LineHunk[] {
  return cutHunks(finish(lineHunkSteps(wholeLines(before), wholeLines(after))), cut);
}

function cutHunks(hunks: readonly LineHunk[], cut: TurnHunk | undefined): readonly LineHunk[] {
  if (cut === undefined) return hunks;
  return hunks.flatMap((hunk) => {
    const { afterStart, afterEnd } = hunk;
    if (!isAddition(hunk)) return hunk;
    const inside = [cut.start, cut.end].filter((line) => afterStart < line && line < afterEnd);
    const ends = [...new Set(inside), afterEnd];
    return ends.map((end, at) => ({ ...hunk, afterStart: ends[at - 1] ?? afterStart, afterEnd: end }));
  });
}

/** Only adds lines: any of them can be taken without the others. */
export function isAddition({ beforeStart, beforeEnd, afterStart, afterEnd }: LineHunk): boolean {
  return beforeStart === beforeEnd && afterStart < afterEnd;
}

/** A text without some of the hunks of `changedHunks(before, after, cut)`. */
export function withoutHunks(before: string, after: string, which: readonly number[], cut?: TurnHunk): string {
  return undoHunks({ before, after, now: after, which, cut }).text;
}

/** `undoSteps` at once, for texts that are not long. */
export function undoHunks(input: UndoInput): UndoneText {
  return finish(undoSteps(input));
}

/**
 * Takes hunks back in three-way fashion. Where the lines of a hunk still are as the turn left them, what stood there before comes
 * back. A hunk with a line that was changed since is a conflict and stays, and so does one that could only be taken back by making
 * one line of two. Changes of neighbouring lines are no conflict. If nothing was changed since, everything taken
 * back is `before`, byte for byte.
 */
export function* undoSteps(input: UndoInput): Generator<void, UndoneText> {
  const { before, after, now, which, cut, isBuffer = false } = input;
  const left = wholeLines(isBuffer ? withoutMark(before) : before);
  const right = wholeLines(isBuffer ? withoutMark(after) : after);
  const current = wholeLines(now);
  const end = isBuffer ? (uniformEnd(now) ?? "\n") : changedEnd(after, now);
  const hunks = cutHunks(yield* lineHunkSteps(left, right), cut);
  const since = yield* lineHunkSteps(comparable(right, end), comparable(current, end));
  yield;
  const chosen = new Set(which === "all" ? hunks.keys() : which);
  const wanted = Array.from(hunks.entries(), ([number, { beforeStart, beforeEnd, afterStart, afterEnd }]): Change => {
    return { number, start: afterStart, end: afterEnd, before: left.slice(beforeStart, beforeEnd) };
  }).filter(({ number }) => chosen.has(number));
  const regions = regionsOf(wanted, since);
  for (const region of regions) {
    let at = region.start;
    for (const change of region.changes) {
      region.lines.push(...slice(right, at, change.start, end), ...slice(change.before, 0, change.before.length, end));
      at = change.end;
    }
    region.lines.push(...slice(right, at, region.end, end));
    const { isChangedSince, nowStart, nowEnd, lines } = region;
    region.isConflict = isChangedSince && !isSame(lines, current.slice(nowStart, nowEnd));
  }
  yield;
  const text = putTogether(regions, current);
  const numbersOf = (isConflict: boolean): readonly number[] =>
    regions.flatMap((region) => (region.isConflict === isConflict ? region.changes.map(({ number }) => number) : []));
  return { text, conflicts: numbersOf(true), undone: numbersOf(false) };
}

/** A hunk that may be taken back. */
interface Change {
  readonly number: number;
  /** Its lines in the turn's text: `[start, end)`. */
  readonly start: number;
  readonly end: number;
  /** What stood there before the turn. */
  readonly before: readonly string[];
}

/** Lines `[start, end)` of the turn's text in which something is taken back. */
interface Region {
  readonly start: number;
  end: number;
  readonly changes: Change[];
  /** Where these lines stand now. */
  nowStart: number;
  nowEnd: number;
  isChangedSince: boolean;
  isConflict: boolean;
  /** What comes in their place. */
  readonly lines: string[];
}

/** The hunks to take back, each with the later changes of the same lines. Regions of later changes alone are left out. */
function regionsOf(wanted: readonly Change[], since: readonly LineHunk[]): readonly Region[] {
  const parts = [
    ...wanted.map((change) => ({ start: change.start, end: change.end, change, growth: 0 })),
    ...since.map(({ beforeStart, beforeEnd, afterStart, afterEnd }) => ({
      start: beforeStart,
      end: beforeEnd,
      change: undefined,
      growth: afterEnd - afterStart - (beforeEnd - beforeStart),
    })),
  ].sort((a, b) => a.start - b.start || a.end - b.end);
  const regions: Region[] = [];
  let moved = 0;
  for (const { start, end, change, growth } of parts) {
    let region = regions.at(-1);
    if (region === undefined || !overlaps(region, start, end)) {
      region = {
        start,
        end,
        changes: [],
        nowStart: start + moved,
        nowEnd: 0,
        isChangedSince: false,
        isConflict: false,
        lines: [],
      };
      regions.push(region);
    }
    moved += growth;
    region.end = Math.max(region.end, end);
    region.nowEnd = region.end + moved;
    if (change === undefined) region.isChangedSince = true;
    else region.changes.push(change);
  }
  return regions.filter(({ changes }) => changes.length > 0);
}

/** Whether lines that begin no earlier are among those of a region, or are put at the same place. */
function overlaps(region: Region, start: number, end: number): boolean {
  return start < region.end || (region.start === region.end && start === region.end && start === end);
}

/** Regions that would join two lines become conflicts: only the last line of a text has no line end, so there are few. */
function putTogether(regions: readonly Region[], current: readonly string[]): string {
  for (;;) {
    const lines: string[] = [];
    const owners = new Map<number, Region>();
    let at = 0;
    for (const region of regions) {
      if (region.isConflict) continue;
      append(lines, current, at, region.nowStart);
      for (const line of region.lines) {
        owners.set(lines.length, region);
        lines.push(line);
      }
      at = region.nowEnd;
    }
    append(lines, current, at, current.length);
    const joined = lines.findIndex((line, index) => index < lines.length - 1 && !line.endsWith("\n"));
    const culprit = owners.get(joined) ?? owners.get(joined + 1);
    if (joined === -1 || culprit === undefined) return lines.join("");
    culprit.isConflict = true;
  }
}

function append(lines: string[], from: readonly string[], start: number, end: number): void {
  for (let index = start; index < end; index += 1) lines.push(from[index] ?? "");
}

function slice(lines: readonly string[], start: number, end: number, lineEnd: string | undefined): readonly string[] {
  const taken = lines.slice(start, end);
  return lineEnd === undefined ? taken : taken.map((line) => line.replace(/\r?\n$/u, lineEnd));
}

function comparable(lines: readonly string[], lineEnd: string | undefined): readonly string[] {
  return slice(lines, 0, lines.length, lineEnd === undefined ? undefined : "\n");
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

/** The line end of all lines of `now`, where somebody has changed those of the whole text since. */
function changedEnd(after: string, now: string): string | undefined {
  const [then, end] = [uniformEnd(after), uniformEnd(now)];
  return then === undefined || then === end ? undefined : end;
}

/** The one kind of line end that a text has; undefined where there are two, or none. */
function uniformEnd(text: string): "\n" | "\r\n" | undefined {
  const feeds = text.split("\n").length - 1;
  const both = text.split("\r\n").length - 1;
  if (feeds === 0 || (both > 0 && both < feeds)) return undefined;
  return both === 0 ? "\n" : "\r\n";
}

function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}
