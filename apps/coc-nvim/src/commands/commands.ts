import { type Disposable, DisposableStore, LoadOnce, messageOf } from "@patchbay/core";
import type { Coc } from "../vim/coc-vim.ts";
import { asShape, asText } from "../vim/shape.ts";
import type { CommandServices } from "./command-actions.ts";

/** Decisions and moves, which the editor makes by itself. */
const inEditor = ["accept", "reject", "next", "previous"] as const;

// In one text: it is read at every start.
const others =
  "openAgent health showShared toggleSharing mention sendProblem answer linkTmux compareWithDisk agents installHook removeHook reviews hold acceptHunk rejectHunk undoHunk all keepChange undoChange showChange bringBack openPanel sendSelection explain tour";

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
  for (const name of others.split(" ")) register(name, (args) => act(name, args));
  return store;
}

/** What a list shows and does. */
interface ListSource {
  rows(): Promise<readonly { readonly label: string; readonly data: string }[]>;
  /** The sentence is for the user. */
  act(action: string, data: string): Promise<string | undefined>;
}

/**
 * `:CocList patchbay`: the proposals under review, and texts that no agent takes any more. `:CocList patchbayTurns`: what agents changed,
 * turn by turn. What they do is loaded when they are opened.
 */
export function registerLists(
  services: CommandServices & { readonly coc: Pick<Coc, "listManager"> },
  l10n: { t(text: string): string },
): Disposable {
  const { coc, vim, companion } = services;
  const register = (
    name: string,
    description: string,
    actions: string,
    load: () => Promise<ListSource>,
  ): Disposable => {
    const source = new LoadOnce(load);
    const names = actions.split(" ");
    return coc.listManager.registerList({
      name,
      description,
      defaultAction: "open",
      actions: names.map((action) => ({
        name: action,
        execute: async (item: unknown): Promise<void> => {
          const text = await (await source.get()).act(action, asText(asShape(item)["data"]));
          if (text !== undefined) vim.notify("patchbay#say", [text, "MoreMsg"]);
        },
      })),
      loadItems: async () => (await (await source.get()).rows()).map((row) => ({ ...row })),
    });
  };
  const store = new DisposableStore();
  for (const list of [
    register(
      "patchbay",
      l10n.t("proposals from coding agents"),
      "open accept acceptAll acceptFolder reject rejectFolder hold save yank discard",
      async () => {
        const [{ createReviewList }, { actInFolder, inboxOfCommands }] = await Promise.all([
          import("./reviews.ts"),
          import("./inbox.ts"),
        ]);
        const inbox = inboxOfCommands(services);
        return createReviewList(companion, vim, (verdict, folder) => actInFolder(inbox, verdict, [folder]));
      },
    ),
    register(
      "patchbayTurns",
      l10n.t("what coding agents changed"),
      "open keep undo undoNow keepAll undoAll",
      async () => (await import("./turns.ts")).createTurnList(services),
    ),
  ])
    store.add(list);
  return store;
}
