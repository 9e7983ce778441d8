import type { PlacedEntry } from "@patchbay/conversations/model";
import { newestCount, olderCount } from "../../messages/for-page.ts";

/** Entries that are in the document at most while somebody reads back. */
export const mostShown = 300;

/** Entries that are drawn first. The others of the newest follow above them in steps of as many, so that what is read first is soon there. */
export const firstCount = 20;

/** What of the entries is in the document. */
export interface Shown {
  readonly entries: readonly PlacedEntry[];
  /** How many are loaded before and after. */
  readonly before: number;
  readonly after: number;
}

/** `start`: the place of the first one; undefined: the newest, `newest` of them. */
export function shownOf(top: readonly PlacedEntry[], start: number | undefined, newest: number = newestCount): Shown {
  const first = start === undefined ? top.length - newest : top.findIndex(({ place }) => place >= start);
  const before = first < 0 ? Math.max(0, top.length - newest) : first;
  const entries = top.slice(before, start === undefined ? undefined : before + mostShown);
  return { entries, before, after: top.length - before - entries.length };
}

/** The start that shows a page more before, or after. */
export function startMoved(top: readonly PlacedEntry[], { before }: Shown, direction: -1 | 1): number | undefined {
  const index = Math.max(0, before + direction * olderCount);
  return top[Math.min(index, Math.max(0, top.length - newestCount))]?.place;
}

/** The start that shows a place with some before it. */
export function startAround(top: readonly PlacedEntry[], place: number): number | undefined {
  const index = top.findIndex((placed) => placed.place >= place);
  return top[Math.max(0, index - 20)]?.place;
}
