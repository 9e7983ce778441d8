import { type Clock, type Disposable, PatchbayError } from "@patchbay/core";
import type { PiMessage } from "./codec.ts";

/** How long an answer is waited for, ms. */
const answerMs = 30_000;

/** Sends a message to the program. */
export type Send = (message: Readonly<Record<string, unknown>>) => void;

interface Pending {
  readonly timer: Disposable | undefined;
  resolve(data: unknown): void;
  reject(error: Error): void;
}

/** Our requests to Pi, with the table of those that wait. */
export class Requests {
  readonly #send: Send;
  readonly #clock: Clock;
  readonly #pending: Map<string, Pending> = new Map();
  #count = 0;
  #hasEnded = false;

  constructor(send: Send, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** Asks; rejects with Pi's words where it refuses, where it does not answer in time, and where it ends. `limitMs` undefined: no limit. */
  async ask(
    type: string,
    members: Readonly<Record<string, unknown>> = {},
    limitMs: number | undefined = answerMs,
  ): Promise<unknown> {
    if (this.#hasEnded) throw new PatchbayError("stopped", "Pi has ended.");
    this.#count += 1;
    const id = `patchbay-${this.#count}`;
    return await new Promise((resolve, reject) => {
      const late = (): void => {
        if (this.#pending.delete(id)) reject(new PatchbayError("host-failed", "Pi did not answer in time."));
      };
      const timer = Number.isFinite(limitMs) ? this.#clock.setTimeout(late, limitMs) : undefined;
      this.#pending.set(id, { timer, resolve, reject });
      this.#send({ id, type, ...members });
    });
  }

  /** An answer has come. */
  receive({ id = "", success, data, error }: Extract<PiMessage, { type: "response" }>): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.timer?.dispose();
    if (success) pending.resolve(data);
    else pending.reject(new PatchbayError("host-failed", error ?? "Pi has refused."));
  }

  /** The program has ended: nobody answers any more. */
  end(): void {
    this.#hasEnded = true;
    for (const { timer, reject } of this.#pending.values()) {
      timer?.dispose();
      reject(new PatchbayError("stopped", "Pi has ended."));
    }
    this.#pending.clear();
  }
}
