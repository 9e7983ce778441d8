import type { ConversationPatch, ConversationSnapshot, Entry, PlacedEntry } from "@patchbay/conversations/model";

/** Characters of a tool's output that the page is sent; `open-entry` shows all of it. */
export const pageOutputLimit = 16_384;

/** Characters that one append may have: no model says so much at once, but a tool may. */
const pageTextLimit = 262_144;

/** Entries that the page shows at first, and entries of one page of older ones. */
export const newestCount = 60;
export const olderCount = 100;

/** An entry as the page needs it: without what only a document could show. */
export function entryForPage(entry: Entry): Entry {
  if (entry.kind !== "tool" || entry.output === undefined || entry.output.length <= pageOutputLimit) return entry;
  const cut = entry.output.length - pageOutputLimit;
  return { ...entry, output: entry.output.slice(cut), outputOmitted: (entry.outputOmitted ?? 0) + cut };
}

export function placedForPage(entries: readonly PlacedEntry[]): readonly PlacedEntry[] {
  return entries.map(({ place, entry }) => ({ place, entry: entryForPage(entry) }));
}

/** A patch as the page needs it. */
export function patchForPage(patch: ConversationPatch): ConversationPatch {
  const appends = patch.appends.map(({ place, text }) => ({ place, text: text.slice(-pageTextLimit) }));
  return { ...patch, entries: placedForPage(patch.entries), appends };
}

/** A conversation as the page needs it. */
export function snapshotForPage(snapshot: ConversationSnapshot): ConversationSnapshot {
  return { ...snapshot, entries: placedForPage(snapshot.entries) };
}
