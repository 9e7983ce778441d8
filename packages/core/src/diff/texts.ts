/**
 * What is done with the texts of files outside of a review: an entry of its own, so that editors load it then and not when they
 * start.
 */
export { type LineHunk, lineHunkSteps } from "./line-diff.ts";
export { hunkAtLine, hunksBetween, hunkSteps, takeHunk } from "./hunks.ts";
export type { Hunk, LineSpan } from "./model.ts";
export { mergeTexts, type MergedText } from "./merge-texts.ts";
export { restoreLineEnds, splitByteOrderMark } from "./text-fidelity.ts";
export { type Clock, finish, finishInTurns } from "../support/time.ts";
