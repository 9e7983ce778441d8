import type { LineHunk } from "@patchbay/core/texts";
import type { HunkLines, TurnHunk, TurnTexts, UndoRequest } from "../model.ts";
import { changedHunks, isAddition, wholeLines } from "./undo-hunks.ts";

/** Hunks of `changedHunks(before, after, cut)`, by number. */
export interface Meant {
  readonly chosen: readonly number[];
  readonly cut: TurnHunk | undefined;
}

export function meantIn(texts: TurnTexts, request: Pick<UndoRequest, "hunk" | "lines">): Meant {
  const { hunk, lines } = request;
  if (hunk?.isPart !== true) return { chosen: numbersOf(texts, request), cut: undefined };
  const { before = "", after = "" } = texts;
  const cut = lines === undefined ? hunk : foundAgain(texts, hunk, lines);
  if (cut === undefined) return { chosen: [], cut };
  const chosen = changedHunks(before, after, cut).flatMap((one, number) =>
    isAddition(one) && cut.start <= one.afterStart && one.afterEnd <= cut.end ? [number] : [],
  );
  return { chosen, cut };
}

/** Where added lines stand now that the agent has gone on, nearest to where they stood. */
function foundAgain({ before = "", after = "" }: TurnTexts, at: TurnHunk, wanted: HunkLines): TurnHunk | undefined {
  const lines = wholeLines(after);
  const length = at.end - at.start;
  const places = changedHunks(before, after).flatMap((hunk) => {
    const starts = isAddition(hunk) ? Math.max(0, hunk.afterEnd - hunk.afterStart - length + 1) : 0;
    return Array.from({ length: starts }, (_, step) => hunk.afterStart + step);
  });
  const same = places.filter((start) => lines.slice(start, start + length).join("") === wanted.after);
  const [start] = same.toSorted((one, other) => Math.abs(one - at.start) - Math.abs(other - at.start));
  return start === undefined ? undefined : { start, end: start + length };
}

/** The hunks that are meant, by number: all of them where none is named. */
function numbersOf({ before = "", after = "" }: TurnTexts, { hunk: at, lines }: UndoRequest): readonly number[] {
  const hunks = changedHunks(before, after);
  if (at === undefined) return hunks.map((_, number) => number);
  if (lines !== undefined) {
    const same = hunks.flatMap((hunk, number) => (isSame(textOf(before, after, hunk), lines) ? [number] : []));
    const distance = (number: number): number => Math.abs((hunks[number]?.afterStart ?? 0) - at.start);
    return same.toSorted((one, other) => distance(one) - distance(other)).slice(0, 1);
  }
  const exact = hunks.findIndex(({ afterStart, afterEnd }) => afterStart === at.start && afterEnd === at.end);
  if (exact !== -1) return [exact];
  return hunks.flatMap(({ afterStart, afterEnd }, number) => {
    const isEmpty = afterStart === afterEnd;
    const touches = isEmpty
      ? at.start <= afterStart && afterStart <= at.end
      : afterStart < at.end && at.start < afterEnd;
    return touches ? [number] : [];
  });
}

export function linesAt(texts: TurnTexts, hunk: TurnHunk | undefined): HunkLines | undefined {
  const { before = "", after = "" } = texts;
  const { chosen, cut } = hunk === undefined ? { chosen: [], cut: undefined } : meantIn(texts, { hunk });
  const found = changedHunks(before, after, cut)[chosen[0] ?? -1];
  return found === undefined ? undefined : textOf(before, after, found);
}

function textOf(before: string, after: string, hunk: LineHunk): HunkLines {
  const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
  return {
    before: wholeLines(before).slice(beforeStart, beforeEnd).join(""),
    after: wholeLines(after).slice(afterStart, afterEnd).join(""),
  };
}

export function isSame(one: HunkLines, other: HunkLines): boolean {
  return one.before === other.before && one.after === other.after;
}
