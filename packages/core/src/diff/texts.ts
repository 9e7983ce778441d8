/**
 * What is done with the texts of files outside of a review: an entry of its own, so that editors load it then and not when they
 * start.
 */
export { hunkAtLine, hunksBetween, takeHunk } from "./hunks.ts";
export { mergeTexts, type MergedText } from "./merge-texts.ts";
export { restoreLineEnds, splitByteOrderMark } from "./text-fidelity.ts";
