import { type TextDocument, Uri, workspace } from "vscode";

/** The open document of a file on disk. */
export function openDocumentOf(path: string): TextDocument | undefined {
  const { fsPath } = Uri.file(path);
  return workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.scheme === "file" && document.uri.fsPath === fsPath,
  );
}
