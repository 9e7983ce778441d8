import type { Clock } from "../platform/platform.ts";

/** Runs steps to their end at once. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs steps to their end, with a turn for everybody else after each. */
export async function finishInTurns<T>(steps: Generator<void, T>, clock: Clock): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, 0));
  }
}
