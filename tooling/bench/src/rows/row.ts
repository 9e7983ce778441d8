import type { SubjectProcess } from "../client/subject-process.ts";

/** One line of the table: what is measured, in which unit, and how, on a process of its own. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  /** False: more is better. */
  readonly lowerIsBetter: boolean;
  readonly measure: (subject: SubjectProcess, folder: string) => Promise<number>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** CPU time that a subject spends on something, ms. */
export async function cpuOf(subject: SubjectProcess, work: () => Promise<void>): Promise<number> {
  const before = await subject.stats();
  const idle = await subject.stats();
  await work();
  const after = await subject.stats();
  // What a question for figures itself costs is taken off.
  return Math.max(0, after.cpuMs - idle.cpuMs - (idle.cpuMs - before.cpuMs));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
