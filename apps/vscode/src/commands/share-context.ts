import { commands, type Disposable, l10n } from "vscode";
import type { Sharing } from "../settings/sharing.ts";
import { inform } from "../surfaces/messages.ts";

/** "Pause Sharing" and "Resume Sharing". */
export function registerShareContext(sharing: Sharing): Disposable[] {
  return [
    commands.registerCommand("patchbay.pauseSharing", async () => await sharing.setPaused(true)),
    commands.registerCommand("patchbay.resumeSharing", async () => await resume(sharing)),
  ];
}

async function resume(sharing: Sharing): Promise<void> {
  await sharing.setPaused(false);
  if (!sharing.paused) return;
  void inform(l10n.t("Sharing stays off: the setting patchbay.context.share is off."));
}
