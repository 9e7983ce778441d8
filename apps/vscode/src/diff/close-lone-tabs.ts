import { type TextDocument, window } from "vscode";
import type { DiffRequest } from "@patchbay/core";
import { loneTabsOf } from "./proposal-tabs.ts";
import { replaceText } from "./replace-text.ts";
import { sameLines } from "./same-lines.ts";

/**
 * After a reload VS Code restores an unsaved right side in a tab of its own. Closing that would ask, as long as the
 * document is unsaved: so it is saved, which decides nothing, and made unsaved again.
 */
export async function closeLoneTabs(
  { id, proposedText }: Pick<DiffRequest, "id" | "proposedText">,
  document: TextDocument,
  resetSavedText: () => void,
): Promise<void> {
  const tabs = loneTabsOf(id);
  if (tabs.length === 0) return;
  const text = document.getText();
  if (document.isDirty) await document.save();
  const saved = document.getText();
  await window.tabGroups.close(Array.from(tabs), true);
  resetSavedText();
  // Who types in this moment has the last word.
  if (document.getText() !== saved || sameLines(text, proposedText)) return;
  await replaceText(document, proposedText);
  await replaceText(document, text);
}
