import type { DiffViewEvents } from "@patchbay/core";

/** What a view reported, in order. */
export interface EventRecord {
  readonly events: DiffViewEvents;
  /** Everything but `edited`: a view ends once. */
  readonly verdicts: readonly Verdict[];
  readonly edits: () => number;
}

export type Verdict =
  | { readonly kind: "accepted"; readonly text: string }
  | { readonly kind: "rejected" }
  | { readonly kind: "closed" };

export function createEventRecord(): EventRecord {
  const verdicts: Verdict[] = [];
  let edits = 0;
  return {
    verdicts,
    edits: () => edits,
    events: {
      edited: () => {
        edits += 1;
      },
      accepted: (text) => verdicts.push({ kind: "accepted", text }),
      rejected: () => verdicts.push({ kind: "rejected" }),
      closed: () => verdicts.push({ kind: "closed" }),
    },
  };
}
