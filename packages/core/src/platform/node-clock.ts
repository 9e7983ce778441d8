import { toDisposable } from "../support/disposable.ts";
import type { Clock } from "./platform.ts";

/** Node's clocks. Its timers never keep the process alive: an editor that wants to end must not wait for a debounce. */
export const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, delayMs) => {
    // Node warns of a negative delay, which a moment that has just passed makes.
    const timer = setTimeout(callback, Math.max(0, delayMs));
    timer.unref();
    return toDisposable(() => clearTimeout(timer));
  },
};
