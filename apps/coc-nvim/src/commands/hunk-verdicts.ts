import type { Companion } from "@patchbay/core";
import { asNumber, asShape, asText } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";

export interface HunkServices {
  readonly vim: Pick<Vim, "call">;
  readonly companion: Pick<Companion, "decideHunk" | "hunks" | "proposals" | "undoHunk">;
}

/**
 * `patchbay.acceptHunk` and `patchbay.rejectHunk`: a verdict on the hunk at the cursor, or at a line of a side. The sentence is for
 * the user; undefined where the review has said all.
 */
export async function decideHunk(
  services: HunkServices,
  verdict: "accept" | "reject",
  given: readonly unknown[],
): Promise<string | undefined> {
  const { companion, vim } = services;
  const [id = "", side = "", line = 0] = given.length > 0 ? given : await placeOf(vim);
  if (id === "") return undefined;
  const proposal = asText(id);
  const at = side === "left" ? await onTheRight(services, proposal, asNumber(line)) : asNumber(line);
  const decision = await companion.decideHunk(proposal, verdict, at);
  switch (decision.kind) {
    case "decided": {
      await tell(services, proposal, decision.next?.start);
      return decision.left === 1 ? "1 hunk is left." : `${decision.left} hunks are left.`;
    }
    case "ended":
      return undefined;
    case "conflict":
      return "The file has changed in the same lines: resolve the conflict first.";
    case "read-only":
      return "This agent does not take an edited text: accept or reject the whole proposal.";
    case "none":
      return "There is no hunk to decide here.";
  }
}

/** `patchbay.undoHunk`. */
export async function undoHunk(services: HunkServices, given: string): Promise<string | undefined> {
  const { companion, vim } = services;
  const id = given === "" ? asText(await vim.call("patchbay#go#current")) : given;
  if (id === "") return undefined;
  if (!(await companion.undoHunk(id))) return "There is no verdict on a hunk to undo.";
  await tell(services, id, undefined);
  return "The last verdict on a hunk is taken back.";
}

async function placeOf(vim: Pick<Vim, "call">): Promise<readonly unknown[]> {
  const { id, side, line } = asShape(await vim.call("patchbay#hunk#place"));
  return [id ?? "", side ?? "", line ?? 0];
}

/** A line of the left side as one of the right side: that of the hunk that has it, else of the next one below, else of the last. */
async function onTheRight({ companion }: HunkServices, id: string, line: number): Promise<number> {
  const hunks = (await companion.hunks(id)) ?? [];
  const below = hunks.find(({ left }) => left.end > line || (left.start === left.end && left.start >= line));
  return (below ?? hunks.at(-1))?.right.start ?? 0;
}

async function tell({ companion, vim }: HunkServices, id: string, next: number | undefined): Promise<void> {
  const hunks = companion.proposals.find((one) => one.id === id)?.hunks;
  await vim.call("patchbay#hunk#decided", [id, hunks?.accepted ?? 0, hunks?.rejected ?? 0, next ?? -1]);
}
