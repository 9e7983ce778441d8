import { createHash, createHmac } from "node:crypto";
import { type Clock, type Disposable, type Random, toDisposable } from "@patchbay/core";

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that goes only when a test says so. */
export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 0;
  readonly #timers: Set<Timer> = new Set();

  constructor(now: number) {
    this.#wall = now;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimeout(callback: () => void, delayMs: number): Disposable {
    const timer: Timer = { due: this.#monotonic + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return toDisposable(() => this.#timers.delete(timer));
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass and runs what is due, in order, without giving promises a turn between two timers. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (let timer = this.#nextDue(end); timer !== undefined; timer = this.#nextDue(end)) this.#run(timer);
    this.#moveTo(end);
  }

  /** As `advance`, with a turn for promises and sockets before, between and after the timers. */
  async advanceAsync(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await turn();
    for (let timer = this.#nextDue(end); timer !== undefined; timer = this.#nextDue(end)) {
      this.#run(timer);
      await turn();
    }
    this.#moveTo(end);
    await turn();
  }

  /** The process is held up: time passes, and what falls due meanwhile runs late, with the next `advance`. */
  holdUp(ms: number): void {
    this.#moveTo(this.#monotonic + ms);
  }

  /** The wall clock jumps (suspend, a corrected clock); timers and spans do not. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  #nextDue(end: number): Timer | undefined {
    // Timers stand in the order of their making: of two that are due together the first stays.
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    }
    return next;
  }

  #run(timer: Timer): void {
    this.#timers.delete(timer);
    this.#moveTo(timer.due);
    timer.callback();
  }

  #moveTo(monotonic: number): void {
    if (monotonic <= this.#monotonic) return;
    this.#wall += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}

async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A clock that stands still until `advance`. Default start: 2026-01-01T00:00:00Z. */
export function createFakeClock(now: number = Date.UTC(2026, 0, 1)): FakeClock {
  return new FakeClock(now);
}

/** Random texts that are the same in every run with one seed; macs are real. */
export function createFakeRandom(seed = "seed"): Random {
  let count = 0;
  return {
    token(byteLength: number): string {
      let bytes = Buffer.alloc(0);
      while (bytes.length < byteLength) {
        count += 1;
        bytes = Buffer.concat([bytes, createHash("sha256").update(`${seed}:${count}`).digest()]);
      }
      return bytes.subarray(0, byteLength).toString("base64url");
    },
    mac: (key, text) => createHmac("sha256", key).update(text).digest("base64url"),
  };
}
