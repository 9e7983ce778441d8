import type { Conversation } from "@patchbay/conversations";
import type { FileHunk } from "@patchbay/conversations/model";
import type { PastHunk, PastSides } from "../messages/index.ts";

/** What a turn did to a file, as it is looked at beside each other. */
export async function pastSides(
  turn: string,
  path: string,
  files: Pick<Conversation["files"], "change" | "view">,
): Promise<PastSides> {
  const [change, view] = await Promise.all([files.change(turn, path), files.view(turn, path)]);
  const { hunks: found, mode, target } = view ?? {};
  const hunks = found === undefined || change === undefined ? undefined : placed(found, change);
  return {
    path,
    ...(change?.before === undefined ? {} : { before: change.before }),
    ...(change?.after === undefined ? {} : { after: change.after }),
    ...(hunks === undefined ? {} : { hunks }),
    ...(mode === undefined ? {} : { mode }),
    ...(target === undefined ? {} : { target }),
  };
}

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+/gu) ?? [];

/**
 * Where hunks stand in both texts. Undefined where one does not stand there: of lines of which a part was decided, the ledger tells what is
 * left of them, and where that is in a text that nobody has.
 */
function placed(
  hunks: readonly FileHunk[],
  { before = "", after = "" }: { readonly before?: string; readonly after?: string },
): readonly PastHunk[] | undefined {
  const [left, right] = [linesOf(before), linesOf(after)];
  const isThere = (lines: readonly string[], start: number, part: readonly string[]): boolean =>
    part.every((line, index) => lines[start + index] === line);
  let [leftEnd, rightEnd] = [0, 0];
  const found: PastHunk[] = [];
  for (const { id, state, beforeStart, afterStart, before: removed, after: added } of hunks) {
    const isNext = beforeStart >= leftEnd && afterStart >= rightEnd && beforeStart - leftEnd === afterStart - rightEnd;
    if (!isNext || !isThere(left, beforeStart, removed) || !isThere(right, afterStart, added)) return undefined;
    [leftEnd, rightEnd] = [beforeStart + removed.length, afterStart + added.length];
    found.push({ id, state, left: { start: beforeStart, end: leftEnd }, right: { start: afterStart, end: rightEnd } });
  }
  return left.length - leftEnd === right.length - rightEnd ? found : undefined;
}
