import { commands, type Disposable } from "vscode";
import type { Sharing } from "../settings/sharing.ts";

/** "Pause Sharing" and "Resume Sharing". */
export function registerShareContext(sharing: Sharing): Disposable[] {
  return [
    commands.registerCommand("patchbay.pauseSharing", async () => await sharing.setPaused(true)),
    commands.registerCommand("patchbay.resumeSharing", async () => await sharing.setPaused(false)),
  ];
}
