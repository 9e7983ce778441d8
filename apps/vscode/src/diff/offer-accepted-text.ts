import { commands, l10n, window } from "vscode";
import { fileNameOf } from "../host/file-name.ts";
import { openDocumentOf } from "../host/open-document.ts";
import { inform } from "../surfaces/messages.ts";

/**
 * After an accepted proposal that was compared with unsaved text, the editor still holds that text while the disk has the
 * accepted one. VS Code would only say so at the next save, with a button that undoes the accepted change; so it is asked here.
 */
export async function offerAcceptedText(path: string, agentName: string): Promise<void> {
  if (openDocumentOf(path)?.isDirty !== true) return;
  const take = l10n.t("Show Accepted Text");
  const answer = await inform(
    l10n.t(
      "{0} writes the accepted text to {1}. The editor still holds your unsaved text of before.",
      agentName,
      fileNameOf(path),
    ),
    take,
    l10n.t("Keep My Unsaved Text"),
  );
  const document = openDocumentOf(path);
  if (answer !== take || document?.isDirty !== true) return;
  // Reverting works on the active editor only; the user has just clicked, so the focus may move.
  await window.showTextDocument(document, { preview: false });
  await commands.executeCommand("workbench.action.files.revert");
}
