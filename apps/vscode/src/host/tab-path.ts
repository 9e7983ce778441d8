import {
  type Tab,
  TabInputCustom,
  TabInputNotebook,
  TabInputNotebookDiff,
  TabInputText,
  TabInputTextDiff,
  type Uri,
} from "vscode";

/** The file on disk that a tab shows, whatever kind of editor shows it; undefined for all else, our own diffs too. */
export function pathOfTab(tab: Tab): string | undefined {
  const uri = shownUri(tab.input);
  return uri?.scheme === "file" ? uri.fsPath : undefined;
}

function shownUri(input: unknown): Uri | undefined {
  if (input instanceof TabInputText || input instanceof TabInputNotebook || input instanceof TabInputCustom) {
    return input.uri;
  }
  if (input instanceof TabInputTextDiff || input instanceof TabInputNotebookDiff) return input.modified;
  return undefined;
}
