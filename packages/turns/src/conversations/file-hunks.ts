import { createHash } from "node:crypto";
import type { Clock, LedgerHunk, LedgerTexts } from "@patchbay/core";
import type { LineHunk, lineHunkSteps } from "@patchbay/core/texts";
import type { HunkLines, TurnHunk } from "../model.ts";

/** A hunk as it is shown, and where keeping and undoing find it. */
export interface FileHunk extends LedgerHunk {
  /** In what is not decided; undefined where all of it is. */
  readonly open: { readonly at: TurnHunk; readonly lines: HunkLines } | undefined;
  /** Of one that was kept: what stands on the left of what is undecided, once it is to be decided again. */
  readonly takenUp: (() => string) | undefined;
}

export interface HunkInput {
  /** What the turn did. */
  readonly whole: LedgerTexts;
  /** What is not decided of that: a hunk that was kept is on both sides, one that was undone on neither. */
  readonly undecided: LedgerTexts;
  /** Whether an undo of these lines waits. */
  readonly isQueued: (lines: HunkLines) => boolean;
  readonly how: Comparing;
}

/** Handed in by who loads this: so it shares no code with what is loaded at the start. */
export interface Comparing {
  readonly clock: Clock;
  readonly steps: typeof lineHunkSteps;
}

/** Lines that are shown before and after a hunk. */
const around = 3;

/** As keeping and undoing take them: each with its end, which the last one may lack. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/gu) ?? [];
}

/** Long texts make room for other work, ms. */
const atOnceMs = 8;

async function hunksOf(
  left: readonly string[],
  right: readonly string[],
  { clock, steps: compare }: Comparing,
): Promise<readonly LineHunk[]> {
  const steps = compare(left, right);
  let since = clock.monotonic();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (clock.monotonic() - since < atOnceMs) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    since = clock.monotonic();
  }
}

/** Some lines of two texts. */
interface Lines extends LineHunk {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The hunks of what a turn did to a file, in order, each with what was decided of it. */
export async function fileHunks({ whole, undecided, isQueued, how }: HunkInput): Promise<readonly FileHunk[]> {
  const [before, after, openBefore, openAfter] = [whole.before, whole.after, undecided.before, undecided.after].map(
    (text) => linesOf(text ?? ""),
  ) as [readonly string[], readonly string[], readonly string[], readonly string[]];
  const between = async (left: readonly string[], right: readonly string[]): Promise<readonly Lines[]> => {
    const hunks = left === right ? [] : await hunksOf(left, right, how);
    return hunks.map((hunk) => ({
      ...hunk,
      before: left.slice(hunk.beforeStart, hunk.beforeEnd),
      after: right.slice(hunk.afterStart, hunk.afterEnd),
    }));
  };
  const all = await between(before, after);
  const open = await between(openBefore, openAfter);
  const kept = await between(before, openBefore);
  const undone = await between(openAfter, after);
  // Where what is undecided stands in what the turn left.
  const moved = (line: number): number =>
    undone.reduce((sum, one) => (one.beforeEnd <= line ? sum + one.after.length - one.before.length : sum), line);
  const found = new Map<Lines, Lines>();
  for (const isExact of [true, false]) {
    for (const one of open) {
      if (Array.from(found.values()).includes(one)) continue;
      const same = all.find(
        (hunk) => !found.has(hunk) && isSame(hunk, one) && (!isExact || hunk.afterStart === moved(one.afterStart)),
      );
      if (same !== undefined) found.set(same, one);
    }
  }
  // Only some lines of a hunk were decided: what is left is shown as it is.
  const isWhole = found.size === open.length;
  const shown = isWhole ? all : open;
  const right = isWhole ? after : openAfter;
  const counts = new Map<string, number>();
  return shown.map((hunk, number): FileHunk => {
    const sign = signOf(hunk);
    const count = (counts.get(sign) ?? 0) + 1;
    counts.set(sign, count);
    const one = isWhole ? found.get(hunk) : hunk;
    const lines = { before: hunk.before.join(""), after: hunk.after.join("") };
    const keptAs = kept.find((other) => other.beforeStart === hunk.beforeStart && isSame(hunk, other));
    const isKept = (): boolean => keptAs !== undefined || !undone.some((other) => isSame(hunk, other));
    const decided = isKept() ? "kept" : "undone";
    return {
      id: `${sign}.${count}`,
      state: one === undefined ? decided : isQueued(lines) ? "queued" : "open",
      beforeStart: hunk.beforeStart,
      afterStart: hunk.afterStart,
      before: hunk.before,
      after: hunk.after,
      above: right.slice(Math.max(shown[number - 1]?.afterEnd ?? 0, hunk.afterStart - around), hunk.afterStart),
      below: right.slice(
        hunk.afterEnd,
        Math.min(shown[number + 1]?.afterStart ?? right.length, hunk.afterEnd + around),
      ),
      open: one === undefined ? undefined : { at: { start: one.afterStart, end: one.afterEnd }, lines },
      takenUp:
        one === undefined && keptAs !== undefined
          ? () => openBefore.toSpliced(keptAs.afterStart, keptAs.after.length, ...keptAs.before).join("")
          : undefined,
    };
  });
}

/** Of what an undo wrote: the lines that took away what a hunk had brought, nearest to where it stands. */
export async function takenBack(
  written: LedgerTexts,
  hunk: LedgerHunk,
  how: Comparing,
): Promise<{ readonly at: TurnHunk; readonly lines: HunkLines } | undefined> {
  const lines = { before: hunk.after.join(""), after: hunk.before.join("") };
  const [before, after] = [linesOf(written.before ?? ""), linesOf(written.after ?? "")];
  const hunks = await hunksOf(before, after, how);
  const same = hunks.filter(
    ({ beforeStart, beforeEnd, afterStart, afterEnd }) =>
      before.slice(beforeStart, beforeEnd).join("") === lines.before &&
      after.slice(afterStart, afterEnd).join("") === lines.after,
  );
  const away = ({ afterStart }: LineHunk): number => Math.abs(afterStart - hunk.beforeStart);
  const [nearest] = same.toSorted((one, other) => away(one) - away(other));
  return nearest === undefined ? undefined : { at: { start: nearest.afterStart, end: nearest.afterEnd }, lines };
}

function signOf({ before, after }: Pick<Lines, "before" | "after">): string {
  return createHash("sha256")
    .update(`${before.join("")}\0${after.join("")}`)
    .digest("hex")
    .slice(0, 16);
}

function isSame(one: Pick<Lines, "before" | "after">, other: Pick<Lines, "before" | "after">): boolean {
  return one.before.join("") === other.before.join("") && one.after.join("") === other.after.join("");
}
