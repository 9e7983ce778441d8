import type { Disposable } from "../support/disposable.ts";

/** In so many parts a wait is counted, and in none that is longer, ms. */
const steps = 20;
const longestStepMs = 100;

/**
 * A wait for somebody else, for so long and no longer. What holds up this process itself (a busy machine, a stop) is not the other one's
 * fault and does not count: after each step what has come meanwhile is read before the next one begins.
 */
export class Patience implements Disposable {
  readonly #limitMs: number;
  readonly #stepMs: number;
  readonly #onEnd: () => void;
  #waitedMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limitMs: number, onEnd: () => void) {
    this.#limitMs = limitMs;
    this.#stepMs = Math.max(1, Math.min(longestStepMs, limitMs / steps));
    this.#onEnd = onEnd;
    this.#wait();
  }

  /** As far as it counts. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    const stepMs = Math.min(this.#stepMs, this.#limitMs - this.#waitedMs);
    this.#timer = setTimeout(() => {
      this.#waitedMs += stepMs;
      if (this.#waitedMs >= this.#limitMs) this.#onEnd();
      else this.#wait();
    }, stepMs);
  }
}
