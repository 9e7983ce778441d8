import type { Range, TextEdit } from "@patchbay/core";
import { FileUri } from "@theia/core/lib/common/file-uri";
import { URI } from "@theia/core/lib/common/uri";
import { selectionLimitBytes } from "../../common/protocol.ts";

/** As much of a document as reading a selection takes. */
export interface SelectableDocument {
  /** Text of a range, 0-based. */
  getText(range: Range): string;
  readonly lineCount: number;
}

/**
 * Reads the text of a selection line by line and stops as soon as the limit is reached: of a selection of megabytes only
 * its beginning is ever touched. The rest is core's: it cuts on a whole code point.
 */
export function readSelectionText(document: SelectableDocument, range: Range): string {
  const parts: string[] = [];
  let length = 0;
  for (let line = range.start.line; line <= range.end.line && length < selectionLimitBytes; line++) {
    const from = line === range.start.line ? range.start.character : 0;
    const most = from + selectionLimitBytes - length;
    const to = line === range.end.line ? Math.min(range.end.character, most) : most;
    const part = document.getText({ start: { line, character: from }, end: { line, character: to } });
    parts.push(part);
    length += part.length + 1;
  }
  return parts.join("\n");
}

/** The path of a file on the backend's disk; undefined for everything else (untitled, virtual, our own documents). */
export function filePathOf(uri: URI | undefined): string | undefined {
  return uri === undefined || uri.scheme !== "file" || uri.query !== "" ? undefined : uri.path.fsPath();
}

/** The URI under which Theia knows a path of the backend's disk. */
export function fileUriOf(path: string): URI {
  return FileUri.create(path);
}

/** An edit as Theia's text models take it; lines and columns begin at 1. */
export interface EditRange {
  readonly range: {
    readonly startLineNumber: number;
    readonly startColumn: number;
    readonly endLineNumber: number;
    readonly endColumn: number;
  };
  readonly text: string;
}

/** Edits of a text by offsets as edits by lines, which hold for a model with other line ends, too. In order. */
export function editRanges(text: string, edits: readonly TextEdit[]): EditRange[] {
  let line = 1;
  let lineStart = 0;
  const at = (offset: number): readonly [number, number] => {
    for (let end = text.indexOf("\n", lineStart); end !== -1 && end < offset; end = text.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = end + 1;
    }
    return [line, offset - lineStart + 1];
  };
  return edits.map(({ start, end, text: inserted }) => {
    const [startLineNumber, startColumn] = at(start);
    const [endLineNumber, endColumn] = at(end);
    return { range: { startLineNumber, startColumn, endLineNumber, endColumn }, text: inserted };
  });
}
