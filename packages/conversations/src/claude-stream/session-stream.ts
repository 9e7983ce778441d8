import type { Clock, Logger } from "@patchbay/core";
import type { SessionHost } from "../driver.ts";
import type { NoticeEntry, SessionState, SessionUpdate } from "../model/index.ts";
import {
  type AssistantMessage,
  type ClaudeMessage,
  parseMessage,
  type ResultMessage,
  type RetryMessage,
} from "./codec.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { canUseTool, hookCallback, mcpMessage } from "./requests.ts";
import { answerCompanion, companionName, isCompanionTool } from "./companion-server.ts";
import { ControlChannel, type Send } from "./control.ts";
import { Hooks } from "./hooks.ts";
import { ModelMessages } from "./messages.ts";
import { OpenQuestions } from "./open-questions.ts";
import type { ClaudeOptions } from "./options.ts";
import { PlanLimits } from "./plan-limits.ts";
import { ToolUses } from "./tool-uses.ts";
import { turnEnd, type Turns, UsageCount } from "./turns.ts";

export interface SessionStreamOptions {
  readonly send: Send;
  update(update: SessionUpdate): void;
  notice(level: NoticeEntry["level"], text: string, action?: NoticeEntry["action"]): void;
  /** What the session is doing may have changed. */
  onState(): void;
  onOptions(): void;
  readonly choices: ClaudeOptions;
  readonly turns: Turns;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly host: SessionHost;
  readonly cwd: string;
  readonly autosave: boolean;
  /** It goes on from no earlier session. */
  readonly isNew: boolean;
  /** The session is open; before, only requests and their answers count. */
  isOpen(): boolean;
}

/** What one process of Claude Code says, made into updates. Nothing of it throws. */
export class SessionStream {
  readonly control: ControlChannel;
  readonly questions: OpenQuestions;
  readonly #options: SessionStreamOptions;
  readonly #hooks: Hooks;
  readonly #messages: ModelMessages;
  readonly #tools: ToolUses;
  readonly #tasks: BackgroundTasks;
  readonly #usage: UsageCount;
  readonly #limits: PlanLimits = new PlanLimits();
  readonly #unknown: Set<string> = new Set();
  #retrying: SessionState | undefined;
  #isSignedOut = false;
  /** The turn's failure has been said already. */
  #hasSaidFailure = false;
  /** A prompt was interrupted before the program began with it. */
  #interruptNext: string | undefined;

  constructor(options: SessionStreamOptions) {
    this.#options = options;
    this.#usage = new UsageCount(options.isNew);
    const { clock, logger, host, cwd, autosave, update } = options;
    const now = (): number => clock.now();
    this.control = new ControlChannel(options.send, clock, logger);
    this.#hooks = new Hooks({ host, clock, logger, cwd, autosave });
    this.#tools = new ToolUses({ now, update }, cwd);
    this.#tasks = new BackgroundTasks({ now, update }, this.#tools);
    this.#messages = new ModelMessages({
      now,
      update,
      onTool: (use, parent, isWhole) => this.#tools.begin(use, parent, isWhole),
      onTokens: (tokens, parent) => {
        if (parent === undefined && this.#usage.message(tokens)) update({ type: "usage", usage: this.#usage.value });
      },
    });
    this.questions = new OpenQuestions({
      control: this.control,
      tools: this.#tools,
      host,
      clock,
      logger,
      cwd,
      now,
      update,
      lastText: () => this.#messages.lastText,
      onEdited: (toolId, text) => this.#hooks.userEdited(toolId, text),
      onChange: () => options.onState(),
    });
  }

  /** The state while the program waits to try again. */
  get retrying(): SessionState | undefined {
    return this.#retrying;
  }

  get isSignedOut(): boolean {
    return this.#isSignedOut;
  }

  signedOut(): void {
    this.#isSignedOut = true;
  }

  receive(value: unknown): void {
    const message = parseMessage(value);
    if (message.type === "unknown") this.#ignore(message.name);
    else this.#take(message);
  }

  /** Stops the turn; a prompt with which the program has not begun yet is stopped when it does. */
  async interrupt(): Promise<void> {
    try {
      const answer = await this.control.request("interrupt");
      const queued =
        typeof answer === "object" && answer !== null && "still_queued" in answer ? answer.still_queued : [];
      if (Array.isArray(queued) && typeof queued[0] === "string") [this.#interruptNext] = queued;
    } catch {
      // It has ended, and so has its turn; or it does not answer, and closing the session ends it.
    }
  }

  /** The process has ended. */
  end(): void {
    this.control.end();
    this.#messages.end();
    this.#tools.end();
    this.#tasks.end();
    this.questions.withdrawAll();
  }

  #take(message: ClaudeMessage): void {
    switch (message.type) {
      case "stream_event":
        this.#goesOn();
        this.#messages.streamed(message.event, message.parent_tool_use_id ?? undefined);
        return;
      case "assistant":
        this.#goesOn();
        if (message.error === undefined) this.#messages.whole(message);
        else this.#failed(message, message.error);
        return;
      case "user":
        this.#tools.finish(message);
        return;
      case "result":
        if (this.#options.isOpen()) this.#turnEnded(message);
        return;
      case "system":
        this.#system(message);
        return;
      case "command_lifecycle":
        if (message.state === "started" && message.command_uuid === this.#interruptNext) {
          this.#interruptNext = undefined;
          void this.interrupt();
        }
        this.#options.turns.lifecycle(message.command_uuid, message.state);
        this.#options.onState();
        return;
      case "conversation_reset":
        this.#options.notice("info", "The agent has forgotten the conversation up to here.");
        return;
      case "rate_limit_event": {
        const warning = this.#limits.hear(message, this.#options.clock.now());
        if (warning !== undefined) this.#options.notice("warning", warning);
        return;
      }
      case "control_request":
        this.#asked(message.request_id, message.request);
        return;
      case "control_cancel_request":
        this.questions.withdraw(message.request_id);
        return;
      case "control_response":
        this.control.receive(message);
    }
  }

  #system(message: Extract<ClaudeMessage, { type: "system" }>): void {
    const { choices, turns, update, onOptions, onState, notice } = this.#options;
    switch (message.subtype) {
      case "init":
        // Once for each turn, be it asked for or not.
        turns.begin();
        update({ type: "session", sessionId: message.session_id });
        if (message.model !== undefined) choices.modelIs(message.model);
        if (message.permissionMode !== undefined) choices.mode = message.permissionMode;
        onOptions();
        onState();
        return;
      case "status":
        if (message.permissionMode === undefined) return;
        choices.mode = message.permissionMode;
        onOptions();
        return;
      case "api_retry":
        this.#retrying = retryState(message, this.#options.clock.now());
        onState();
        return;
      case "background_tasks_changed":
      case "task_started":
      case "task_notification":
        return this.#tasks.hear(message);
      case "session_title_changed":
        update({ type: "title", title: message.title });
        return;
      case "compact_boundary":
        notice("info", "The agent has summarised the conversation up to here.");
    }
  }

  #asked(requestId: string, request: { readonly subtype: string }): void {
    const { host, cwd } = this.#options;
    const ask = canUseTool.safeParse(request);
    if (ask.success) {
      if (isCompanionTool(ask.data.tool_name))
        this.control.answer(requestId, { behavior: "allow", updatedInput: ask.data.input });
      else void this.questions.ask(requestId, ask.data);
      return;
    }
    const hook = hookCallback.safeParse(request);
    if (hook.success) {
      void this.#hooks.answer(hook.data).then((answer) => this.control.answer(requestId, answer));
      return;
    }
    const mcp = mcpMessage.safeParse(request);
    if (mcp.success && mcp.data.server_name === companionName) {
      void this.control.answerWith(requestId, async () => ({
        mcp_response: await answerCompanion(mcp.data, host, cwd),
      }));
      return;
    }
    this.#ignore(`control_request ${request.subtype}`);
    this.control.refuse(requestId, `Patchbay does not know ${request.subtype}.`);
  }

  /** A failure of the provider, which comes as if the model had said it. */
  #failed({ message }: AssistantMessage, error: string): void {
    const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    const isSignIn = error === "authentication_failed" && text.includes("/login");
    if (isSignIn) this.#isSignedOut = true;
    this.#hasSaidFailure = true;
    this.#options.notice("error", text === "" ? error : text, isSignIn ? "sign-in" : "retry");
  }

  #turnEnded(result: ResultMessage): void {
    const { turns, clock, update, notice, onState } = this.#options;
    this.#retrying = undefined;
    const { reason, promptId } = turns.result(result);
    this.#messages.end();
    this.#tools.endTurn(reason === "stopped");
    if (reason === "stopped") this.questions.withdrawAll();
    if (reason === "failed" && !this.#hasSaidFailure) notice("error", failureText(result), "retry");
    this.#hasSaidFailure = false;
    const used = this.#usage.turn(result);
    if (used.usage !== undefined) update({ type: "usage", usage: used.usage });
    const id = `end-${promptId ?? result.uuid ?? clock.now()}`;
    update({ type: "entry", entry: turnEnd(id, clock.now(), reason, result, used) });
    if (promptId !== undefined) turns.settle(reason);
    onState();
  }

  /** The provider has answered. */
  #goesOn(): void {
    if (this.#retrying === undefined) return;
    this.#retrying = undefined;
    this.#options.onState();
  }

  /** Each is said once. */
  #ignore(name: string): void {
    if (this.#unknown.has(name)) return;
    this.#unknown.add(name);
    this.#options.logger.debug("A message of Claude Code was not looked at", { name });
  }
}

function retryState(message: RetryMessage, now: number): SessionState {
  return {
    kind: "retrying",
    attempt: message.attempt,
    ...(message.max_retries === undefined ? {} : { limit: message.max_retries }),
    nextAt: now + message.retry_delay_ms,
    reason: retryReason(message),
  };
}

function retryReason({ error_status: status, error }: RetryMessage): string {
  const what = (error ?? "").replaceAll("_", " ");
  if (status === null || status === undefined) return what === "" ? "no answer" : what;
  if (status === 401 || status === 403) return `the credentials were not accepted (${status})`;
  if (status === 429) return `too many requests (${status})`;
  if (status === 529 || status === 503) return `the service is overloaded (${status})`;
  return status >= 500 ? `the service failed (${status})` : `${what} (${status})`.trim();
}

function failureText(result: ResultMessage): string {
  const said = result.result ?? result.errors?.filter((error) => !error.startsWith("[")).join("\n") ?? "";
  return said === "" ? "Claude Code could not continue." : said;
}
