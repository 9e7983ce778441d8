import type { Clock } from "../support/time.ts";
import { rebaseHunks } from "./decided-hunks.ts";
import { type MergedText, mergeTexts } from "./merge-texts.ts";
import type { Proposal, ProposalBase } from "./proposal.ts";
import type { FileText } from "./reviewed-files.ts";
import { restoreLineEnds, sameLines } from "./text-fidelity.ts";

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
