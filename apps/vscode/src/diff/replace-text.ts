import { Range, type TextDocument, workspace, WorkspaceEdit } from "vscode";

/** Makes a document hold a text, as one edit that can be undone. */
export async function replaceText(document: TextDocument, text: string): Promise<void> {
  if (document.getText() === text) return;
  const edit = new WorkspaceEdit();
  const all = new Range(document.positionAt(0), document.lineAt(document.lineCount - 1).range.end);
  edit.replace(document.uri, all, text);
  await workspace.applyEdit(edit);
}
