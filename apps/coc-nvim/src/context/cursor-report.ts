import { asBoolean, asList, asNumber, asText } from "../vim/shape.ts";
import { shapeOfMode, type VisualSelection } from "./visual-selection.ts";

/** What `patchbay#track#cursor()` says, taken apart. */
export interface CursorReport {
  readonly buffer: number;
  /** 1-based, column in bytes. */
  readonly line: number;
  readonly column: number;
  readonly modified: boolean;
  /** Set in Visual and Select mode. */
  readonly visual: VisualSelection | undefined;
}

/** The expression that makes a report, evaluated in the editor inside its autocommand. */
export const cursorExpression = "patchbay#track#cursor()";

/** Vim's number for "to the end of every line". */
const maximumColumn = 2_147_483_647;

export function readCursorReport(value: unknown): CursorReport | undefined {
  const list = asList(value);
  if (list.length < 10) return undefined;
  const [buffer = 0, , line = 0, column = 0, wanted = 0, anchorLine = 0, anchorColumn = 0] = list.map(asNumber);
  const mode = asText(list[1]);
  const shape = shapeOfMode(mode.slice(0, 1));
  const report = { buffer, line, column, modified: asBoolean(list[9]) };
  if (shape === undefined) return { ...report, visual: undefined };
  return {
    ...report,
    visual: {
      shape,
      cursor: { line, column },
      anchor: { line: anchorLine, column: anchorColumn },
      exclusive: asBoolean(list[7]),
      toLineEnd: shape === "block" && wanted >= maximumColumn,
      tabStop: Math.max(1, asNumber(list[8])),
    },
  };
}
