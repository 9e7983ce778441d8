import * as z from "zod";
import type { ScriptedHook, ScriptedTurnStage } from "./scripted-claude-turn.ts";

export interface ScriptedClaudeOptions {
  /** Members that replace those of the answer to `initialize`. */
  readonly initialized?: Readonly<Record<string, unknown>>;
  /** Sessions that it knows, for `--resume`. */
  readonly sessions?: readonly string[];
  /** Where it reads and writes; default: in memory. */
  readonly files?: Map<string, string>;
  /** What it tells of its plan; absent: as with a key of the provider's. */
  readonly rateLimits?: Readonly<Record<string, unknown>>;
}

/** What of the program is asked about, and changed, by control requests. */
export interface ScriptedControlStage extends Pick<ScriptedTurnStage, "say" | "ask" | "setMode"> {
  readonly mode: string;
  hooks: readonly ScriptedHook[];
  readonly queued: readonly string[];
  reply(message: Readonly<Record<string, unknown>>): void;
  stop(): void;
  /** What goes on in the background ends. */
  endTask(toolId: string, status: "completed" | "failed" | "stopped", summary: string): void;
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

const hookMatchers = z.record(
  z.string(),
  z.array(z.object({ matcher: z.string(), hookCallbackIds: z.array(z.string()) })),
);

/** Answers the control requests of an editor as Claude Code does. */
export class ScriptedClaudeControl {
  readonly #process: ScriptedControlStage;
  readonly #options: ScriptedClaudeOptions;
  #servers: readonly ScriptedServer[] = servers;

  constructor(process: ScriptedControlStage, options: ScriptedClaudeOptions) {
    this.#process = process;
    this.#options = options;
  }

  async answer(id: string, request: Readonly<Record<string, unknown>>): Promise<void> {
    const succeed = (response?: unknown): void => {
      const answer = { subtype: "success", request_id: id, ...(response === undefined ? {} : { response }) };
      this.#process.reply({ type: "control_response", response: answer });
    };
    const refuse = (error: string): void => {
      this.#process.reply({ type: "control_response", response: { subtype: "error", request_id: id, error } });
    };
    switch (request["subtype"]) {
      case "initialize":
        this.#process.hooks = hooksOf(request["hooks"]);
        await this.#connect(request["sdkMcpServers"]);
        return succeed({
          commands: [{ name: "context", description: "Shows what the context holds", argumentHint: "" }],
          models,
          account: { tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" },
          current_permission_mode: this.#process.mode,
          ...this.#options.initialized,
        });
      case "get_settings":
        return succeed({ effective: { env: { SECRET: "not for anybody" } }, applied: { effort: "medium" } });
      case "set_permission_mode":
        if (request["mode"] === "bypassPermissions") return refuse("Cannot set permission mode to bypassPermissions");
        succeed({ mode: request["mode"] });
        return this.#process.setMode(String(request["mode"]));
      case "set_model":
        return succeed({ model: request["model"] });
      case "apply_flag_settings":
        return succeed();
      case "rename_session":
        this.#process.say({ type: "system", subtype: "session_title_changed", title: request["title"] });
        return succeed();
      case "interrupt":
        succeed({ still_queued: this.#process.queued });
        return this.#process.stop();
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
        return this.#process.endTask(String(request["task_id"]).replace(/^task-/u, ""), "stopped", "");
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
    await this.#process.ask({ subtype: "mcp_message", server_name, message: hello });
    void this.#process.ask({
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
