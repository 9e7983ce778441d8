import { commands, l10n } from "vscode";
import { reportError } from "./surfaces/messages.ts";

/** Tells the user that agents cannot be served, and offers to look into it. */
export async function tellFailure(message: string): Promise<void> {
  const showLog = l10n.t("Show Log");
  const diagnose = l10n.t("Diagnose Connection");
  const answer = await reportError(`Patchbay: ${message}`, showLog, diagnose);
  if (answer === showLog) await commands.executeCommand("patchbay.showLog");
  if (answer === diagnose) await commands.executeCommand("patchbay.diagnose");
}
