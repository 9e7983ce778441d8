import { openDocumentOf, readRange } from "./open-documents.ts";
import type { HostDocuments } from "@patchbay/core";
import { Range, type TextDocument, workspace } from "vscode";
import { loadLater } from "../lazy.ts";

/** Opening, saving and reading documents for the agents that ask for it, and following those under review. */
export function createDocuments(): HostDocuments {
  return {
    open: async (place) => await (await loadLater()).showDocument(place),
    isDirty: (path) => openDocumentOf(path)?.isDirty,
    save: async (path) => (await openDocumentOf(path)?.save()) ?? false,
    readText: async (path, limitBytes) => {
      const document = openDocumentOf(path);
      return document === undefined ? undefined : readRange(document, wholeOf(document), limitBytes);
    },
    write: async (path, heldText, text) => await (await loadLater()).writeDocument(path, heldText, text),
    languageId: (path) => openDocumentOf(path)?.languageId,
    unsavedText: async (path) => {
      const document = openDocumentOf(path);
      return document?.isDirty === true ? document.getText() : undefined;
    },
    // Also told when a document becomes saved or unsaved, and when "Don't Save" takes its text back.
    onDidChangeUnsaved: (listener) =>
      workspace.onDidChangeTextDocument(({ document: { uri } }) => {
        if (uri.scheme === "file") listener({ path: uri.fsPath });
      }),
    decodeFile: async (path, bytes) => await (await loadLater()).decodeFile(path, bytes),
    reload: async (path, heldText) => await (await loadLater()).reloadDocument(path, heldText),
    openUntitled: async (text, likePath) => await (await loadLater()).showUntitled(text, likePath),
  };
}

function wholeOf(document: TextDocument): Range {
  return new Range(document.positionAt(0), document.lineAt(document.lineCount - 1).range.end);
}
