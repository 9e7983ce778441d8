import { type Goal, median, type Row } from "../rows/row.ts";

/** The subject whose goals are looked at, and the one that they are set against. */
export const ownSubject = "vscode";
export const peerSubject = "against";

/** Every figure that was taken, by row and subject. */
export type Figures = Record<string, Record<string, number[]>>;

export interface Results {
  readonly subjects: readonly string[];
  readonly rows: readonly ResultRow[];
  readonly figures: Figures;
}

export interface ResultRow extends Row {
  /** Median by subject; absent where a subject has no figure. */
  readonly medians: Readonly<Record<string, number>>;
}

export function summarise(rows: readonly Row[], subjects: readonly string[], figures: Figures): Results {
  return {
    subjects,
    figures,
    rows: rows.map((row) => {
      const taken = Object.entries(figures[row.name] ?? {}).filter(([, values]) => values.length > 0);
      return { ...row, medians: Object.fromEntries(taken.map(([subject, values]) => [subject, median(values)])) };
    }),
  };
}

/** Our figure divided by another's; undefined where one of them is missing or nothing. */
export function ratioTo(row: ResultRow, subject: string): number | undefined {
  const own = row.medians[ownSubject];
  const other = row.medians[subject];
  return own === undefined || other === undefined || other === 0 ? undefined : own / other;
}

/** Whether the goal is reached; undefined where there is none, or nothing to compare with. */
export function isReached(row: ResultRow): boolean | undefined {
  const { goal, higherIsBetter } = row;
  const value = goal?.figure === undefined ? ratioTo(row, peerSubject) : row.medians[ownSubject];
  const limit = goal?.figure ?? goal?.ratio;
  if (value === undefined || limit === undefined) return undefined;
  return higherIsBetter === true ? value >= limit : value <= limit;
}

export function showGoal(goal: Goal | undefined, row: Row): string {
  if (goal === undefined) return "–";
  const sign = row.higherIsBetter === true ? "≥" : "≤";
  return goal.figure === undefined ? `${sign} ${goal.ratio ?? 0}x` : `${sign} ${show(goal.figure, row.unit, true)}`;
}

/** A figure as a person reads it. */
export function show(value: number | undefined, unit = "", isRound = false): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  const digits = isRound || Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const text = size >= 1_000 ? Math.round(value).toLocaleString("en") : value.toFixed(digits);
  return unit === "" ? text : `${text} ${unit}`;
}
