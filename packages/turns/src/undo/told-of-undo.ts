import type { UndoNotice } from "../model.ts";

/** More files are counted. */
const mostFiles = 20;

/**
 * What the agent is told of an undo, so that it does not build on what is gone. `shown`: a path as the agent knows it. Undefined
 * where nothing was written.
 */
export function toldOfUndo({ turn, result, reason }: UndoNotice, shown: (path: string) => string): string | undefined {
  const undone = result.files.filter(({ outcome }) => outcome === "undone" || outcome === "partly");
  if (undone.length === 0) return undefined;
  const named = undone
    .slice(0, mostFiles)
    .map(({ path, outcome }) => (outcome === "partly" ? `${shown(path)} (in part)` : shown(path)));
  const more = undone.length > mostFiles ? [`${undone.length - mostFiles} more`] : [];
  const [what, where] =
    turn.undoes === undefined ? ["took back", "changes of yours in"] : ["brought back", "changes in"];
  const said = reason?.trim() ?? "";
  const asked = said === "" ? "" : ` They say: ${said}`;
  return `The user reviewed what you did and ${what} ${where} ${[...named, ...more].join(", ")}. Read these files again before you go on with them, and do not change them back unless the user asks for it.${asked}`;
}
