import { type Tab, type TextDocument, window, workspace } from "vscode";
import { proposalUriOfTab } from "./proposal-tabs.ts";

/**
 * Closes a tab that no proposal claims any more. Text that was typed into it is handed over in a new unsaved file: its
 * agent is gone, the user's work is not.
 */
export async function closeStaleTab(
  tab: Tab,
  handOver: (text: string, likePath: string) => Promise<void>,
): Promise<void> {
  const document = documentOf(tab);
  if (document?.isDirty === true) {
    await handOver(document.getText(), document.uri.fsPath);
    // Saving takes the mark of an unsaved change away, so that closing asks nothing.
    await document.save();
  }
  await window.tabGroups.close(tab, true);
}

function documentOf(tab: Tab): TextDocument | undefined {
  const wanted = proposalUriOfTab(tab)?.toString();
  return workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}
