import type { Disposable } from "./disposable.ts";
import { PatchbayError } from "./errors.ts";

/** PORT: the time. */
export interface Clock {
  /** Unix time in milliseconds; may jump. */
  now(): number;
  /** Milliseconds of a clock that never goes back; for measuring spans. */
  monotonic(): number;
  /** Runs once after `delayMs`. Never keeps the process alive by itself. */
  setTimeout(callback: () => void, delayMs: number): Disposable;
}

/** The result of `work`, or a rejection after `limitMs`. */
export async function withTimeout<T>(limitMs: number, clock: Clock, work: Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      reject(new PatchbayError("host-failed", "The editor did not answer in time."));
    }, limitMs);
    void work.then(resolve, reject).finally(() => timer.dispose());
  });
}

/** Runs steps to their end at once. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs steps to their end, with a turn for everybody else after each. */
export async function finishInTurns<T>(steps: Generator<void, T>, clock: Clock): Promise<T> {
  return await finishWithPauses(steps, () => new Promise((resolve) => void clock.setTimeout(resolve, 0)));
}

/** The same with turns of the caller's. */
export async function finishWithPauses<T>(steps: Generator<void, T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** So much work of the kind that a line of text makes, or an entry of a list, is a step: some milliseconds at most. */
const stepEffort = 8_192;

/** Measures out steps by the work that was done. */
export class Effort {
  #spent = 0;

  /** `amount` more was done; true where a step is complete with it. */
  isDue(amount: number): boolean {
    this.#spent += amount;
    if (this.#spent < stepEffort) return false;
    this.#spent = 0;
    return true;
  }
}
