import { randomUUID } from "node:crypto";
import { type Clock, type Files, type Logger, messageOf } from "@patchbay/core";
import type { SessionHost } from "../driver.ts";
import type { Answer, NoticeEntry, SessionState, SessionUpdate, TurnEndReason, Usage } from "../model/index.ts";
import {
  type DialogRequest,
  type ModelMessage,
  type ModelTokens,
  parseMessage,
  type PiMessage,
  type PiStats,
  stateAnswer,
  statsAnswer,
  textOf,
} from "./codec.ts";
import { Dialogs } from "./dialogs.ts";
import { requestTitle } from "./extension.ts";
import { ModelMessages } from "./model-messages.ts";
import type { PiOptions } from "./options.ts";
import { Requests, type Send } from "./requests.ts";
import { ToolQuestions } from "./tool-questions.ts";
import { ToolUses } from "./tool-uses.ts";
import { Turns } from "./turns.ts";

export interface SessionStreamOptions {
  readonly send: Send;
  update(update: SessionUpdate): void;
  notice(level: NoticeEntry["level"], text: string, more?: Pick<NoticeEntry, "detail" | "action">): void;
  /** What the session is doing may have changed. */
  onState(): void;
  onOptions(): void;
  /** The session is open; before, only requests and their answers count. */
  isOpen(): boolean;
  readonly choices: PiOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly files: Pick<Files, "lstat" | "readLink" | "realPath">;
  readonly host: SessionHost;
  readonly cwd: string;
  readonly autosave: boolean;
  /** It goes on from no earlier session. */
  readonly isNew: boolean;
}

/** What one process of Pi says, made into updates. Nothing of it throws. */
export class SessionStream {
  readonly requests: Requests;
  readonly turns: Turns;
  readonly #options: SessionStreamOptions;
  readonly #messages: ModelMessages;
  readonly #tools: ToolUses;
  readonly #questions: ToolQuestions;
  readonly #dialogs: Dialogs;
  readonly #unknown: Set<string> = new Set();
  #isAsking = false;
  #retrying: SessionState | undefined;
  /** It is looked whether the turn has ended. */
  #isLooking = false;
  /** What the session has cost; undefined where that is not known. */
  #cost: number | undefined;

  constructor(options: SessionStreamOptions) {
    const { send, clock, update, onState, onOptions, choices } = options;
    this.#options = options;
    this.#cost = options.isNew ? 0 : undefined;
    this.requests = new Requests(send, clock);
    this.turns = new Turns(clock, onState);
    const now = (): number => clock.now();
    this.#tools = new ToolUses({ now, update }, options.cwd);
    this.#messages = new ModelMessages({
      now,
      update,
      onTool: (call) => this.#tools.begin(call),
    });
    this.#dialogs = new Dialogs({ send, clock, update, onChange: onState });
    this.#questions = new ToolQuestions({
      ...options,
      tools: this.#tools,
      onMode: (mode) => {
        choices.mode = mode;
        onOptions();
      },
      onChange: onState,
    });
  }

  /** Our extension is there. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** The user is asked something. */
  get waiting(): boolean {
    return this.#questions.count + this.#dialogs.count > 0;
  }

  /** The state while Pi waits to try again. */
  get retrying(): SessionState | undefined {
    return this.#retrying;
  }

  receive(value: unknown): void {
    const message = parseMessage(value);
    if (message === undefined) this.#ignore(value);
    else this.#take(message);
  }

  answer(questionId: string, answer: Answer): boolean {
    return this.#questions.answer(questionId, answer) || this.#dialogs.answer(questionId, answer);
  }

  /** Sends the prompt of the turn. What becomes of it is told by its turn; never throws. */
  prompt(prompt: Readonly<Record<string, unknown>>): void {
    const { turns } = this;
    void (async () => {
      try {
        // A command of an extension answers when it has ended, and that may wait for the user.
        await this.requests.ask("prompt", prompt, Infinity);
        const { isStreaming } = stateAnswer.parse(await this.requests.ask("get_state"));
        // An extension has done all that there was to do.
        if (isStreaming !== true && !turns.hasBegun) this.#settle(undefined);
      } catch (error) {
        if (turns.since === undefined) return;
        const text = messageOf(error);
        const isSignIn = isSignInNeeded(text);
        this.#options.notice("error", isSignIn ? "Pi needs you to sign in. Sign in, then try again." : text, {
          ...(isSignIn ? { detail: text } : {}),
          action: isSignIn ? "sign-in" : "retry",
        });
        this.#settle("failed");
      }
    })();
  }

  /** Stops the turn, whatever it waits for. */
  async interrupt(): Promise<void> {
    if (this.turns.since === undefined) return;
    this.turns.isInterrupted = true;
    this.#questions.withdrawAll();
    this.#dialogs.cancelAll();
    try {
      await this.requests.ask("abort", {}, Infinity);
    } catch {
      // It has ended, and so has its turn.
      return;
    }
    this.#retrying = undefined;
    this.turns.mayGoOn = false;
    if (!this.turns.isWorking) await this.#afterRun();
  }

  /** The process has ended. */
  end(): void {
    this.requests.end();
    this.#messages.end();
    this.#tools.end();
    this.#questions.withdrawAll();
    this.#dialogs.end();
  }

  #take(message: PiMessage): void {
    const { notice, choices, onOptions, update } = this.#options;
    switch (message.type) {
      case "response":
        return this.requests.receive(message);
      case "extension_ui_request":
        return this.#asked(message);
      case "agent_start":
        return this.#begun();
      case "agent_end":
        this.turns.isWorking = false;
        void this.#afterRun();
        return;
      case "message_start":
        if (message.message.role === "assistant") this.#messages.begin();
        return;
      case "message_update":
        return this.#messages.streamed(message.assistantMessageEvent);
      case "message_end":
        return this.#whole(message.message);
      case "tool_execution_start":
        return this.#tools.started(message.toolCallId, message.toolName, message.args);
      case "tool_execution_update":
        return this.#tools.progress(message.toolCallId, message.partialResult);
      case "tool_execution_end":
        this.#questions.ended(message.toolCallId);
        return this.#tools.finish(message.toolCallId, message.result, message.isError, this.turns.isInterrupted);
      case "auto_retry_start":
        this.#retrying = {
          kind: "retrying",
          attempt: message.attempt,
          ...(message.maxAttempts === undefined ? {} : { limit: message.maxAttempts }),
          nextAt: this.#options.clock.now() + message.delayMs,
          reason: message.errorMessage ?? "",
        };
        this.turns.mayGoOn = true;
        return this.#options.onState();
      case "auto_retry_end":
        this.#retrying = undefined;
        if (!message.success) {
          this.turns.mayGoOn = false;
          void this.#afterRun();
        }
        return;
      case "compaction_start":
        this.turns.isCompacting = true;
        return;
      case "compaction_end":
        this.turns.isCompacting = false;
        this.turns.mayGoOn = message.willRetry === true;
        if (message.result !== undefined && message.result !== null)
          notice("info", "The agent has summarised the conversation up to here.");
        else if (message.errorMessage !== undefined) notice("warning", message.errorMessage);
        void this.#afterRun();
        return;
      case "thinking_level_changed":
        choices.level = message.level;
        return onOptions();
      case "session_info_changed":
        if (message.name !== undefined && message.name !== "") update({ type: "title", title: message.name });
        return;
      case "extension_error":
        return notice("warning", "An extension of Pi has failed.", { detail: message.error });
    }
  }

  #asked(request: DialogRequest): void {
    if (request.title === requestTitle && request.method === "input") void this.#questions.take(request);
    else if (request.method === "setStatus" && request.statusKey === requestTitle) this.#isAsking = true;
    else if (request.method === "notify") this.#told(request);
    else if (!this.#dialogs.ask(request)) this.#ignore({ type: `extension_ui_request ${request.method}` });
  }

  /** An extension says something to the user. */
  #told({ message = "", notifyType }: DialogRequest): void {
    const level = notifyType === "error" || notifyType === "warning" ? notifyType : "info";
    if (this.#options.isOpen() && message !== "") this.#options.notice(level, message);
  }

  #begun(): void {
    this.#retrying = undefined;
    this.turns.began();
    // It was stopped before it began.
    if (this.turns.isInterrupted) void this.interrupt();
  }

  #whole(message: ModelMessage): void {
    const { update, clock, notice } = this.#options;
    switch (message.role) {
      case "assistant":
        this.#messages.whole(message);
        this.turns.heard(message);
        return;
      case "user":
        // The first one is the prompt itself; an extension may send others.
        if (this.turns.takesPrompt()) return;
        update({
          type: "entry",
          entry: {
            kind: "prompt",
            id: randomUUID(),
            at: clock.now(),
            blocks: [{ type: "text", text: textOf(message.content) }],
          },
        });
        return;
      case "custom":
        if (message.display === true) notice("info", "Also sent:", { detail: textOf(message.content) });
    }
  }

  /** Pi has nothing to do for now: whether it goes on by itself, it has said before it answers. */
  async #afterRun(): Promise<void> {
    const { turns } = this;
    if (turns.goesOn || this.#isLooking) return;
    this.#isLooking = true;
    const answer = await this.requests.ask("get_session_stats").catch(() => undefined);
    const state = stateAnswer.safeParse(await this.requests.ask("get_state").catch(() => undefined)).data;
    this.#isLooking = false;
    if (turns.goesOn || turns.since === undefined || (turns.promptId !== undefined && !turns.hasBegun)) return;
    if (state !== undefined && (state.messageCount ?? 0) > 1)
      this.#options.update({ type: "session", sessionId: state.sessionId });
    this.#settle(undefined, statsAnswer.safeParse(answer).data);
  }

  /** `reason` undefined: as its last message says. */
  #settle(given: TurnEndReason | undefined, stats?: PiStats): void {
    const { clock, update, notice } = this.#options;
    const { turns } = this;
    const { promptId, since, tokens, failure } = turns;
    if (since === undefined) return;
    this.#messages.end();
    this.#tools.end();
    this.#questions.withdrawAll();
    const reason = given ?? turns.reason;
    if (reason === "failed" && given === undefined)
      notice("error", failureText(failure), { action: "retry", ...detailOf(failure) });
    const used = this.#usageOf(stats, tokens);
    if (used.usage !== undefined) update({ type: "usage", usage: used.usage });
    if (promptId !== undefined) {
      const at = clock.now();
      update({
        type: "entry",
        entry: { kind: "turn-end", id: `end-${promptId}`, at, reason, durationMs: at - since, ...used },
      });
    }
    turns.settle(reason);
  }

  #usageOf(stats: PiStats | undefined, tokens: ModelTokens): { readonly usage?: Usage; readonly cost?: number } {
    if (stats === undefined) return {};
    const { cost = 0, contextUsage } = stats;
    const before = this.#cost;
    this.#cost = cost;
    const inputTokens = tokens.input + (tokens.cacheRead ?? 0) + (tokens.cacheWrite ?? 0);
    const usage: Usage = {
      ...(tokens.output === 0 ? {} : { inputTokens, outputTokens: tokens.output }),
      ...(typeof contextUsage?.tokens === "number" ? { contextTokens: contextUsage.tokens } : {}),
      ...(contextUsage?.contextWindow === undefined ? {} : { contextSize: contextUsage.contextWindow }),
      // Models of one's own have no price.
      ...(cost > 0 ? { cost, currency: "USD" } : {}),
    };
    const own = before === undefined ? 0 : cost - before;
    return { usage, ...(own > 0 ? { cost: own } : {}) };
  }

  /** Each is said once. */
  #ignore(value: unknown): void {
    const name = typeof value === "object" && value !== null && "type" in value ? String(value.type) : "";
    if (this.#unknown.has(name)) return;
    this.#unknown.add(name);
    this.#options.logger.debug("A message of Pi was not looked at", { name });
  }
}

/** Whether Pi has nobody to pay for its model: its user has to sign in first. */
export function isSignInNeeded(said: string): boolean {
  return /No models available|No model selected|No API key found|to re-authenticate/u.test(said);
}

function failureText(failure: string | undefined): string {
  const status = /^(\d{3})\b/u.exec(failure ?? "")?.[1];
  if (status === "401" || status === "403")
    return `The model service did not accept the credentials of Pi (${status}). Sign in again, or check its key.`;
  return failure === undefined || failure === "" ? "Pi could not continue." : failure;
}

function detailOf(failure: string | undefined): Pick<NoticeEntry, "detail"> {
  return failure === undefined || failureText(failure) === failure ? {} : { detail: failure };
}
