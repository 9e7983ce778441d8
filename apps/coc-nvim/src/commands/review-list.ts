import { type Disposable, LoadOnce } from "@patchbay/core";
import type { Coc } from "../vim/coc-vim.ts";
import { asShape, asText } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import type { ReviewListCompanion } from "./review-actions.ts";

/** The actions of the list, the default first. */
export const reviewActionNames = ["open", "accept", "acceptAll", "reject", "save", "yank", "discard"] as const;

/** `:CocList patchbay`: the proposals under review, and texts that no agent takes any more. */
export function registerReviewList(
  coc: Pick<Coc, "listManager">,
  companion: ReviewListCompanion,
  vim: Vim,
): Disposable {
  const loaded = new LoadOnce(() => import("./review-actions.ts"));
  let listed: readonly string[] = [];
  const actions = reviewActionNames.map((name) => ({
    name,
    execute: async (item: unknown): Promise<void> => {
      const id = asText(asShape(item)["data"]);
      const { createReviewActions } = await loaded.get();
      const text = id === "" ? undefined : await createReviewActions(companion, vim, listed)[name](id);
      if (text !== undefined) vim.notify("patchbay#say", [text, "MoreMsg"]);
    },
  }));
  return coc.listManager.registerList({
    name: "patchbay",
    description: "proposals of coding agents that wait for you",
    defaultAction: "open",
    actions,
    loadItems: async () => {
      const { proposalLabel } = await loaded.get();
      const reasons = new Map(companion.keptTexts.map(({ id, reason }) => [id, reason]));
      const { proposals } = companion;
      listed = proposals.map(({ id }) => id);
      return proposals.map((proposal) => ({
        label: proposalLabel(proposal, reasons.get(proposal.id)),
        data: proposal.id,
      }));
    },
  });
}
