import { EndOfLine, Range, type TextDocument, TextEdit, Uri, workspace, WorkspaceEdit } from "vscode";
import { type HostDocuments, textEdits } from "@patchbay/core";
import { changesOnSave, decodeFile } from "./file-text.ts";
import { openDocumentOf } from "./open-document.ts";

/**
 * Makes a document hold a text by the smallest edits, as one step that undo takes back. False where it was changed while the
 * edit was on its way: VS Code checks the version.
 */
export async function replaceText(document: TextDocument, text: string): Promise<boolean> {
  const before = document.getText();
  const after = withLineEnds(text, document.eol);
  if (before === after) return true;
  const edit = new WorkspaceEdit();
  const { version } = document;
  const edits = await textEdits(before, after, async () => {
    await new Promise((resolve) => setImmediate(resolve));
  });
  if (document.version !== version) return false;
  for (const { start, end, text: inserted } of edits) {
    edit.replace(document.uri, new Range(document.positionAt(start), document.positionAt(end)), inserted);
  }
  return await workspace.applyEdit(edit);
}

/** See `HostDocuments.write`. */
export const writeDocument: NonNullable<HostDocuments["write"]> = async (path, heldText, text) => {
  const document = openDocumentOf(path);
  if (document === undefined || !holds(document, heldText)) return "stale";
  const wasDirty = document.isDirty;
  if (!(await replaceText(document, text))) return "stale";
  if (!wasDirty) await document.save();
  return "written";
};

/**
 * See `HostDocuments.reload`. VS Code saves over a file that is newer than what it read only where both hold the same bytes:
 * so the document takes the file's text first. Where saving would change that text, the user is left to save.
 */
export const reloadDocument: NonNullable<HostDocuments["reload"]> = async (path, heldText) => {
  const document = openDocumentOf(path);
  if (document?.isDirty !== true || !holds(document, heldText)) return;
  const bytes = await workspace.fs.readFile(Uri.file(path));
  const text = ((await decodeFile(path, bytes)) ?? new TextDecoder().decode(bytes)).replace(/^\uFEFF/u, "");
  const lineEnd = text.includes("\r\n") ? EndOfLine.CRLF : EndOfLine.LF;
  if (lineEnd !== document.eol) {
    const edit = new WorkspaceEdit();
    edit.set(document.uri, [TextEdit.setEndOfLine(lineEnd)]);
    await workspace.applyEdit(edit);
  }
  if (!holds(document, heldText) || !(await replaceText(document, text))) return;
  if (!changesOnSave(document) && document.getText() === text) await document.save();
};

function holds(document: TextDocument, text: string): boolean {
  return withLineEnds(document.getText(), EndOfLine.LF) === withLineEnds(text, EndOfLine.LF);
}

function withLineEnds(text: string, eol: EndOfLine): string {
  return text.replace(/\r\n?|\n/gu, eol === EndOfLine.CRLF ? "\r\n" : "\n");
}
