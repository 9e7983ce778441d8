import { type Disposable, DisposableStore, messageOf } from "@patchbay/core";
import type { Coc } from "../vim/coc-vim.ts";
import { asShape, asText } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import type { CommandServices } from "./command-actions.ts";
import type { ReviewActionName, ReviewListCompanion } from "./reviews.ts";

/** Decisions and moves, which the editor makes by itself. */
const inEditor = ["accept", "reject", "next", "previous"] as const;

const others = [
  "openAgent",
  "health",
  "showShared",
  "toggleSharing",
  "mention",
  "sendProblem",
  "answer",
  "linkTmux",
  "compareWithDisk",
  "agents",
  "installHook",
  "removeHook",
  "reviews",
  "hold",
  "acceptHunk",
  "rejectHunk",
  "undoHunk",
  "openPanel",
  "sendSelection",
] as const;

/** Registers every `:CocCommand patchbay.…`; the table in the readme lists them. What most of them do is loaded when it is wanted. */
export function registerCommands(services: CommandServices): Disposable {
  const { coc, vim, logger } = services;
  const store = new DisposableStore();
  const register = (name: string, run: (args: readonly unknown[]) => Promise<unknown>): void => {
    store.add(
      coc.commands.registerCommand(`patchbay.${name}`, async (...args: unknown[]) => {
        try {
          return await run(args);
        } catch (error) {
          logger.error("A command failed", { command: name, reason: messageOf(error) });
          vim.notify("patchbay#say", [`patchbay.${name}: ${messageOf(error)}`, "ErrorMsg"]);
        }
      }),
    );
  };
  const act = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const { createCommandActions } = await import("./command-actions.ts");
    return await createCommandActions(services)[name]?.(...args);
  };
  for (const name of inEditor)
    register(name, (args) =>
      name === "reject" && args.length > 0 ? act(name, args) : vim.call(`patchbay#go#${name}`),
    );
  for (const name of others) register(name, (args) => act(name, args));
  return store;
}

const reviewActions: readonly ReviewActionName[] = [
  "open",
  "accept",
  "acceptAll",
  "reject",
  "hold",
  "save",
  "yank",
  "discard",
];

/** `:CocList patchbay`: the proposals under review, and texts that no agent takes any more. What it does is loaded when it is opened. */
export function registerReviewList(
  coc: Pick<Coc, "listManager">,
  companion: ReviewListCompanion,
  vim: Vim,
): Disposable {
  let listed: readonly string[] = [];
  const actions = reviewActions.map((name) => ({
    name,
    execute: async (item: unknown): Promise<void> => {
      const { createReviewActions } = await import("./reviews.ts");
      const id = asText(asShape(item)["data"]);
      const text = id === "" ? undefined : await createReviewActions(companion, vim, listed)[name](id);
      if (text !== undefined) vim.notify("patchbay#say", [text, "MoreMsg"]);
    },
  }));
  return coc.listManager.registerList({
    name: "patchbay",
    description: "proposals from coding agents",
    defaultAction: "open",
    actions,
    loadItems: async () => {
      const { proposalLabel } = await import("./reviews.ts");
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
