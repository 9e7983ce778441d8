import { Range, type TextDocument, Uri, window, workspace } from "vscode";
import type { HostDocuments } from "@patchbay/core";
import { openDocumentOf } from "./open-document.ts";
import { readRange } from "./read-range.ts";

/** Opening, saving and reading documents for the agents that ask for it. */
export function createDocuments(): HostDocuments {
  return {
    open: async ({ path, range, preview, focus }) => {
      const selection =
        range === undefined
          ? undefined
          : new Range(range.start.line, range.start.character, range.end.line, range.end.character);
      await window.showTextDocument(Uri.file(path), {
        preview,
        preserveFocus: !focus,
        ...(selection === undefined ? {} : { selection }),
      });
    },
    isDirty: (path) => openDocumentOf(path)?.isDirty,
    save: async (path) => (await openDocumentOf(path)?.save()) ?? false,
    readText: async (path, limitBytes) => {
      const document = openDocumentOf(path);
      return document === undefined ? undefined : readRange(document, wholeOf(document), limitBytes);
    },
    languageId: (path) => openDocumentOf(path)?.languageId,
    openUntitled: async (text, likePath) => {
      const language = openDocumentOf(likePath)?.languageId;
      const document = await workspace.openTextDocument({
        content: text,
        ...(language === undefined ? {} : { language }),
      });
      await window.showTextDocument(document, { preview: false, preserveFocus: true });
    },
  };
}

function wholeOf(document: TextDocument): Range {
  return new Range(document.positionAt(0), document.lineAt(document.lineCount - 1).range.end);
}
