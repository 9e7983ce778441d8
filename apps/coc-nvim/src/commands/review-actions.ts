import { basename } from "node:path";
import type { Companion, KeptTextSaving, ProposalInfo } from "@patchbay/core";
import { sendLines } from "../vim/long-text.ts";
import { plainLine } from "../vim/plain-line.ts";
import type { Vim } from "../vim/vim.ts";
import type { reviewActionNames } from "./review-list.ts";

/** One line of `:CocList patchbay`. */
export function proposalLabel(proposal: ProposalInfo): string {
  const verb = { create: "creates", change: "changes", delete: "empties" }[proposal.kind];
  const marks = [
    ...(proposal.edited ? ["edited"] : []),
    ...(proposal.state === "terminal" ? ["answer in the agent's terminal"] : []),
    ...(proposal.state === "away" ? ["the agent is not connected"] : []),
    ...(proposal.state === "kept" ? ["the agent has exited: save, yank or discard it"] : []),
    ...(proposal.state === "asking" ? ["outside of the folder: open shows it"] : []),
    ...(proposal.state === "hidden" ? ["not shown"] : []),
  ];
  const suffix = marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
  return plainLine(`${proposal.agentName} ${verb} ${basename(proposal.path)}  ${proposal.path}${suffix}`);
}

/** Its actions. */
export type ReviewActionName = (typeof reviewActionNames)[number];

/** What the list's actions need of the companion. */
export type ReviewListCompanion = Pick<
  Companion,
  | "accept"
  | "acceptAll"
  | "discardKeptText"
  | "keptTexts"
  | "proposals"
  | "readKeptText"
  | "reject"
  | "reveal"
  | "saveKeptText"
>;

/** What an action of the list does with a proposal; the sentence is for the user. */
export type ReviewAction = (id: string) => Promise<string | undefined>;

/** The actions of `:CocList patchbay`, the default first. Of a text that no agent takes any more there is nothing to accept or to reject. */
export function createReviewActions(
  companion: ReviewListCompanion,
  vim: Pick<Vim, "call">,
): Readonly<Record<ReviewActionName, ReviewAction>> {
  const pathOf = (id: string): string | undefined => companion.keptTexts.find((kept) => kept.id === id)?.path;
  const ofProposals =
    (run: (id: string) => Promise<unknown>): ReviewAction =>
    async (id) => {
      if (pathOf(id) !== undefined) return "Its agent has exited: save, yank or discard the text.";
      await run(id);
      return undefined;
    };
  const ofKept =
    (run: (id: string, path: string) => Promise<string | undefined>): ReviewAction =>
    async (id) => {
      const path = pathOf(id);
      return path === undefined ? "Its agent waits for an answer: accept or reject it." : run(id, path);
    };
  return {
    open: async (id) => {
      await companion.reveal(id);
      return undefined;
    },
    accept: ofProposals((id) => companion.accept(id)),
    acceptAll: async () => {
      const left = await companion.acceptAll();
      return left.length === 0 ? undefined : `${left.length} could not be accepted yet: their reviews say why.`;
    },
    reject: ofProposals((id) => companion.reject(id)),
    save: ofKept(async (id, path) => savingText(await companion.saveKeptText(id), path)),
    yank: ofKept(async (id) => {
      const text = await companion.readKeptText(id);
      if (text === undefined) return undefined;
      const lines = text.replace(/\r?\n$/u, "").split(/\r?\n/u);
      await vim.call("patchbay#yank", [await sendLines(vim, "yank", lines)]);
      return "Yanked. The text stays in the list until it is discarded.";
    }),
    discard: ofKept(async (id) => ((await companion.discardKeptText(id)) ? "Discarded." : undefined)),
  };
}

function savingText(saving: KeptTextSaving | undefined, path: string): string | undefined {
  switch (saving?.kind) {
    case "saved":
      return `Saved to ${path}${saving.merged ? ", with what has changed there since" : ""}.`;
    case "conflict":
      return `${path} has changed in the same lines, so nothing was written. The text is still in the list.`;
    case "failed":
      return `Not saved: ${saving.reason}`;
    default:
      return undefined;
  }
}
