import type { Clock } from "../platform/platform.ts";
import type { Disposable } from "../support/disposable.ts";

/** Does its periodic duties when the heartbeat comes by. */
export interface Beating {
  beat(nowMs: number): void;
}

/** The endpoint's one periodic timer, for all connections together; it exists only while there are any. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #members: Set<Beating> = new Set();
  #timer: Disposable | undefined;

  constructor(clock: Clock, periodMs: number) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  add(member: Beating): void {
    this.#members.add(member);
    this.#timer ??= this.#schedule();
  }

  delete(member: Beating): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.stop();
  }

  stop(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #schedule(): Disposable {
    return this.#clock.setTimeout(() => {
      this.#timer = undefined;
      const nowMs = this.#clock.monotonic();
      for (const member of Array.from(this.#members)) member.beat(nowMs);
      if (this.#members.size > 0) this.#timer ??= this.#schedule();
    }, this.#periodMs);
  }
}
