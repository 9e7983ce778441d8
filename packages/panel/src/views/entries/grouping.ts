import type { PlacedEntry, QuestionOutcome } from "@patchbay/conversations/model";

/** Which entries stand at the top level, which below the tool call that started a subagent, and which in a tool's own row. */
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
  const { rowOf } = answersIn(entries);
  const top: PlacedEntry[] = [];
  const nested = new Map<string, PlacedEntry[]>();
  for (const placed of entries) {
    if (rowOf.has(placed.place)) continue;
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

interface Answers {
  /** What was answered last, by the id of the tool call that was asked about. */
  readonly outcomes: ReadonlyMap<string, QuestionOutcome>;
  /** The place of the tool's row, by that of the question. */
  readonly rowOf: ReadonlyMap<number, number>;
}

let latest: { readonly entries: readonly PlacedEntry[]; readonly answers: Answers } | undefined;

/**
 * Permissions that were answered: they have no line of their own where the row of their tool is loaded. Every row asks for it after every
 * change, so it is found once for each list of entries.
 */
export function answersIn(entries: readonly PlacedEntry[]): Answers {
  if (latest?.entries !== entries) latest = { entries, answers: findAnswers(entries) };
  return latest.answers;
}

function findAnswers(entries: readonly PlacedEntry[]): Answers {
  const rows = new Map<string, number>();
  const outcomes = new Map<string, QuestionOutcome>();
  const rowOf = new Map<number, number>();
  for (const { place, entry } of entries) {
    if (entry.kind === "tool") rows.set(entry.id, place);
    if (entry.kind !== "question" || entry.question.type !== "permission" || entry.outcome === undefined) continue;
    const row = rows.get(entry.question.toolId);
    if (row === undefined) continue;
    outcomes.set(entry.question.toolId, entry.outcome);
    rowOf.set(place, row);
  }
  return { outcomes, rowOf };
}
