/** The environment variable with which a subject counts its timers; counting costs a little at each of them. */
export const countTimersVariable = "PATCHBAY_BENCH_TIMERS";

/** Counts the timers that stand, also those that do not keep the process alive, which Node itself does not tell. */
export function countTimers(): () => number {
  const standing = new Set<unknown>();
  if (process.env[countTimersVariable] === undefined) return () => 0;
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  type Callback = (...args: readonly unknown[]) => void;
  Reflect.set(globalThis, "setTimeout", (callback: Callback, delayMs?: number, ...args: readonly unknown[]) => {
    const timer = setTimeout(() => {
      standing.delete(timer);
      callback(...args);
    }, delayMs);
    standing.add(timer);
    return timer;
  });
  Reflect.set(globalThis, "setInterval", (callback: Callback, delayMs?: number, ...args: readonly unknown[]) => {
    const timer = setInterval(() => callback(...args), delayMs);
    standing.add(timer);
    return timer;
  });
  const clear = (timer: NodeJS.Timeout | undefined): void => {
    standing.delete(timer);
    clearTimeout(timer);
    clearInterval(timer);
  };
  Reflect.set(globalThis, "clearTimeout", clear);
  Reflect.set(globalThis, "clearInterval", clear);
  return () => standing.size;
}
