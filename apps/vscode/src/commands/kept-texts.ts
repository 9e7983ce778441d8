import { commands, type Disposable, env } from "vscode";
import type { Companion, KeptText } from "@patchbay/core";
import { l10n } from "../surfaces/l10n.ts";
import { fileNameOf, shortened, shortPathOf } from "../surfaces/texts.ts";
import { askModally, inform, note, warn } from "../surfaces/messages.ts";
import { chooseProposal } from "./proposals.ts";

/** "Save to File", "Copy Text" and "Discard Text": what is left of a review whose agent is done with it. */
export function registerKeptTexts(companion: Companion): Disposable[] {
  const on = (command: string, act: (kept: KeptText) => Promise<void>): Disposable =>
    commands.registerCommand(command, async (argument?: unknown) => {
      const chosen = await chooseProposal(companion, argument);
      const kept = companion.keptTexts.find(({ id }) => id === chosen?.id);
      if (kept !== undefined) await act(kept);
      else void inform(l10n.t("This text is no longer kept."));
    });
  const save = async (kept: KeptText): Promise<void> => await saveText(companion, kept);
  return [
    on("patchbay.saveKeptText", save),
    // The same in a tab's title, which shows words where there is no icon.
    on("patchbay.saveInTitle", save),
    on("patchbay.copyKeptText", async ({ id }) => {
      const text = await companion.readKeptText(id);
      if (text === undefined) return;
      await env.clipboard.writeText(text);
      note(l10n.t("Copied."), 3_000);
    }),
    on("patchbay.discardKeptText", async (kept) => {
      const discard = l10n.t("Discard Text");
      const question = l10n.t("Discard your text for {0}? This cannot be undone.", fileNameOf(kept.path));
      if ((await askModally(question, [l10n.t("Keep Text"), discard])) === discard) {
        await companion.discardKeptText(kept.id);
      }
    }),
  ];
}

async function saveText(companion: Companion, { id, path }: KeptText): Promise<void> {
  const saving = await companion.saveKeptText(id);
  const name = shortened(shortPathOf(path));
  switch (saving?.kind) {
    case undefined:
      return;
    case "saved":
      note(
        saving.merged
          ? l10n.t("Saved to {0}, merged with the changes made there.", name)
          : l10n.t("Saved to {0}.", name),
        5_000,
      );
      return;
    case "conflict":
      void warn(
        l10n.t(
          "{path} has changed in the same lines, so nothing was written. Your text is kept in the list of proposals.",
          { path: name },
        ),
      );
      return;
    case "failed":
      void warn(
        l10n.t("Your text could not be saved to {path}; see the log. It is kept in the list of proposals.", {
          path: name,
        }),
      );
  }
}
