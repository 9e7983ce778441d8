import { randomUUID } from "node:crypto";
import type { Children, Environment, Launch } from "@patchbay/conversations";
import * as z from "zod";
import { createMemoryChildren, type ProgramHandle, type ProgramSide } from "./memory-program.ts";
import {
  type ClaudeScript,
  ScriptedClaudeTurn,
  type ScriptedHook,
  type ScriptedTurnStage,
} from "./scripted-claude-turn.ts";

export interface ScriptedClaudeOptions {
  /** Members that replace those of the answer to `initialize`. */
  readonly initialized?: Readonly<Record<string, unknown>>;
  /** Sessions that it knows, for `--resume`. */
  readonly sessions?: readonly string[];
  /** What it tells of its plan; absent: as with a key of the provider's. */
  readonly rateLimits?: Readonly<Record<string, unknown>>;
}

const models = [
  {
    value: "default",
    resolvedModel: "claude-large-1",
    displayName: "Default (recommended)",
    description: "Large 1",
    supportsEffort: true,
    supportedEffortLevels: ["low", "medium", "high"],
    supportsAutoMode: true,
  },
  { value: "small", resolvedModel: "claude-small-1", displayName: "Small", description: "Small 1" },
];

interface ScriptedServer {
  readonly name: string;
  readonly status: string;
  readonly error?: string;
  readonly [member: string]: unknown;
}

const servers: readonly ScriptedServer[] = [
  {
    name: "tracker",
    status: "connected",
    serverInfo: { name: "tracker", version: "1.2" },
    config: { type: "http", url: "https://tracker.example/mcp", headers: { Authorization: "Bearer not for anybody" } },
    transport: "http",
    scope: "user",
    source: "user",
    tools: [
      { name: "find", annotations: {} },
      { name: "comment", annotations: {} },
    ],
  },
  {
    name: "broken",
    status: "failed",
    error: "ENOENT: no such file or directory, posix_spawn 'stdio'",
    config: { type: "stdio", command: "/nowhere", args: ["--token", "not for anybody"] },
    transport: "stdio",
    scope: "project",
    source: "project",
  },
  { name: "companion", status: "connected", transport: "sdk", scope: "dynamic", source: "sdk", tools: [] },
];

const contextUsage = {
  categories: [
    { id: "system_prompt", name: "System prompt", tokens: 2339, color: "promptBorder", kind: "used" },
    { id: "system_tools", name: "System tools", tokens: 10_250, color: "inactive", kind: "used" },
    { id: "mcp_tools_deferred", name: "MCP tools (deferred)", tokens: 28, isDeferred: true, kind: "deferred" },
    { id: "autocompact_buffer", name: "Autocompact buffer", tokens: 33_000, color: "inactive", kind: "buffer" },
    { id: "free_space", name: "Free space", tokens: 954_411, color: "promptBorder", kind: "free" },
  ],
  totalTokens: 12_589,
  maxTokens: 1_000_000,
  rawMaxTokens: 1_000_000,
  percentage: 1,
};

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

const hookMatchers = z.record(
  z.string(),
  z.array(z.object({ matcher: z.string(), hookCallbackIds: z.array(z.string()) })),
);

/**
 * A program in memory that speaks as Claude Code does over its standard streams: written from what Claude Code 2.1.328 sends and
 * answers (docs/protocols/claude-stream.md), never from Patchbay's own driver. One object stands for the installed program; each
 * start of it is a `ScriptedClaudeProcess`.
 */
export class ScriptedClaude {
  readonly children: Children;
  readonly processes: ScriptedClaudeProcess[] = [];
  /** What Write and Edit have written, by path. */
  readonly files: Map<string, string> = new Map();
  readonly #options: ScriptedClaudeOptions;
  readonly #scripts: ClaudeScript[] = [];

  constructor(options: ScriptedClaudeOptions = {}) {
    this.#options = options;
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
export class ScriptedClaudeProcess implements ProgramSide, ScriptedTurnStage {
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
  readonly #options: ScriptedClaudeOptions;
  readonly #nextScript: () => ClaudeScript | undefined;
  readonly #answers: Map<string, (response: Readonly<Record<string, unknown>>) => void> = new Map();
  readonly #queue: { readonly id: string }[] = [];
  #turn: ScriptedClaudeTurn | undefined;
  #servers: readonly ScriptedServer[] = servers;
  readonly #tasks: Map<string, { readonly toolId: string; readonly description: string; readonly type: string }> =
    new Map();
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
    this.#options = options;
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
      void this.#control(request.data.request_id, request.data.request);
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

  async #control(id: string, request: Readonly<Record<string, unknown>>): Promise<void> {
    const succeed = (response?: unknown): void => {
      const answer = { subtype: "success", request_id: id, ...(response === undefined ? {} : { response }) };
      this.#handle.say({ type: "control_response", response: answer });
    };
    const refuse = (error: string): void => {
      this.#handle.say({ type: "control_response", response: { subtype: "error", request_id: id, error } });
    };
    switch (request["subtype"]) {
      case "initialize":
        this.hooks = hooksOf(request["hooks"]);
        await this.#connect(request["sdkMcpServers"]);
        return succeed({
          commands: [{ name: "context", description: "Shows what the context holds", argumentHint: "" }],
          models,
          account: { tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" },
          current_permission_mode: this.mode,
          ...this.#options.initialized,
        });
      case "get_settings":
        return succeed({ effective: { env: { SECRET: "not for anybody" } }, applied: { effort: "medium" } });
      case "set_permission_mode":
        if (request["mode"] === "bypassPermissions") return refuse("Cannot set permission mode to bypassPermissions");
        succeed({ mode: request["mode"] });
        return this.setMode(String(request["mode"]));
      case "set_model":
        return succeed({ model: request["model"] });
      case "apply_flag_settings":
        return succeed();
      case "rename_session":
        this.say({ type: "system", subtype: "session_title_changed", title: request["title"] });
        return succeed();
      case "interrupt":
        succeed({ still_queued: this.#queue.map((queued) => queued.id) });
        return this.#turn?.stop();
      case "get_context_usage":
        return succeed(contextUsage);
      case "get_usage":
        return succeed({
          session: { total_cost_usd: 0 },
          subscription_type: this.#options.rateLimits === undefined ? null : "max",
          rate_limits_available: this.#options.rateLimits !== undefined,
          rate_limits: this.#options.rateLimits ?? null,
        });
      case "mcp_status":
        return succeed({ mcpServers: this.#servers });
      case "mcp_toggle":
      case "mcp_reconnect":
        return this.#changeServer(request, { succeed, refuse });
      case "stop_task":
        succeed({});
        return this.endTask(String(request["task_id"]).replace(/^task-/u, ""), "stopped", "");
      case "rewind_files":
        return refuse("No file checkpoint found for this message.");
      default:
        return refuse(`Unsupported control request subtype: ${String(request["subtype"])}`);
    }
  }

  #changeServer(
    { subtype, serverName, enabled }: Readonly<Record<string, unknown>>,
    { succeed, refuse }: { readonly succeed: () => void; readonly refuse: (error: string) => void },
  ): void {
    const server = this.#servers.find(({ name }) => name === serverName);
    if (server === undefined) return refuse(`Server not found: ${String(serverName)}`);
    if (subtype === "mcp_reconnect" && server.error !== undefined) return refuse(server.error);
    const status = enabled === false ? "disabled" : server.error === undefined ? "connected" : "failed";
    this.#servers = this.#servers.map((one) => (one === server ? { ...one, status } : one));
    succeed();
  }

  /** Its client of our server says hello before `initialize` is answered. */
  async #connect(servers: unknown): Promise<void> {
    if (!Array.isArray(servers) || typeof servers[0] !== "string") return;
    const [server_name] = servers;
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "claude-code", version: "2" },
    };
    const hello = { jsonrpc: "2.0", id: 0, method: "initialize", params };
    await this.ask({ subtype: "mcp_message", server_name, message: hello });
    void this.ask({
      subtype: "mcp_message",
      server_name,
      message: { jsonrpc: "2.0", method: "notifications/initialized" },
    });
  }
}

function hooksOf(value: unknown): readonly ScriptedHook[] {
  const parsed = hookMatchers.safeParse(value);
  if (!parsed.success) return [];
  return Object.entries(parsed.data).flatMap(([event, list]) =>
    list.flatMap(({ matcher, hookCallbackIds }) => hookCallbackIds.map((id) => ({ event, matcher, id }))),
  );
}
