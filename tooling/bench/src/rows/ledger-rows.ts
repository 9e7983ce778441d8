import { join } from "node:path";
import type { Measurement, Row } from "./row.ts";

/** A repository of 20,000 files is made first, ms. */
const patienceMs = 180_000;

export const ms = (name: string, figure?: number): Row => ({
  name,
  unit: "ms",
  ...(figure === undefined ? {} : { goal: { figure } }),
});
export const blocked = (by: string): Row => ms(`longest block of the event loop by ${by}`, 50);

/** What verdicts on hunks and the ledger of turns take; no other companion has them. */
export const ledgerRows: readonly Measurement[] = [
  part("hunks", {
    countMs: ms("5,000 hunks: all of them counted"),
    countBlockedMs: blocked("counting 5,000 hunks"),
    acceptMs: ms("5,000 hunks: one accepted"),
    acceptBlockedMs: blocked("accepting one of 5,000 hunks"),
    undoMs: ms("5,000 hunks: that taken back"),
    undoBlockedMs: blocked("taking it back"),
  }),
  part("turns", {
    beginMs: ms("a turn's first look at 20,000 files", 300),
    beginBlockedMs: blocked("a first look at 20,000 files"),
    endMs: ms("a turn's last look at 20,000 files", 300),
    endBlockedMs: blocked("a last look at 20,000 files"),
    manyMs: ms("2,000 files changed in a turn, until they are listed and kept"),
    manyBlockedMs: blocked("2,000 files changed in a turn"),
    beforeMs: ms("what an agent waits for until its hook's before-image is on disk, p50"),
    listMs: ms("201 turns listed after a restart, one of 2,000 files"),
    listBlockedMs: blocked("listing 201 turns"),
    manyBytes: { name: "disk kept of a turn of 2,000 files of 2 kB", unit: "MB" },
    smallBytes: { name: "disk kept of a turn of 10 files of 2 kB", unit: "kB" },
  }),
  part("looks", {
    largeMs: ms("a look at 100,000 files", 1_500),
    largeBlockedMs: blocked("looks at 100,000 files"),
    plainCpuMs: ms("processor for the first looks at 20,000 files without git, until all are copied", 3_000),
    plainMs: ms("a later look at 20,000 files without git", 300),
    plainBlockedMs: blocked("looks at 20,000 files without git"),
    hugeBlockedMs: blocked("looks at a folder in an index of 1,000,000 files"),
    hugeBytes: {
      name: "memory added by looks at a folder in an index of 1,000,000 files",
      unit: "MB",
      goal: { figure: 150 },
    },
  }),
];

/** A subject of its own, which takes all its figures in one process. Bytes become what the row says. */
export function part(name: string, rows: Readonly<Record<string, Row>>): Measurement {
  const subject = join(import.meta.dirname, "..", "subjects", `${name}.ts`);
  return {
    rows: Object.values(rows),
    command: [process.execPath, "--expose-gc", "--no-warnings", "--conditions=@patchbay/source", subject],
    measure: async (process) => {
      const figures = await process.tell({ do: "figures" }, patienceMs);
      return Object.entries(rows).map(([key, { unit }]) => Number(figures[key]) / (bytesIn[unit] ?? 1));
    },
  };
}

const bytesIn: Readonly<Record<string, number>> = { kB: 1_000, MB: 1_000_000 };
