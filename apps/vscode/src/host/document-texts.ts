import { type HostDocuments, textEdits } from "@patchbay/core";
import { EndOfLine, Range, type TextDocument, TextEdit, Uri, window, workspace, WorkspaceEdit } from "vscode";
import { openDocumentOf } from "./open-documents.ts";

/** Whether files are read as UTF-8 without guessing, so that bytes from the disk may be decoded by anyone. */
export function readsUtf8(uri: Uri, languageId?: string): boolean {
  const files = workspace.getConfiguration("files", languageId === undefined ? uri : { uri, languageId });
  const encoding = files.get<string>("encoding", "utf8");
  return (encoding === "utf8" || encoding === "utf8bom") && !files.get<boolean>("autoGuessEncoding", false);
}

/** The text of a file's bytes as the user's settings have it read; undefined where that is plain UTF-8. */
export async function decodeFile(path: string, bytes: Uint8Array): Promise<string | undefined> {
  const uri = Uri.file(path);
  if (readsUtf8(uri, openDocumentOf(path)?.languageId)) return undefined;
  // Older versions cannot decode for others; their documents are some hundred milliseconds behind the disk.
  return decodes(workspace)
    ? await workspace.decode(bytes, { uri })
    : (await workspace.openTextDocument(uri)).getText();
}

interface Decoder {
  decode(content: Uint8Array, options: { readonly uri: Uri }): PromiseLike<string>;
}

function decodes(api: object): api is Decoder {
  return "decode" in api && typeof api.decode === "function";
}

/** Whether the user wants documents changed when they are saved: then a save that nobody asked for would change what is typed. */
export function changesOnSave({ uri, languageId }: Pick<TextDocument, "uri" | "languageId">): boolean {
  const files = workspace.getConfiguration("files", { uri, languageId });
  const editor = workspace.getConfiguration("editor", { uri, languageId });
  const actions: unknown = editor.get("codeActionsOnSave");
  return (
    ["trimTrailingWhitespace", "insertFinalNewline", "trimFinalNewlines"].some((name) => files.get(name) === true) ||
    editor.get("formatOnSave") === true ||
    (typeof actions === "object" && actions !== null && Object.keys(actions).length > 0)
  );
}

/** Whether two texts differ in nothing but their line ends: documents have one kind, files may have several. */
export function sameLines(a: string, b: string): boolean {
  return a === b || toLineFeeds(a) === toLineFeeds(b);
}

function toLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/gu, "\n") : text;
}

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

/** Opens a file at a place. See `HostDocuments.open`. */
export const showDocument: HostDocuments["open"] = async ({ path, range, preview, focus }) => {
  const selection =
    range === undefined
      ? undefined
      : new Range(range.start.line, range.start.character, range.end.line, range.end.character);
  await window.showTextDocument(Uri.file(path), {
    preview,
    preserveFocus: !focus,
    ...(selection === undefined ? {} : { selection }),
  });
};

/** Opens a text that has no file, in the language of one. See `HostDocuments.openUntitled`. */
export const showUntitled: NonNullable<HostDocuments["openUntitled"]> = async (text, likePath) => {
  const language = openDocumentOf(likePath)?.languageId;
  const document = await workspace.openTextDocument({
    content: text,
    ...(language === undefined ? {} : { language }),
  });
  await window.showTextDocument(document, { preview: false, preserveFocus: true });
};
