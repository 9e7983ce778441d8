import type { PlacedEntry } from "@patchbay/conversations/model";

/** What is shown at the top level, and below each tool call that started a subagent. */
export interface Groups {
  readonly top: readonly PlacedEntry[];
  /** By the id of the tool call. */
  readonly nested: ReadonlyMap<string, readonly PlacedEntry[]>;
}

const isSameList = (a: readonly PlacedEntry[], b: readonly PlacedEntry[]): boolean =>
  a.length === b.length && a.every((placed, index) => placed === b[index]);

/** Lists that did not change stay the same objects. What belongs to a tool call that is not loaded is shown at the top level. */
export function groupEntries(entries: readonly PlacedEntry[], before: Groups | undefined): Groups {
  const tools = new Set(entries.flatMap(({ entry }) => (entry.kind === "tool" ? [entry.id] : [])));
  const top: PlacedEntry[] = [];
  const nested = new Map<string, PlacedEntry[]>();
  for (const placed of entries) {
    const { parent } = placed.entry;
    if (parent === undefined || !tools.has(parent) || parent === placed.entry.id) top.push(placed);
    else nested.set(parent, [...(nested.get(parent) ?? []), placed]);
  }
  const kept = Array.from(nested, ([parent, list]): [string, readonly PlacedEntry[]] => {
    const known = before?.nested.get(parent);
    return [parent, known !== undefined && isSameList(known, list) ? known : list];
  });
  return { top: before !== undefined && isSameList(before.top, top) ? before.top : top, nested: new Map(kept) };
}
