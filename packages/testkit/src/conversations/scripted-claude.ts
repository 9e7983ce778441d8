import { randomUUID } from "node:crypto";
import type { Children, Environment, Launch } from "@patchbay/conversations";
import * as z from "zod";
import {
  ScriptedClaudeControl,
  type ScriptedClaudeOptions,
  type ScriptedControlStage,
} from "./scripted-claude-control.ts";
import { createMemoryChildren, type ProgramHandle, type ProgramSide } from "./memory-program.ts";
import {
  type ClaudeScript,
  ScriptedClaudeTurn,
  type ScriptedHook,
  type ScriptedTurnStage,
} from "./scripted-claude-turn.ts";

const userMessage = z.object({
  type: z.literal("user"),
  uuid: z.string(),
  message: z.object({ content: z.array(z.record(z.string(), z.unknown())) }),
});

const controlRequest = z.object({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});

const controlResponse = z.object({
  type: z.literal("control_response"),
  response: z.object({
    subtype: z.string(),
    request_id: z.string(),
    response: z.record(z.string(), z.unknown()).optional(),
    error: z.string().optional(),
  }),
});

/**
 * A program in memory that speaks as Claude Code does over its standard streams: written from what Claude Code 2.1.328 sends and
 * answers (docs/protocols/claude-stream.md), never from Patchbay's own driver. One object stands for the installed program; each
 * start of it is a `ScriptedClaudeProcess`.
 */
export class ScriptedClaude {
  readonly children: Children;
  readonly processes: ScriptedClaudeProcess[] = [];
  /** What Write and Edit have written, by path. */
  readonly files: Map<string, string>;
  readonly #options: ScriptedClaudeOptions;
  readonly #scripts: ClaudeScript[] = [];

  constructor(options: ScriptedClaudeOptions = {}) {
    this.#options = options;
    this.files = options.files ?? new Map();
    this.children = createMemoryChildren((handle) => {
      const process = new ScriptedClaudeProcess(handle, this.files, this.#options, () => this.#scripts.shift());
      this.processes.push(process);
      return process;
    });
  }

  /** Puts turns at the end of the script. When it is used up, the model says that it is done. */
  play(...scripts: readonly ClaudeScript[]): void {
    this.#scripts.push(...scripts);
  }

  /** How it is started. */
  launch(args: readonly string[], environment: Environment): Launch {
    return { program: "/scripted/claude", args, environment };
  }

  /** The process that was started last. */
  get process(): ScriptedClaudeProcess {
    const last = this.processes.at(-1);
    if (last === undefined) throw new Error("Claude Code was not started.");
    return last;
  }
}

/** One start of the program. */
export class ScriptedClaudeProcess implements ProgramSide, ScriptedTurnStage, ScriptedControlStage {
  readonly args: readonly string[];
  readonly environment: Environment;
  /** Control requests that it got, oldest first. */
  readonly requests: Readonly<Record<string, unknown>>[] = [];
  /** Contents of the prompts that it got. */
  readonly prompts: (readonly Readonly<Record<string, unknown>>[])[] = [];
  /** What reached the model besides: the context that hooks added. */
  readonly contexts: string[] = [];
  readonly files: Map<string, string>;
  hooks: readonly ScriptedHook[] = [];
  mode: string;
  sessionId: string;
  readonly #handle: ProgramHandle;
  readonly #nextScript: () => ClaudeScript | undefined;
  readonly #answers: Map<string, (response: Readonly<Record<string, unknown>>) => void> = new Map();
  readonly #queue: { readonly id: string }[] = [];
  readonly #control: ScriptedClaudeControl;
  readonly #tasks: Map<string, { readonly toolId: string; readonly description: string; readonly type: string }> =
    new Map();
  #turn: ScriptedClaudeTurn | undefined;
  #count = 0;
  #cost = 0;
  #isInputClosed = false;

  constructor(
    handle: ProgramHandle,
    files: Map<string, string>,
    options: ScriptedClaudeOptions,
    nextScript: () => ClaudeScript | undefined,
  ) {
    this.#handle = handle;
    this.files = files;
    this.#control = new ScriptedClaudeControl(this, options);
    this.#nextScript = nextScript;
    this.args = handle.request.args;
    this.environment = handle.request.environment;
    this.mode = this.#argument("--permission-mode") ?? "auto";
    const resumed = this.#argument("--resume");
    this.sessionId = this.args.includes("--fork-session")
      ? randomUUID()
      : (resumed ?? this.#argument("--session-id") ?? randomUUID());
    if (resumed === undefined || options.sessions?.includes(resumed) === true) return;
    const error = `No conversation found with session ID: ${resumed}`;
    handle.sayError(`${error}\n`);
    this.say({ type: "result", subtype: "error_during_execution", is_error: true, errors: [error] });
    handle.exit({ code: 1 });
  }

  /** A number that grows. */
  next(): number {
    this.#count += 1;
    return this.#count;
  }

  say(message: Readonly<Record<string, unknown>>): void {
    this.#handle.say({ ...message, session_id: this.sessionId, uuid: randomUUID() });
  }

  /** Says something that is no message of the session: an answer. */
  reply(message: Readonly<Record<string, unknown>>): void {
    this.#handle.say(message);
  }

  /** Prompts that wait. */
  get queued(): readonly string[] {
    return this.#queue.map(({ id }) => id);
  }

  /** The editor interrupts. */
  stop(): void {
    this.#turn?.stop();
  }

  /** Ends it as a fault would. */
  crash(code: number, errorText: string): void {
    this.#handle.sayError(errorText);
    this.#handle.exit({ code });
  }

  /** Asks the editor; resolves with what it answers. */
  async ask(
    request: Readonly<Record<string, unknown>>,
    requestId: string = randomUUID(),
  ): Promise<Readonly<Record<string, unknown>>> {
    return await new Promise((resolve) => {
      this.#answers.set(requestId, resolve);
      this.#handle.say({ type: "control_request", request_id: requestId, request });
    });
  }

  /** Takes a request back; its answer is not heard any more. */
  cancel(requestId: string): void {
    this.#answers.delete(requestId);
    this.#handle.say({ type: "control_cancel_request", request_id: requestId });
  }

  paid(amount: number): number {
    this.#cost += amount;
    return this.#cost;
  }

  goesOn(toolId: string, description: string, type: string): void {
    const id = `task-${toolId}`;
    this.#tasks.set(id, { toolId, description, type });
    this.#sayTasks();
    const started = { task_id: id, tool_use_id: toolId, description, is_backgrounded: true, task_type: type };
    this.say({ type: "system", subtype: "task_started", ...started });
  }

  /** What goes on in the background ends. */
  endTask(toolId: string, status: "completed" | "failed" | "stopped", summary: string): void {
    const id = `task-${toolId}`;
    if (!this.#tasks.delete(id)) return;
    const ended = { task_id: id, tool_use_id: toolId, status, summary, output_file: `/tmp/${id}.output` };
    this.say({ type: "system", subtype: "task_notification", ...ended });
    this.#sayTasks();
  }

  #sayTasks(): void {
    const tasks = Array.from(this.#tasks, ([task_id, { description, type }]) => {
      return { task_id, task_type: type, description };
    });
    this.say({ type: "system", subtype: "background_tasks_changed", tasks });
  }

  setMode(mode: string): void {
    this.mode = mode;
    this.say({ type: "system", subtype: "status", status: null, permissionMode: mode });
  }

  /** A turn that begins by itself, as when a subagent reports from the background. */
  async runOwnTurn(script: ClaudeScript): Promise<void> {
    await this.#run(script, undefined);
    await this.#play();
  }

  onMessage(message: unknown): void {
    const response = controlResponse.safeParse(message);
    if (response.success) {
      const { request_id, response: answer, subtype, error } = response.data.response;
      const waiting = this.#answers.get(request_id);
      this.#answers.delete(request_id);
      waiting?.(subtype === "success" ? (answer ?? {}) : { error });
      return;
    }
    const request = controlRequest.safeParse(message);
    if (request.success) {
      this.requests.push(request.data.request);
      void this.#control.answer(request.data.request_id, request.data.request);
      return;
    }
    const { uuid, message: prompt } = userMessage.parse(message);
    this.prompts.push(prompt.content);
    this.#lifecycle(uuid, "queued");
    this.#queue.push({ id: uuid });
    if (this.#turn === undefined) void this.#play();
  }

  onInputEnd(): void {
    this.#isInputClosed = true;
    // In a turn it goes on until the turn has ended; where it waits for an answer nobody can give it one any more.
    if (this.#turn === undefined || this.#turn.isAsking) this.#handle.exit({ code: 0 });
  }

  onSignal(signal: string): void {
    this.#handle.exit(signal === "SIGKILL" ? { signal } : { code: signal === "SIGTERM" ? 143 : 0 });
  }

  #argument(name: string): string | undefined {
    const at = this.args.indexOf(name);
    return at === -1 ? undefined : this.args[at + 1];
  }

  #lifecycle(id: string, state: string): void {
    this.say({ type: "command_lifecycle", command_uuid: id, state });
  }

  async #play(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#lifecycle(next.id, "started");
      const script = this.#nextScript() ?? ((turn: ScriptedClaudeTurn): void => turn.says("All done."));
      const isStopped = await this.#run(script, next.id);
      this.#lifecycle(next.id, isStopped ? "cancelled" : "completed");
    }
    if (this.#isInputClosed) this.#handle.exit({ code: 0 });
  }

  async #run(script: ClaudeScript, promptId: string | undefined): Promise<boolean> {
    const turn = new ScriptedClaudeTurn(this, promptId);
    this.#turn = turn;
    this.say({ type: "system", subtype: "init", model: "claude-large-1", permissionMode: this.mode });
    await turn.play(script);
    this.#turn = undefined;
    return turn.isStopped;
  }
}
