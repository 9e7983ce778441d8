import { finish } from "../support/time.ts";
import { lineHunkSteps, lineSteps } from "./line-diff.ts";
import type { Hunk, HunkCounts, LineSpan } from "./model.ts";
import { lineFeedSteps } from "./text-fidelity.ts";

/**
 * What differs between the left and the right side of a review, from top to bottom; between two hunks both sides have at least one
 * line in common. Line ends do not count, except that a text with a line end after its last line has an empty line more.
 */
export function hunksBetween(left: string, right: string): readonly Hunk[] {
  return finish(hunkSteps(left, right));
}

/** The same in steps, for long texts. */
export function* hunkSteps(left: string, right: string): Generator<void, readonly Hunk[]> {
  if (left === right) return [];
  const leftLines = yield* lineSteps(yield* lineFeedSteps(left));
  const rightLines = yield* lineSteps(yield* lineFeedSteps(right));
  const hunks = yield* lineHunkSteps(leftLines, rightLines);
  return hunks.map(({ beforeStart, beforeEnd, afterStart, afterEnd }) => ({
    left: { start: beforeStart, end: beforeEnd },
    right: { start: afterStart, end: afterEnd },
  }));
}

/** Of hunks in order: the one that has the line on the right side, else the next one below, else the last one above. */
export function hunkAtLine(hunks: readonly Hunk[], line: number): Hunk | undefined {
  const below = hunks.find(({ right }) => right.end > line || (right.start === right.end && right.start >= line));
  return below ?? hunks.at(-1);
}

/**
 * The lines of a hunk as they are in `from` take the place of its lines in `to`; every other byte of `to` stays. What is copied is
 * copied with its line ends; only at the end of a text a line end goes or comes, so that the lines are the same.
 */
export function takeHunk(from: string, to: string, hunk: { readonly from: LineSpan; readonly to: LineSpan }): string {
  const fromLines = splitLines(from);
  const end = lineEndOf(fromLines[hunk.from.start - 1]) || undefined;
  return replaceLines(to, hunk.to, { lines: fromLines.slice(hunk.from.start, hunk.from.end), end });
}

/** Lines with their line ends, to be put into a text. */
export interface TakenLines {
  readonly lines: readonly string[];
  /** The line end for a line that needs one and has none; default: as in the text. */
  readonly end: string | undefined;
}

/** The lines of a text, and what is needed to put them back after others took their place. */
export function takeLines(text: string, { start, end }: LineSpan): TakenLines {
  const lines = splitLines(text);
  return { lines: lines.slice(start, end), end: lineEndOf(lines[start - 1]) || undefined };
}

/** Puts lines in the place of others. */
export function replaceLines(text: string, { start, end }: LineSpan, taken: TakenLines): string {
  const all = splitLines(text);
  const head = all.slice(0, start);
  const lines = [...head, ...taken.lines, ...all.slice(end)];
  const lineEnd = taken.end ?? (lineEndOf(taken.lines[0]) || lineEndOf(all[0]) || "\n");
  const seams = [start - 1, start + taken.lines.length - 1];
  for (const seam of [...seams, lines.length - 1]) {
    const line = lines[seam];
    if (line === undefined) continue;
    const own = lineEndOf(line);
    if (seam === lines.length - 1) lines[seam] = line.slice(0, line.length - own.length);
    else if (own === "") lines[seam] = line + lineEnd;
  }
  // Before a line feed a carriage return would end no line of its own.
  for (const seam of seams.flatMap((one) => [one - 1, one])) {
    if (lines[seam]?.endsWith("\r") === true && lines[seam + 1]?.startsWith("\n") === true) lines[seam] += "\n";
  }
  return lines.join("");
}

/** Each line with its line end; the last one has none. */
function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/gu)) {
    lines.push(text.slice(start, index + end.length));
    start = index + end.length;
  }
  lines.push(text.slice(start));
  return lines;
}

function lineEndOf(line = ""): "" | "\n" | "\r" | "\r\n" {
  if (line.endsWith("\r\n")) return "\r\n";
  if (line.endsWith("\n")) return "\n";
  return line.endsWith("\r") ? "\r" : "";
}

/** A verdict on a hunk, as far as it is needed to take it back. */
export interface HunkStep {
  readonly verdict: "accept" | "reject";
  /** The lines that were put there: on the left side by an accept, on the right side by a reject. */
  readonly span: LineSpan;
  /** The lines that were there. */
  readonly before: TakenLines;
}

/** The verdicts on single hunks of a proposal. */
export interface DecidedHunks {
  /** The left side: the file with the accepted hunks; undefined: the file. */
  readonly left: string | undefined;
  /** The right side that the lines of the steps are about; undefined where no step is about it. */
  readonly right: string | undefined;
  /** The last verdict last. */
  readonly steps: readonly HunkStep[];
  /** As counted the last time. */
  readonly undecided: number;
}

/** How many verdicts hold. */
export function hunkCounts({ steps, undecided }: DecidedHunks): HunkCounts {
  const accepted = steps.filter(({ verdict }) => verdict === "accept").length;
  return { undecided, accepted, rejected: steps.length - accepted };
}
