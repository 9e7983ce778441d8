import type { Clock } from "@patchbay/core";
import type { TurnEndEntry, TurnEndReason, Usage } from "../model/index.ts";
import type { ResultMessage, Tokens } from "./codec.ts";

interface Waiting {
  readonly promptId: string;
  resolve(reason: TurnEndReason): void;
}

/**
 * Which turn runs. A prompt's turn ends with the result that names it, or when the program says that it is done with the prompt:
 * results are not counted, since turns begin by themselves, too (for what a subagent reports from the background).
 */
export class Turns {
  readonly #clock: Clock;
  #prompt: Waiting | undefined;
  /** The program has said when it began with the prompt: it says so in every version that names prompts in results. */
  #isFollowed = false;
  #hasBegun = false;
  #since: number | undefined;
  #isInterrupted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When what runs began, Unix milliseconds; undefined where nothing runs. */
  get since(): number | undefined {
    return this.#since;
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** A prompt is sent; resolves when its turn has ended. */
  async prompt(promptId: string, send: () => void): Promise<TurnEndReason> {
    return await new Promise((resolve) => {
      this.#prompt = { promptId, resolve };
      this.#isFollowed = false;
      this.#hasBegun = false;
      this.begin();
      send();
    });
  }

  /** Something runs, be it asked for or not. */
  begin(): void {
    if (this.#since !== undefined) return;
    this.#since = this.#clock.now();
    this.#isInterrupted = false;
  }

  interrupted(): void {
    if (this.#since !== undefined) this.#isInterrupted = true;
  }

  /** What became of a prompt, as the program says. */
  lifecycle(promptId: string, state: string): void {
    if (promptId !== this.#prompt?.promptId) return;
    this.#isFollowed = true;
    if (state === "started") this.#hasBegun = true;
    // Behind its result; or it never had a turn.
    else if (state === "completed") this.#settle("done");
    else if (state === "cancelled") this.#settle("stopped");
  }

  /** A turn has ended; says of which prompt, where it is the one that is waited for. */
  result(result: ResultMessage): { readonly reason: TurnEndReason; readonly promptId?: string } {
    const reason = reasonOf(result, this.#isInterrupted);
    const promptId = this.#prompt?.promptId;
    const named =
      result.user_message_uuids ?? (result.user_message_uuid === undefined ? [] : [result.user_message_uuid]);
    const isNamed = promptId !== undefined && named.includes(promptId);
    const isMeant = named.length === 0 && (!this.#isFollowed || this.#hasBegun);
    if (promptId === undefined || (!isNamed && !isMeant)) {
      // A turn of its own: a prompt that waits behind it still runs.
      if (promptId === undefined) this.#since = undefined;
      return { reason };
    }
    return { reason, promptId };
  }

  /** The turn of the prompt has ended, and all of it has been told. */
  settle(reason: TurnEndReason): void {
    this.#settle(reason);
  }

  /** The process has ended. */
  end(): void {
    this.#settle("exited");
    this.#since = undefined;
  }

  #settle(reason: TurnEndReason): void {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    this.#prompt = undefined;
    this.#since = undefined;
    this.#isInterrupted = false;
    prompt.resolve(reason);
  }
}

function reasonOf(result: ResultMessage, isInterrupted: boolean): TurnEndReason {
  if (result.terminal_reason?.startsWith("aborted") === true || (isInterrupted && result.is_error)) return "stopped";
  if (result.stop_reason === "refusal") return "refused";
  if (result.subtype.startsWith("error_max") || result.stop_reason === "max_tokens") return "limit";
  return result.is_error || result.subtype !== "success" ? "failed" : "done";
}

/** What the session has used, as far as it was told. */
export class UsageCount {
  #usage: Usage = {};
  /** What the session had cost before; undefined where that is not known. */
  #costBefore: number | undefined;

  /** `isNew`: nothing was paid for it before. */
  constructor(isNew: boolean) {
    this.#costBefore = isNew ? 0 : undefined;
  }

  get value(): Usage {
    return this.#usage;
  }

  /** Of a message of the model: what the context holds by now. */
  message(tokens: Tokens): boolean {
    const held = contextOf(tokens);
    if (held === 0) return false;
    this.#usage = { ...this.#usage, contextTokens: held };
    return true;
  }

  /** Of a turn: what the session has used by now, with what this turn has used alone. */
  turn({ usage, modelUsage, total_cost_usd: cost }: ResultMessage): Pick<TurnEndEntry, "usage" | "cost"> {
    const sizes = Object.values(modelUsage ?? {}).flatMap(({ contextWindow }) => contextWindow ?? []);
    const { inputTokens: _input, outputTokens: _output, ...session } = this.#usage;
    const tokens =
      usage === undefined || usage.output_tokens === 0
        ? {}
        : { inputTokens: inputOf(usage), outputTokens: usage.output_tokens };
    const before = this.#costBefore;
    if (cost !== undefined) this.#costBefore = cost;
    this.#usage = {
      ...session,
      ...tokens,
      // Of several models the largest is the one that holds the conversation.
      ...(sizes.length === 0 ? {} : { contextSize: Math.max(...sizes) }),
      ...(cost === undefined ? {} : { cost, currency: "USD" }),
    };
    const own = cost === undefined || before === undefined ? 0 : cost - before;
    return {
      ...(Object.keys(this.#usage).length === 0 ? {} : { usage: this.#usage }),
      ...(own > 0 ? { cost: own } : {}),
    };
  }
}

function inputOf(tokens: Tokens): number {
  return tokens.input_tokens + (tokens.cache_creation_input_tokens ?? 0) + (tokens.cache_read_input_tokens ?? 0);
}

function contextOf(tokens: Tokens): number {
  return inputOf(tokens) + tokens.output_tokens;
}

/** The entry that ends a turn. */
export function turnEnd(
  id: string,
  at: number,
  reason: TurnEndReason,
  result: ResultMessage | undefined,
  used: Pick<TurnEndEntry, "usage" | "cost">,
): TurnEndEntry {
  return {
    kind: "turn-end",
    id,
    at,
    reason,
    ...(result?.duration_ms === undefined ? {} : { durationMs: result.duration_ms }),
    ...used,
  };
}
