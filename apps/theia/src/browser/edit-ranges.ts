import type { TextEdit } from "@patchbay/core";

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
