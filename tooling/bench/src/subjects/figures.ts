import { monitorEventLoopDelay } from "node:perf_hooks";
import { serveControl } from "./control.ts";

/** What some work took: on the clock, and the longest time for which it kept the event loop, ms. */
export interface Taken {
  readonly ms: number;
  readonly blockedMs: number;
}

/** A watch of the event loop sees nothing before its first beat, and the last block only at the beat behind it, ms. */
const beatsMs = 5;

/** Does something once. */
export async function taken(work: () => Promise<unknown>): Promise<Taken> {
  // One millisecond: what is looked for is longer.
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await beats();
  const before = performance.now();
  await work();
  const ms = performance.now() - before;
  await beats();
  loop.disable();
  return { ms, blockedMs: loop.max / 1e6 };
}

async function beats(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, beatsMs));
}

/** A subject that is a part of ours by itself, and takes its own figures when it is asked for them. */
export function serveFigures(take: () => Promise<Readonly<Record<string, number>>>): void {
  const nothing = (): void => {};
  serveControl(
    { port: 0, token: "" },
    { open: nothing, cursor: nothing, select: nothing, figures: take, stop: async () => {} },
  );
}
