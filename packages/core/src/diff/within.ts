import type { Clock } from "../platform/platform.ts";
import { PatchbayError } from "../support/errors.ts";

/** The result of `work`, or a rejection after `limitMs`. */
export async function within<T>(limitMs: number, clock: Clock, work: Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      reject(new PatchbayError("host-failed", "The editor did not answer in time."));
    }, limitMs);
    void work.then(resolve, reject).finally(() => timer.dispose());
  });
}
