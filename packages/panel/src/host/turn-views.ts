import type { FileHunk, FileView } from "@patchbay/conversations/model";
import type { PageHunk, PageView } from "../messages/index.ts";

/** So many hunks of a file are drawn, */
const mostHunks = 100;

/** so many lines of each side of one, */
const mostLines = 200;

/** so many of all, */
const mostOfAll = 2_000;

/** and so much of a line, UTF-16 units. */
const longestLine = 2_000;

/** As much of what a turn did to a file as a page draws. */
export function viewForPage({ hunks, ...others }: FileView): PageView {
  if (hunks === undefined) return { ...others, more: 0 };
  const shown: PageHunk[] = [];
  let count = 0;
  for (const hunk of hunks.slice(0, mostHunks)) {
    const one = hunkForPage(hunk);
    count += one.before.length + one.after.length;
    if (count > mostOfAll) break;
    shown.push(one);
  }
  return { ...others, hunks: shown, more: hunks.length - shown.length };
}

function hunkForPage(hunk: FileHunk): PageHunk {
  const cut = (lines: readonly string[]): readonly string[] =>
    lines.slice(0, mostLines).map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)} …` : line));
  const before = cut(hunk.before);
  const after = cut(hunk.after);
  const more = hunk.before.length + hunk.after.length - before.length - after.length;
  // What stands below lines that are left out stands elsewhere.
  return { ...hunk, before, after, above: cut(hunk.above), below: more > 0 ? [] : cut(hunk.below), more };
}
