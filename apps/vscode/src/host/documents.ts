import type { HostDocuments } from "@patchbay/core";
import { EndOfLine, Range, type TextDocument, Uri, workspace } from "vscode";
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

/** The open document of a file on disk. */
export function openDocumentOf(path: string): TextDocument | undefined {
  const { fsPath } = Uri.file(path);
  return workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.scheme === "file" && document.uri.fsPath === fsPath,
  );
}

/** As much of a document as is needed to read from it. */
export interface LinedText {
  readonly eol: EndOfLine;
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

/**
 * The text of a range, line by line, stopped once `limitBytes` are reached: a large selection costs no more than what is
 * sent of it. UTF-16 units are counted, of which there are never more than UTF-8 bytes.
 */
export function readRange(document: LinedText, range: Range, limitBytes: number): string {
  const lineEnd = document.eol === EndOfLine.CRLF ? "\r\n" : "\n";
  const last = Math.min(range.end.line, document.lineCount - 1);
  let text = "";
  for (let line = range.start.line; line <= last && text.length < limitBytes; line++) {
    const from = line === range.start.line ? range.start.character : 0;
    const end = line === range.end.line ? range.end.character : Number.POSITIVE_INFINITY;
    text += document.lineAt(line).text.slice(from, Math.min(end, from + limitBytes - text.length));
    if (line < last && text.length < limitBytes) text += lineEnd;
  }
  return text;
}
