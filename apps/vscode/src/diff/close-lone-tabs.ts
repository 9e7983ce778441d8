import { type TextDocument, window } from "vscode";
import { loneTabsOf } from "./proposal-tabs.ts";

/**
 * After a reload VS Code restores an unsaved right side in a tab of its own. Closing that would ask, as long as the
 * document is unsaved: so it is saved, which decides nothing.
 */
export async function closeLoneTabs(id: string, document: TextDocument): Promise<void> {
  const tabs = loneTabsOf(id);
  if (tabs.length === 0) return;
  if (document.isDirty) await document.save();
  await window.tabGroups.close(Array.from(tabs), true);
}
