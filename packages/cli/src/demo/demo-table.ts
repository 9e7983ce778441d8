import { escapeLine } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import { displayWidth } from "../terminal/display-width.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { formatTable } from "../terminal/table.ts";

/** One thing that was tried. */
export interface DemoRow {
  readonly agent: string;
  readonly step: string;
  readonly expected: string;
  readonly happened: string;
}

export function isAsExpected(row: DemoRow): boolean {
  return row.expected === row.happened;
}

/** The rows as a table, or where that is wider than `columns` as sentences, and a line that counts them. */
export function formatDemo(rows: readonly DemoRow[], paint: Paint, columns?: number): readonly string[] {
  const cells = rows.map((row) => [
    row.agent,
    row.step,
    escapeLine(row.expected),
    escapeLine(row.happened),
    isAsExpected(row) ? paint.good("ok") : paint.bad("DIFFERS"),
  ]);
  const good = rows.filter(isAsExpected).length;
  const count = `${good} of ${rows.length} as expected`;
  const table = formatTable(["agent", "step", "expected", "happened", ""], cells);
  const fits = columns === undefined || table.every((line) => displayWidth(line) <= columns);
  const sentences = cells.map(([agent = "", step = "", expected = "", happened = "", mark = ""]) => {
    const wanted = happened === expected ? "" : ` (expected: ${expected})`;
    return wrapText(`${mark}  ${agent}, ${step}: ${happened}${wanted}`, columns);
  });
  return [...(fits ? table : sentences), "", good === rows.length ? paint.good(count) : paint.bad(count)];
}
