import type { UndoDoor, UndoEntry, UndoLedger, UndoneFile, WholeChange } from "../model.ts";

/** A file that changes just while it is written is looked at so often. */
const mostTries = 3;

/** Takes back all that a turn did to a file, where lines are of no use: bytes, links and permissions. Only what nobody has changed since. */
export async function undoWhole(
  ledger: UndoLedger,
  id: string,
  path: string,
  entry: UndoEntry,
): Promise<UndoneFile["outcome"]> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const found = await ledger.whole(id, path);
    if (found?.wanted === undefined) return "unknown";
    if (found.now === "else" || (await ledger.door.unsavedText(path)) !== undefined) return "conflict";
    if (found.now === "after") {
      const isKept = await entry.aboutToTake(path);
      let made: "written" | "stale" | "failed";
      try {
        made = await putBack(ledger.door, path, found, isKept);
      } catch {
        // A full disk, a folder that may not be written.
        made = "failed";
      }
      await entry.settleTaken(path);
      if (made === "stale") continue;
      if (made === "failed") return "failed";
    }
    await ledger.undidWhole(id, path);
    return "undone";
  }
  return "stale";
}

/**
 * Gives a file its old name back, and what it held there. Where somebody has changed it since, or something else stands at the old name,
 * both are left as they are.
 */
export async function undoRename(
  ledger: UndoLedger,
  id: string,
  { path, from }: { readonly path: string; readonly from: string },
  entry: UndoEntry,
): Promise<UndoneFile["outcome"]> {
  const { door } = ledger;
  const old = await ledger.whole(id, from);
  if (old?.wanted === undefined) return "unknown";
  // A folder that the turn made in its place goes with the new name.
  const isInside = /^[\\/]/u.test(path.slice(from.length)) && path.startsWith(from);
  if ((old.now === "else" && !isInside) || (await door.unsavedText(from)) !== undefined) return "conflict";
  const outcome = await undoWhole(ledger, id, path, entry);
  if (outcome !== "undone") return outcome;
  const folders = [path, from].flatMap((name) => ledger.made(id, name).folders);
  for (const folder of folders) await door.removeEmpty(folder);
  const back = await undoWhole(ledger, id, from, entry);
  if (back === "undone") await entry.renamed(from, path);
  return back;
}

/** A file of which nobody has a copy is not written over: it goes to the trash. */
async function putBack(
  door: UndoDoor,
  path: string,
  { held, wanted }: WholeChange,
  isKept: boolean,
): Promise<"written" | "stale" | "failed"> {
  if (wanted === undefined) return "failed";
  if (wanted === "none") return (await door.remove(path)) ? "written" : "failed";
  const isOnlyMode = wanted.kind === "file" && wanted.bytes === undefined;
  if (isKept || isOnlyMode || held?.kind !== "file") return await door.restore(path, held, wanted);
  if (!(await door.remove(path))) return "failed";
  const { kind, mode } = held;
  return await door.restore(path, undefined, wanted.kind === kind ? { ...wanted, mode: wanted.mode ?? mode } : wanted);
}

/** Gives a file whose text is back its permissions, too, unless somebody has set others since. */
export async function restoreMode(ledger: UndoLedger, id: string, path: string): Promise<void> {
  const modes = ledger.modes(id, path);
  if (modes === undefined) return;
  const held = (await ledger.whole(id, path))?.held;
  if (held?.kind !== "file" || held.mode !== modes.after) return;
  await ledger.door.restore(path, held, { kind: "file", bytes: undefined, mode: modes.before });
}
