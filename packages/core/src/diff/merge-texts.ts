import { type Clock, Effort, finish, finishInTurns } from "../support/time.ts";
import { type LineHunk, lineHunkSteps, lineSteps } from "./line-diff.ts";
import { conflictEnd, conflictMiddle, conflictStart } from "./model.ts";
import type { Proposal, ProposalBase } from "./proposal.ts";
import type { FileText } from "./reviewed-files.ts";
import { lineFeedSteps, restoreLineEnds, sameLines } from "./text-fidelity.ts";

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

/** A proposal on the file as it is now. */
export interface RebasedProposal {
  readonly base: ProposalBase;
  /** What the right side is to hold. */
  readonly text: string;
  readonly isConflict: boolean;
}

/**
 * Carries what the right side of a review holds (the proposal, with or without the user's edits) over to the file as it is
 * now, by a three-way merge: every change of the file stays, every change of the right side stays, or it is a conflict.
 */
export async function rebaseProposal(
  proposal: Proposal,
  rightText: string,
  now: FileText,
  clock: Clock,
): Promise<RebasedProposal> {
  const { base } = proposal;
  if (base === undefined) return { base: firstBase(now), text: rightText, isConflict: false };
  const { conflict } = base;
  const isUntouched = sameLines(rightText, proposal.shownText);
  // A conflict that nobody has touched yet is worked out anew from what it came from, not piled upon.
  const from = conflict !== undefined && isUntouched ? conflict.base : base.file.text;
  const ours = conflict !== undefined && isUntouched ? conflict.ours : rightText;
  const shown = conflict !== undefined && isUntouched ? conflict.shown : proposal.shownText;
  // What cannot be read as text cannot be merged.
  const merged = await mergeTexts(from, ours, now.readable ? now.text : from, clock);
  const text = await inLineEndsOf(ours, merged, clock);
  const wasUntouched = sameLines(ours, shown);
  const shownNext = wasUntouched ? text : await shownAfter(from, shown, now, clock);
  const isConflict = merged.kind === "conflict";
  const holdsMore =
    !sameLines(shownNext, proposal.body) || (!wasUntouched && (base.isRebased || !sameLines(text, ours)));
  return {
    base: {
      file: now,
      proposedOn: base.proposedOn,
      shown: sameLines(shownNext, proposal.body) ? undefined : shownNext,
      isRebased: isConflict || holdsMore,
      // One that the user is in the middle of resolving stays one until its markers are gone.
      conflict: isConflict ? { base: from, ours, shown } : isUntouched ? undefined : conflict,
    },
    text,
    isConflict,
  };
}

/** The file as it is when nothing has been changed beside the proposal. */
export function firstBase(file: FileText): ProposalBase {
  return { file, proposedOn: file.text, shown: undefined, isRebased: false, conflict: undefined };
}

/**
 * What an agent that makes edits is told, so that the file holds `accepted` afterwards: the same changes of `onDisk`, made in the
 * text that the agent knows. Told of changes that others have made, it would make them once more.
 */
export async function textForEdits(
  { base }: Proposal,
  accepted: string,
  onDisk: FileText,
  clock: Clock,
): Promise<string> {
  if (base === undefined || !onDisk.readable || sameLines(base.proposedOn, onDisk.text)) return accepted;
  const merged = await mergeTexts(onDisk.text, accepted, base.proposedOn, clock, "ours");
  return inLineEndsOf(accepted, merged, clock);
}

/** What counts as untouched beside a text that the user has edited. */
async function shownAfter(from: string, shown: string, now: FileText, clock: Clock): Promise<string> {
  const merged = await mergeTexts(from, shown, now.readable ? now.text : from, clock);
  return merged.kind === "clean" ? inLineEndsOf(shown, merged, clock) : shown;
}

function inLineEndsOf(ours: string, merged: MergedText, clock: Clock): string | Promise<string> {
  return restoreLineEnds(merged.text, ours, clock);
}
