import { median, type Row } from "../rows/row.ts";

/** Figures by row and subject. */
export type Results = Map<string, readonly number[]>;

export interface Summary {
  readonly subjects: readonly string[];
  readonly rows: readonly SummaryRow[];
}

export interface SummaryRow {
  readonly name: string;
  readonly unit: string;
  readonly lowerIsBetter: boolean;
  /** Median by subject; absent where every run failed. */
  readonly medians: Readonly<Record<string, number>>;
}

export function summarise(rows: readonly Row[], subjects: readonly string[], results: Results): Summary {
  return {
    subjects,
    rows: rows.map((row) => {
      const medians: Record<string, number> = {};
      for (const subject of subjects) {
        const values = results.get(`${row.name} ${subject}`);
        if (values !== undefined) medians[subject] = median(values);
      }
      return { name: row.name, unit: row.unit, lowerIsBetter: row.lowerIsBetter, medians };
    }),
  };
}

/** A figure as a person reads it. */
export function show(value: number | undefined, unit = ""): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  const text =
    size >= 1_000 ? Math.round(value).toLocaleString("en") : size >= 10 ? value.toFixed(1) : value.toFixed(2);
  return unit === "" ? text : `${text} ${unit}`;
}
