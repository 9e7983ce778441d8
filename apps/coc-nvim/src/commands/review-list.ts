import { basename } from "node:path";
import type { Companion, Disposable, ProposalInfo } from "@patchbay/core";
import type { Coc } from "../vim/coc-vim.ts";
import { plainLine } from "../vim/plain-line.ts";

/** One line of `:CocList patchbay`. */
export function proposalLabel(proposal: ProposalInfo): string {
  const verb = { create: "creates", change: "changes", delete: "empties" }[proposal.kind];
  const marks = [
    ...(proposal.edited ? ["edited"] : []),
    ...(proposal.state === "away" ? ["the agent is away"] : []),
    ...(proposal.state === "kept" ? ["the agent has gone"] : []),
    ...(proposal.state === "asking" ? ["waits for :CocCommand patchbay.answer"] : []),
    ...(proposal.state === "hidden" ? ["not shown"] : []),
  ];
  const suffix = marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
  return plainLine(`${proposal.agentName} ${verb} ${basename(proposal.path)}  ${proposal.path}${suffix}`);
}

/** `:CocList patchbay`: the proposals under review. */
export function registerReviewList(coc: Pick<Coc, "listManager">, companion: Companion): Disposable {
  const idOf = (item: { readonly data?: unknown } | readonly unknown[]): string | undefined => {
    const data: unknown = "data" in item ? item.data : undefined;
    return typeof data === "string" ? data : undefined;
  };
  const action = (
    name: string,
    run: (id: string) => Promise<unknown>,
  ): { name: string; execute: (item: unknown) => Promise<void> } => ({
    name,
    execute: async (item) => {
      const id = typeof item === "object" && item !== null ? idOf(item) : undefined;
      if (id !== undefined) await run(id);
    },
  });
  return coc.listManager.registerList({
    name: "patchbay",
    description: "proposals of coding agents that wait for you",
    defaultAction: "open",
    actions: [
      action("open", (id) => companion.reveal(id)),
      action("accept", (id) => companion.accept(id)),
      action("reject", (id) => companion.reject(id)),
    ],
    loadItems: async () =>
      companion.proposals.map((proposal) => ({ label: proposalLabel(proposal), data: proposal.id })),
  });
}
