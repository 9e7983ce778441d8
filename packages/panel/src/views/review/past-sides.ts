import { type Clock, finishInTurns, lineHunkSteps } from "@patchbay/core/texts";
import type { PastHunk, PastSides } from "../../messages/reviews.ts";
import { type Block, blocksOf } from "./blocks.ts";
import type { Lines } from "./lines.ts";

/** Both sides of a file as they are drawn. */
export interface ComparedSides {
  readonly sides: PastSides;
  readonly text: { readonly left: Lines; readonly right: Lines };
  readonly blocks: readonly Block[];
  readonly changes: number;
}

/** In lines as the ledger has them: a lone carriage return ends none. */
const linesOf = (text: string): Lines => text.match(/[^\n]*\n|[^\n]+/gu) ?? [];

/** Agents tell one of both texts with the byte order mark of the file, and the other without it. */
const withoutMark = (text: string): string => text.replace(/^\uFEFF/u, "");

/** Undefined: there is no text to be seen. */
export async function compareSides(
  sides: PastSides,
  before: ComparedSides | undefined,
  clock: Clock,
): Promise<ComparedSides | undefined> {
  if (sides.before === undefined && sides.after === undefined) return undefined;
  const read = (text = ""): Lines => linesOf(sides.hunks === undefined ? withoutMark(text) : text);
  const [left, right] = [read(sides.before), read(sides.after)];
  const hunks = sides.hunks ?? (await compared(left, right, clock));
  const blocks = blocksOf(hunks, { left: left.length, right: right.length }, before?.blocks ?? []);
  return { sides, text: { left, right }, blocks, changes: hunks.length };
}

async function compared(left: Lines, right: Lines, clock: Clock): Promise<readonly Pick<PastHunk, "left" | "right">[]> {
  const hunks = await finishInTurns(lineHunkSteps(left, right), clock);
  return hunks.map(({ beforeStart, beforeEnd, afterStart, afterEnd }) => ({
    left: { start: beforeStart, end: beforeEnd },
    right: { start: afterStart, end: afterEnd },
  }));
}
