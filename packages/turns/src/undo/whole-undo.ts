import type { UndoEntry, UndoLedger, UndoneFile } from "../model.ts";

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
      const { held, wanted } = found;
      await entry.aboutToTake(path);
      let made: "written" | "stale" | "failed";
      try {
        if (wanted === "none") made = (await ledger.door.remove(path)) ? "written" : "failed";
        else made = await ledger.door.restore(path, held, wanted);
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

/** Gives a file whose text is back its permissions, too, unless somebody has set others since. */
export async function restoreMode(ledger: UndoLedger, id: string, path: string): Promise<void> {
  const modes = ledger.modes(id, path);
  if (modes === undefined) return;
  const held = (await ledger.whole(id, path))?.held;
  if (held?.kind !== "file" || held.mode !== modes.after) return;
  await ledger.door.restore(path, held, { kind: "file", bytes: undefined, mode: modes.before });
}
