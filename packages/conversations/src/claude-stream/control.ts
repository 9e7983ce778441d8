import { type Clock, type Disposable, type Logger, messageOf, PatchbayError } from "@patchbay/core";
import type { ControlResponse } from "./codec.ts";

/** How long an answer to one of our requests is waited for, ms. */
const answerMs = 30_000;

/** Sends a message to the program. */
export type Send = (message: unknown) => void;

interface Pending {
  readonly subtype: string;
  readonly timer: Disposable;
  resolve(response: unknown): void;
  reject(error: Error): void;
}

/** Requests in both directions: ours with the table of those that wait, and the answers to the program's. */
export class ControlChannel {
  readonly #send: Send;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pending: Map<string, Pending> = new Map();
  #count = 0;
  #hasEnded = false;

  constructor(send: Send, clock: Clock, logger: Logger) {
    this.#send = send;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Asks the program; rejects with its words where it refuses, where it does not answer, and where it ends. */
  async request(subtype: string, members: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    if (this.#hasEnded) throw new PatchbayError("stopped", "Claude Code has ended.");
    this.#count += 1;
    const id = `patchbay-${this.#count}`;
    return await new Promise((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => {
        if (this.#pending.delete(id)) reject(new PatchbayError("host-failed", "Claude Code did not answer in time."));
      }, answerMs);
      this.#pending.set(id, { subtype, timer, resolve, reject });
      this.#send({ type: "control_request", request_id: id, request: { subtype, ...members } });
    });
  }

  /** An answer has come. */
  receive({ response }: ControlResponse): void {
    const pending = this.#pending.get(response.request_id);
    if (pending === undefined) return;
    this.#pending.delete(response.request_id);
    pending.timer.dispose();
    if (response.subtype === "success") pending.resolve(response.response);
    else pending.reject(new PatchbayError("host-failed", `Claude Code: ${errorText(response.error)}`));
  }

  /** The program has ended: nobody answers any more. */
  end(): void {
    this.#hasEnded = true;
    for (const { timer, reject } of this.#pending.values()) {
      timer.dispose();
      reject(new PatchbayError("stopped", "Claude Code has ended."));
    }
    this.#pending.clear();
  }

  /** Answers a request of the program's. */
  answer(requestId: string, response: unknown): void {
    this.#send({ type: "control_response", response: { subtype: "success", request_id: requestId, response } });
  }

  /** Refuses one: the program goes on without. */
  refuse(requestId: string, error: string): void {
    this.#send({ type: "control_response", response: { subtype: "error", request_id: requestId, error } });
  }

  /** Answers with what a work gives; refuses where it fails. Never rejects. */
  async answerWith(requestId: string, work: () => Promise<unknown>): Promise<void> {
    try {
      this.answer(requestId, await work());
    } catch (error) {
      this.#logger.warn("A request of Claude Code could not be answered", { reason: messageOf(error) });
      this.refuse(requestId, messageOf(error));
    }
  }
}

function errorText(error: unknown): string {
  return typeof error === "string" ? error : error === undefined ? "refused" : messageOf(error);
}
