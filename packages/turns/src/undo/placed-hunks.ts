import type { Clock } from "@patchbay/core";
import { finishInTurns, type LineHunk, lineHunkSteps } from "@patchbay/core/texts";
import type { TurnFile, TurnHunk, TurnInfo, TurnPart } from "../model.ts";
import { changedHunks } from "./undo-hunks.ts";

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
    for (const hunk of hunks.toReversed()) {
      const place = placeNow(hunk, since);
      if (place === undefined) continue;
      placed.push({ turn, hunk: { start: hunk.afterStart, end: hunk.afterEnd }, ...place, of: hunks.length });
    }
  }
  return placed;
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
export function isAmong({ start, end }: PlacedHunk, first: number, last: number): boolean {
  return start === end ? first <= Math.max(start, 1) && Math.max(start, 1) <= last : start < last && first <= end;
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
