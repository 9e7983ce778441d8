import { Range, type TextDocument } from "vscode";
import type { HostDocuments } from "@patchbay/core";
import { loadLater } from "../load-later.ts";
import { openDocumentOf } from "./open-document.ts";
import { readRange } from "./read-range.ts";

/** Opening, saving and reading documents for the agents that ask for it. */
export function createDocuments(): HostDocuments {
  return {
    open: async (place) => await (await loadLater()).showDocument(place),
    isDirty: (path) => openDocumentOf(path)?.isDirty,
    save: async (path) => (await openDocumentOf(path)?.save()) ?? false,
    readText: async (path, limitBytes) => {
      const document = openDocumentOf(path);
      return document === undefined ? undefined : readRange(document, wholeOf(document), limitBytes);
    },
    languageId: (path) => openDocumentOf(path)?.languageId,
    openUntitled: async (text, likePath) => await (await loadLater()).showUntitled(text, likePath),
  };
}

function wholeOf(document: TextDocument): Range {
  return new Range(document.positionAt(0), document.lineAt(document.lineCount - 1).range.end);
}
