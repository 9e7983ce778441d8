import { escapeLine } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
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

/** The rows as a table, and a line that counts them. */
export function formatDemo(rows: readonly DemoRow[], paint: Paint): readonly string[] {
  const cells = rows.map((row) => [
    row.agent,
    row.step,
    escapeLine(row.expected),
    escapeLine(row.happened),
    isAsExpected(row) ? paint.good("ok") : paint.bad("DIFFERS"),
  ]);
  const good = rows.filter(isAsExpected).length;
  const count = `${good} of ${rows.length} as expected`;
  return [
    ...formatTable(["agent", "step", "expected", "happened", ""], cells),
    "",
    good === rows.length ? paint.good(count) : paint.bad(count),
  ];
}
