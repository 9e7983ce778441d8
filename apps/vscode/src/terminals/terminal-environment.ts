import { type Disposable } from "vscode";
import type { Companion } from "@patchbay/core";
import type { TerminalVariables } from "../edition-context.ts";
import type { Settings } from "../settings.ts";
import { l10n } from "@patchbay/languages/spoken";

/**
 * Tells agents in new terminals where the companion is. VS Code keeps the variables over a reload, so that a terminal opened
 * before the companion is back has them too; they change only when the companion's address does, because each
 * change marks open terminals as out of date.
 */
export function registerTerminalEnvironment(
  collection: TerminalVariables,
  companion: Companion,
  settings: Settings,
): Disposable {
  collection.description = l10n.t("Lets terminal coding agents find this window.");
  const update = (): void => {
    if (!settings.terminalEnvironment) {
      collection.clear();
      return;
    }
    // While nothing listens, the address of before is the one that will most probably be right again.
    if (companion.state.kind !== "listening") return;
    write(collection, companion.environment);
  };
  update();
  const subscriptions = [
    companion.onDidChangeEnvironment(update),
    companion.onDidChangeState((state) => {
      if (state.kind === "failed") collection.clear();
      else update();
    }),
    settings.onDidChange(update),
  ];
  return {
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function write(collection: TerminalVariables, wanted: Readonly<Record<string, string>>): void {
  const stale: string[] = [];
  collection.forEach((name) => {
    if (!(name in wanted)) stale.push(name);
  });
  for (const name of stale) collection.delete(name);
  for (const [name, value] of Object.entries(wanted)) {
    if (collection.get(name)?.value !== value) collection.replace(name, value);
  }
}
