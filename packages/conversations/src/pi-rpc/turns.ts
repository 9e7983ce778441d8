import type { Clock } from "@patchbay/core";
import type { TurnEndReason } from "../model/index.ts";
import type { ModelMessage, ModelTokens } from "./codec.ts";

const noTokens: ModelTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Which turn runs. Pi's `agent_end` is not always its end: it may try again, or go on when it has summarised. */
export class Turns {
  readonly #clock: Clock;
  readonly #onState: () => void;
  #waiting: { readonly promptId: string; resolve(reason: TurnEndReason): void } | undefined;
  #since: number | undefined;
  #hasPrompt = false;
  #last: ModelMessage | undefined;
  #tokens: ModelTokens = noTokens;
  /** Pi's loop has begun with the prompt. */
  hasBegun = false;
  isWorking = false;
  isCompacting = false;
  /** Pi has said that it is going on by itself. */
  mayGoOn = false;
  isInterrupted = false;

  constructor(clock: Clock, onState: () => void) {
    this.#clock = clock;
    this.#onState = onState;
  }

  /** When what runs began, Unix milliseconds; undefined where nothing runs. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Undefined: an extension has begun by itself. */
  get promptId(): string | undefined {
    return this.#waiting?.promptId;
  }

  get goesOn(): boolean {
    return this.isWorking || this.isCompacting || this.mayGoOn;
  }

  /** What its model's messages have used. */
  get tokens(): ModelTokens {
    return this.#tokens;
  }

  get failure(): string | undefined {
    return this.#last?.errorMessage;
  }

  /** How it has ended, by its last message. */
  get reason(): TurnEndReason {
    switch (this.#last?.stopReason) {
      case "aborted":
        return "stopped";
      case "error":
        return this.isInterrupted ? "stopped" : "failed";
      case "length":
        return "limit";
      default:
        return this.isInterrupted ? "stopped" : "done";
    }
  }

  /** A prompt is about to be sent; resolves when its turn has ended. */
  async begin(promptId: string): Promise<TurnEndReason> {
    return await new Promise((resolve) => {
      this.#forget();
      this.#waiting = { promptId, resolve };
      this.#since = this.#clock.now();
      this.#onState();
    });
  }

  /** Pi's loop has begun, be it asked for or not. */
  began(): void {
    this.hasBegun = true;
    this.isWorking = true;
    this.mayGoOn = false;
    this.#since ??= this.#clock.now();
    this.#onState();
  }

  /** A message of the model is whole. */
  heard(message: ModelMessage): void {
    this.#last = message;
    const { usage } = message;
    if (usage === undefined) return;
    this.#tokens = {
      input: this.#tokens.input + usage.input,
      output: this.#tokens.output + usage.output,
      cacheRead: (this.#tokens.cacheRead ?? 0) + (usage.cacheRead ?? 0),
      cacheWrite: (this.#tokens.cacheWrite ?? 0) + (usage.cacheWrite ?? 0),
    };
  }

  /** Whether a message of the user's is the prompt of the turn: once. */
  takesPrompt(): boolean {
    const isPrompt = this.#waiting !== undefined && !this.#hasPrompt;
    this.#hasPrompt = true;
    return isPrompt;
  }

  settle(reason: TurnEndReason): void {
    const waiting = this.#waiting;
    this.#forget();
    waiting?.resolve(reason);
    this.#onState();
  }

  /** The process has ended. */
  end(): void {
    this.settle("exited");
  }

  #forget(): void {
    this.#waiting = undefined;
    this.#since = undefined;
    this.#hasPrompt = false;
    this.#last = undefined;
    this.#tokens = noTokens;
    this.hasBegun = false;
    this.isWorking = false;
    this.mayGoOn = false;
    this.isInterrupted = false;
  }
}
