import {
  EndOfLine,
  Range,
  type Tab,
  TabInputCustom,
  TabInputNotebook,
  TabInputNotebookDiff,
  TabInputText,
  TabInputTextDiff,
  type TextDocument,
  Uri,
  workspace,
} from "vscode";

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
