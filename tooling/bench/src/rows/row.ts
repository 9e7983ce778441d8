import type { SubjectProcess } from "../client/subject-process.ts";

/** What is to be reached: a ratio to the companion that `--against` names, a figure of our own, or both. */
export interface Goal {
  readonly ratio?: number;
  readonly figure?: number;
}

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  /** More is better; less is otherwise. */
  readonly higherIsBetter?: true;
  readonly goal?: Goal;
}

/** Figures of one or more rows, taken in one process of their own. */
export interface Measurement {
  readonly rows: readonly Row[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A part of ours that is measured by itself, in the place of every subject. */
  readonly command?: readonly string[];
  /** The subjects that have what is measured; default: all. */
  readonly subjects?: readonly string[];
  /** One figure for each row, in order; undefined where the subject has none. */
  readonly measure: (subject: SubjectProcess, folder: string) => Promise<readonly (number | undefined)[]>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** CPU time that a subject spends on something, ms. */
export async function cpuOf(subject: SubjectProcess, work: () => Promise<void>): Promise<number> {
  const before = await subject.cpu();
  await work();
  return (await subject.cpu()) - before;
}

/**
 * CPU time of what commands make a subject do, ms: without what it takes to be given commands, which as many that ask
 * for nothing show, at the same pace and in the same process.
 */
export async function cpuBeyondCommands(
  subject: SubjectProcess,
  pace: { readonly count: number; readonly pauseMs: number },
  work: () => Promise<void>,
): Promise<number> {
  const commands = await cpuOf(subject, async () => {
    for (let count = 0; count < pace.count; count += 1) {
      await subject.cpu();
      await pause(pace.pauseMs);
    }
  });
  return Math.max(0, (await cpuOf(subject, work)) - commands);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
