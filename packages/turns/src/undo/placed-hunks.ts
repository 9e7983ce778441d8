import type { Clock } from "@patchbay/core";
import { finishInTurns, type LineHunk, lineHunkSteps } from "@patchbay/core/texts";
import type { TurnFile, TurnHunk, TurnInfo, TurnPart } from "../model.ts";
import { changedHunks, isAddition } from "./undo-hunks.ts";

/** What of a turn is to be reviewed. An undo is nothing to be reviewed. */
export function undecidedFiles({ undoes, files }: TurnInfo): readonly TurnFile[] {
  return undoes === undefined ? files.filter(({ review }) => review !== "kept" && review !== "undone") : [];
}

/** A hunk of a turn that still stands in the editor as the turn left it. */
export interface PlacedHunk {
  readonly turn: TurnInfo;
  /** In the turn's text, for `keep` and `undo`. */
  readonly hunk: TurnHunk;
  /** Lines of the editor from 0, the end not included; where lines were removed they are the same. */
  readonly start: number;
  readonly end: number;
  readonly kind: "add" | "change" | "delete";
  /** What stood there before the turn: lines of that text from 0, the end not included. */
  readonly before: { readonly start: number; readonly end: number };
  /** Every hunk that is left of this turn in this file is one of these. */
  readonly of: number;
}

/** Turns with their texts; see `FolderLedgers`. */
export interface TurnTexts {
  turns(): readonly TurnInfo[];
  beforeText(turnId: string, path: string): Promise<string | undefined>;
  afterText(turnId: string, path: string): Promise<string | undefined>;
}

/** A file as an editor holds it. */
export interface HeldLines {
  /** As in `TurnFile`. */
  readonly path: string;
  readonly lines: readonly string[];
  /** How the editor takes a file's text apart: the text has no byte order mark. */
  readonly linesOf: (text: string) => readonly string[];
}

/** Where the lines of an editor are that agents have changed and nobody has reviewed: of the newest turn first, from the bottom up. */
export async function placedHunks(
  ledgers: TurnTexts,
  { path, lines, linesOf }: HeldLines,
  clock: Clock,
): Promise<readonly PlacedHunk[]> {
  const placed: PlacedHunk[] = [];
  for (const turn of ledgers.turns()) {
    const file = undecidedFiles(turn).find((one) => one.path === path);
    if (file?.kind !== "changed" && file?.kind !== "created") continue;
    const before = (await ledgers.beforeText(turn.id, path)) ?? "";
    const after = await ledgers.afterText(turn.id, path);
    if (after === undefined) continue;
    const hunks = changedHunks(before, after);
    const since = await finishInTurns(lineHunkSteps(linesOf(after.replace(/^\uFEFF/u, "")), lines), clock);
    const pieces = hunks.flatMap((hunk) => piecesNow(hunk, since));
    // Where a hunk is cut, all of these are never all that is left.
    const of = pieces.some(({ hunk }) => hunk.isPart === true) ? pieces.length + 1 : hunks.length;
    for (const piece of pieces.toReversed()) placed.push({ turn, ...piece, of });
  }
  return placed;
}

type Piece = Pick<PlacedHunk, "hunk" | "start" | "end" | "kind" | "before">;

/** A hunk as it stands now; of one that only adds lines those runs that nobody has changed since. */
function piecesNow(hunk: LineHunk, since: readonly LineHunk[]): readonly Piece[] {
  const { beforeStart, afterStart, afterEnd } = hunk;
  const runs = isAddition(hunk) ? unchangedRuns(hunk, since) : [{ start: afterStart, end: afterEnd }];
  return runs.flatMap(({ start, end }) => {
    const isWhole = start === afterStart && end === afterEnd;
    const one = isWhole ? hunk : { beforeStart, beforeEnd: beforeStart, afterStart: start, afterEnd: end };
    const place = placeNow(one, since);
    return place === undefined
      ? []
      : [
          {
            hunk: { start, end, ...(isWhole ? {} : { isPart: true as const }) },
            before: { start: one.beforeStart, end: one.beforeEnd },
            ...place,
          },
        ];
  });
}

function unchangedRuns({ afterStart, afterEnd }: LineHunk, since: readonly LineHunk[]): readonly TurnHunk[] {
  const runs: TurnHunk[] = [];
  let start = afterStart;
  for (const { beforeStart, beforeEnd } of since) {
    if (beforeEnd < start || beforeStart >= afterEnd || (beforeStart === beforeEnd && beforeStart === start)) continue;
    if (beforeStart > start) runs.push({ start, end: beforeStart });
    start = Math.max(start, beforeEnd);
  }
  return start < afterEnd ? [...runs, { start, end: afterEnd }] : runs;
}

/** Undefined where a line of it was changed since. */
function placeNow(
  { beforeStart, beforeEnd, afterStart, afterEnd }: LineHunk,
  since: readonly LineHunk[],
): Pick<PlacedHunk, "start" | "end" | "kind"> | undefined {
  let moved = 0;
  for (const later of since) {
    if (later.beforeStart >= afterEnd && (later.beforeStart > afterStart || afterStart < afterEnd)) break;
    const isAbove = later.beforeEnd <= afterStart;
    if (!isAbove) return undefined;
    moved += later.afterEnd - later.afterStart - (later.beforeEnd - later.beforeStart);
  }
  const kind = afterStart === afterEnd ? "delete" : beforeStart === beforeEnd ? "add" : "change";
  return { start: afterStart + moved, end: afterEnd + moved, kind };
}

/** Whether lines of the editor, from 1 and the last one included, have a hunk: one that removes lines stands at the line above. */
function isAmong({ start, end }: PlacedHunk, first: number, last: number): boolean {
  return start === end ? first <= Math.max(start, 1) && Math.max(start, 1) <= last : start < last && first <= end;
}

/**
 * Those that have some of these lines, from 1 and the last one included.
 *
 * @param isExact Of added lines only these are meant, not all of the change that they are in.
 */
export function selectedHunks(
  hunks: readonly PlacedHunk[],
  first: number,
  last: number,
  isExact: boolean = last > first,
): readonly PlacedHunk[] {
  return hunks.filter((one) => isAmong(one, first, last)).map((one) => (isExact ? narrowed(one, first, last) : one));
}

function narrowed(placed: PlacedHunk, first: number, last: number): PlacedHunk {
  const { kind, hunk, start, end } = placed;
  const [top, bottom] = [Math.max(start, first - 1), Math.min(end, last)];
  if (kind !== "add" || (top === start && bottom === end)) return placed;
  const moved = hunk.start - start;
  // Never all of the file.
  return { ...placed, hunk: { start: top + moved, end: bottom + moved, isPart: true }, start: top, end: bottom, of: 0 };
}

/** The whole file where all of it is meant: one step, which is undone at once. Else from the bottom up, so that those above stay in place. */
export function partsOf(
  path: string,
  hunks: readonly PlacedHunk[],
): readonly { readonly turn: TurnInfo; readonly part: TurnPart }[] {
  const parts: { turn: TurnInfo; part: TurnPart }[] = [];
  for (const turn of new Set(hunks.map((one) => one.turn))) {
    const ofTurn = hunks.filter((one) => one.turn === turn);
    if (ofTurn.length === ofTurn[0]?.of) parts.push({ turn, part: { path } });
    else for (const { hunk } of ofTurn) parts.push({ turn, part: { path, hunk } });
  }
  return parts;
}
