import { type Clock, finish, finishInTurns } from "../support/time.ts";
import { type DecidedHunks, type HunkStep, hunkSteps, replaceLines, takeHunk, takeLines } from "./hunks.ts";
import { type MergedText, mergeTexts } from "./merge-texts.ts";
import type { Hunk, LineSpan } from "./model.ts";
import type { FileText } from "./reviewed-files.ts";
import { restoreLineEnds, sameLines } from "./text-fidelity.ts";
import type { Proposal, ProposalBase } from "./proposal.ts";

/** Texts up to this many UTF-16 units together are compared at once; longer ones make room for other work. */
const comparedAtOnce = 128 * 1024;

/** See `hunksBetween`. */
export async function compareSides(left: string, right: string, clock: Clock): Promise<readonly Hunk[]> {
  const steps = hunkSteps(left, right);
  return left.length + right.length <= comparedAtOnce ? finish(steps) : await finishInTurns(steps, clock);
}

/** Both sides of a review after a verdict on one of their hunks, or after it was taken back. */
export interface SidesAfter {
  readonly right: string;
  readonly hunks: DecidedHunks;
  /** What is to be decided. */
  readonly open: readonly Hunk[];
}

/** What is known of the sides of a review. */
export interface Sides {
  /** The file. */
  readonly file: string;
  readonly right: string;
  readonly hunks: DecidedHunks | undefined;
}

/** An accepted hunk goes into the left side; a rejected one is made undone on the right side. */
export async function decide(
  { file, right, hunks }: Sides,
  verdict: "accept" | "reject",
  hunk: Hunk,
  clock: Clock,
): Promise<SidesAfter> {
  const left = hunks?.left ?? file;
  const known = hunks === undefined ? [] : await stepsOnRight(hunks, right, clock);
  const [start, end] = verdict === "accept" ? [hunk.left, hunk.right] : [hunk.right, hunk.left];
  const step: HunkStep = {
    verdict,
    span: { start: start.start, end: start.start + end.end - end.start },
    before: takeLines(verdict === "accept" ? left : right, start),
  };
  // Lines above which others come or go stand elsewhere from now on.
  const moved = known.flatMap((one) =>
    one.verdict === verdict ? stepAfter(one, [{ left: start, right: step.span }], undefined) : [one],
  );
  return await sidesOf(
    {
      file,
      left: verdict === "accept" ? takeHunk(right, left, { from: hunk.right, to: hunk.left }) : left,
      right: verdict === "reject" ? takeHunk(left, right, { from: hunk.left, to: hunk.right }) : right,
    },
    [...moved, step],
    clock,
  );
}

/** Takes the last verdict back that can be; undefined where none can. */
export async function takeBack({ file, right, hunks }: Sides, clock: Clock): Promise<SidesAfter | undefined> {
  if (hunks === undefined) return undefined;
  const left = hunks.left ?? file;
  const steps = await stepsOnRight(hunks, right, clock);
  const last = steps.at(-1);
  if (last === undefined) return undefined;
  const { verdict, span, before } = last;
  const back: Hunk = { left: span, right: { start: span.start, end: span.start + before.lines.length } };
  const others = steps
    .slice(0, -1)
    .flatMap((one) => (one.verdict === verdict ? stepAfter(one, [back], undefined) : [one]));
  return await sidesOf(
    {
      file,
      left: verdict === "accept" ? replaceLines(left, span, before) : left,
      right: verdict === "reject" ? replaceLines(right, span, before) : right,
    },
    others,
    clock,
  );
}

/**
 * Verdicts on a file that has changed: what was accepted stays on the left side, beside what the file brings; where the file has
 * changed the same lines, it is to be decided again.
 */
async function rebaseHunks(
  hunks: DecidedHunks,
  change: { readonly file: FileText; readonly now: FileText; readonly text: string; readonly isConflict: boolean },
  clock: Clock,
): Promise<DecidedHunks> {
  const { file, now, text, isConflict } = change;
  const left = hunks.left === undefined ? undefined : await leftOn(hunks.left, file, now, clock);
  const changes = left === undefined ? [] : await compareSides(hunks.left ?? file.text, left, clock);
  const accepted = left === undefined ? [] : await compareSides(now.text, left, clock);
  const steps = (await stepsOnRight(hunks, text, clock)).flatMap((step) => {
    if (step.verdict === "reject") return [step];
    // What the file holds by itself is nobody's verdict any more.
    return stepAfter(step, changes, undefined).filter(({ span }) => accepted.some(({ right }) => touches(right, span)));
  });
  const right = steps.some(({ verdict }) => verdict === "reject") ? text : undefined;
  const isFile = left === undefined || sameLines(left, now.text);
  const undecided = isConflict ? hunks.undecided : (await compareSides(left ?? now.text, text, clock)).length;
  return { left: isFile ? undefined : left, right, steps, undecided };
}

async function leftOn(left: string, file: FileText, now: FileText, clock: Clock): Promise<string> {
  const merged = await mergeTexts(file.text, now.readable ? now.text : file.text, left, clock, "ours");
  return await restoreLineEnds(merged.text, now.text, clock);
}

async function sidesOf(
  { file, left, right }: { readonly file: string; readonly left: string; readonly right: string },
  steps: readonly HunkStep[],
  clock: Clock,
): Promise<SidesAfter> {
  const open = await compareSides(left, right, clock);
  const isOnRight = steps.some(({ verdict }) => verdict === "reject");
  const hunks = {
    left: left === file ? undefined : left,
    right: isOnRight ? right : undefined,
    steps,
    undecided: open.length,
  };
  return { right, hunks, open };
}

/** The verdicts that still hold, now that the user has typed on the right side: what was typed over cannot be taken back. */
async function stepsOnRight({ steps, right }: DecidedHunks, now: string, clock: Clock): Promise<readonly HunkStep[]> {
  if (right === undefined || right === now) return steps;
  const changes = await compareSides(right, now, clock);
  return steps.flatMap((step) => (step.verdict === "reject" ? stepAfter(step, changes, now) : [step]));
}

/** Where the lines of a verdict are after changes of their side; none where the changes are about the same lines. */
function stepAfter(step: HunkStep, changes: readonly Hunk[], now: string | undefined): readonly HunkStep[] {
  const { start, end } = step.span;
  let moved = 0;
  for (const { left, right } of changes) {
    const isGap = start === end;
    const isIn = isGap ? left.start < start && start < left.end : overlaps(left, step.span);
    if (isIn) return [];
    // The editor's own undo has put the lines back.
    if (isGap && now !== undefined && left.start <= start && start <= left.end && holds(now, right, step)) return [];
    const isAbove = isGap ? left.end <= start && left.start < start : left.end <= start;
    if (isAbove) moved += right.end - right.start - (left.end - left.start);
  }
  return [{ ...step, span: { start: start + moved, end: end + moved } }];
}

function holds(text: string, span: LineSpan, { before: { lines } }: HunkStep): boolean {
  const bare = (line: string): string => line.replace(/[\r\n]+$/u, "");
  const there = takeLines(text, span).lines.map(bare).join("\n");
  return `\n${there}\n`.includes(`\n${lines.map(bare).join("\n")}\n`);
}

/** Whether a change is about lines of a span, or puts lines between them. */
function overlaps(change: LineSpan, span: LineSpan): boolean {
  if (change.start === change.end) return span.start < change.start && change.start < span.end;
  return change.start < span.end && span.start < change.end;
}

function touches(one: LineSpan, other: LineSpan): boolean {
  return one.start <= other.end && other.start <= one.end;
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
      ...(base.hunks === undefined
        ? {}
        : { hunks: await rebaseHunks(base.hunks, { file: base.file, now, text, isConflict }, clock) }),
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
