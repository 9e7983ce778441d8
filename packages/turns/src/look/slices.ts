import type { Clock } from "@patchbay/core";

/** Gives everybody else a turn after so much work at once, ms. */
const sliceMs = 12;

/** So many entries of a list take far less than a millisecond. */
const stepsPerAsking = 64;

/** Takes turns with everybody else on this thread. */
export class Slices {
  readonly #clock: Clock;
  #begun: number;
  #asked = 0;
  /** On this thread, ms. */
  spentMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begun = clock.monotonic();
  }

  get isDue(): boolean {
    return this.#clock.monotonic() - this.#begun >= sliceMs;
  }

  /** The same for many small steps: the clock is not asked at each. */
  get isDueInMany(): boolean {
    this.#asked = (this.#asked + 1) % stepsPerAsking;
    return this.#asked === 0 && this.isDue;
  }

  async pause(): Promise<void> {
    this.spentMs += this.#clock.monotonic() - this.#begun;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#begun = this.#clock.monotonic();
  }
}
