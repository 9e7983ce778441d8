/** How long to wait, and how often to look. Times in milliseconds. */
export interface PollOptions {
  readonly timeout: number;
  readonly interval?: number;
  /** Adds what was last seen to the error: a bare "timed out" helps nobody. */
  readonly describe?: () => string | Promise<string>;
}

/** Resolves after so many milliseconds. For pacing alone, never instead of a condition that can be polled. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Looks until `probe` returns something other than undefined, null or false, and returns that.
 * @throws Error naming `what` when the time is over.
 */
export async function poll<T>(
  what: string,
  probe: () => T | Promise<T>,
  options: PollOptions,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + options.timeout;
  for (;;) {
    const seen = await probe();
    if (isPresent(seen)) return seen;
    if (performance.now() >= deadline) {
      const detail = options.describe === undefined ? "" : `\n${await options.describe()}`;
      throw new Error(`waited ${Math.round(options.timeout / 100) / 10} s in vain for ${what}${detail}`);
    }
    await pause(options.interval ?? 100);
  }
}

function isPresent<T>(value: T): value is Exclude<T, undefined | null | false> {
  return value !== undefined && value !== null && value !== false;
}
