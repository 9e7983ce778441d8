import { createHook } from "node:async_hooks";
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import type { CallTable } from "./call-table.ts";
import * as calls from "./calls.ts";

const sampleMs = 5;

/** Answers what the process weighs, how long its loop is held and what it has open. */
export function watchProcess(table: CallTable): void {
  const delay = monitorEventLoopDelay({ resolution: sampleMs });
  let peak = 0;
  let sampling: NodeJS.Timeout | undefined;
  const timers = new Set<number>();
  // Node's own list of what is active leaves out timers that keep no process alive, and these are all of ours.
  const timerHook = createHook({
    init: (id, kind) => void (kind === "Timeout" && timers.add(id)),
    destroy: (id) => void timers.delete(id),
  });
  table
    .on(calls.weigh, weigh)
    .on(calls.watchMemory, ({ on }) => {
      const seen = Math.max(peak, process.memoryUsage.rss());
      clearInterval(sampling);
      if (on) {
        peak = process.memoryUsage.rss();
        sampling = setInterval(() => {
          peak = Math.max(peak, process.memoryUsage.rss());
        }, sampleMs);
        sampling.unref();
      }
      return seen;
    })
    .on(calls.watchLoop, ({ on }) => {
      const longestMs = delay.max / 1e6;
      delay.disable();
      delay.reset();
      if (on) delay.enable();
      return longestMs;
    })
    .on(calls.watchTimers, ({ on }) => {
      const count = timers.size;
      timers.clear();
      if (on) timerHook.enable();
      else timerHook.disable();
      return count;
    });
}

async function weigh(): Promise<calls.Weight> {
  if (globalThis.gc === undefined) throw new Error("The host runs without --expose-gc.");
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed, total: heapUsed + external, resident: rss };
}
