import { EndOfLine, type Range } from "vscode";

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
