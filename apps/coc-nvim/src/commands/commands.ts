import { type Disposable, DisposableStore, messageOf } from "@patchbay/core";
import type { CommandServices } from "./command-actions.ts";

/** Decisions and moves, which the editor makes by itself. */
const inEditor = ["accept", "reject", "next", "previous"] as const;

const others = [
  "openAgent",
  "health",
  "showShared",
  "toggleSharing",
  "mention",
  "answer",
  "linkTmux",
  "compareWithDisk",
] as const;

/** Registers every `:CocCommand patchbay.…`; the table in the readme lists them. What most of them do is loaded when it is wanted. */
export function registerCommands(services: CommandServices): Disposable {
  const { coc, vim, logger } = services;
  const store = new DisposableStore();
  const register = (name: string, run: (args: readonly unknown[]) => Promise<unknown>): void => {
    store.add(
      coc.commands.registerCommand(`patchbay.${name}`, async (...args: unknown[]) => {
        try {
          await run(args);
        } catch (error) {
          logger.error("A command failed", { command: name, reason: messageOf(error) });
          vim.notify("patchbay#say", [`patchbay.${name}: ${messageOf(error)}`, "ErrorMsg"]);
        }
      }),
    );
  };
  for (const name of inEditor) register(name, () => vim.call(`patchbay#go#${name}`));
  for (const name of others) {
    register(name, async (args) => {
      const { createCommandActions } = await import("./command-actions.ts");
      await createCommandActions(services)[name]?.(...args);
    });
  }
  return store;
}
