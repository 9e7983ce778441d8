import * as z from "zod";
import { AcpAgent } from "./acp-agent.ts";

/** Which agent is spoken as: what the real ones were seen to send, version by version (docs/protocols/acp.md). */
export type AcpAgentStyle = "gemini" | "qwen";

/** What one turn does. Returns the reason for which it stops, or a whole result; nothing: it has ended well. */
export type AcpTurn = (turn: AcpTurnControls) => unknown;

/** What a test can have an agent do in a turn. */
export interface AcpTurnControls {
  readonly agent: AcpAgent;
  /** The blocks of the prompt. */
  readonly prompt: readonly unknown[];
  /** Aborted when the client cancels the turn. */
  readonly cancelled: AbortSignal;
  say(text: string): void;
  think(text: string): void;
  update(update: Readonly<Record<string, unknown>>): void;
  /** Changes a file as the agent's own tool does; `asks`: it wants a permission first. Resolves with what became of it. */
  edit(path: string, newText: string, options?: { readonly asks?: boolean }): Promise<AcpToolOutcome>;
  /** Runs a command, after a permission; nothing is run, `output` is what it prints. */
  shell(command: string, output: string): Promise<AcpToolOutcome>;
}

export type AcpToolOutcome = "done" | "rejected" | "cancelled";

const promptSchema = z.object({ sessionId: z.string(), prompt: z.array(z.unknown()) });
const permissionSchema = z.object({
  outcome: z.discriminatedUnion("outcome", [
    z.object({ outcome: z.literal("selected"), optionId: z.string() }),
    z.object({ outcome: z.literal("cancelled") }),
  ]),
});
const contentSchema = z.object({ content: z.string() });

const options = [
  { optionId: "proceed_always", name: "Allow All Edits", kind: "allow_always" },
  { optionId: "proceed_once", name: "Allow", kind: "allow_once" },
  { optionId: "cancel", name: "Reject", kind: "reject_once" },
] as const;

const geminiModes = {
  currentModeId: "default",
  availableModes: [
    { id: "default", name: "Default", description: "Prompts for approval" },
    { id: "autoEdit", name: "Auto Edit", description: "Auto-approves edit tools" },
    { id: "yolo", name: "YOLO", description: "Auto-approves all tools" },
    { id: "plan", name: "Plan", description: "Read-only mode" },
  ],
} as const;

const qwenModes = {
  currentModeId: "default",
  availableModes: [
    { id: "plan", name: "Plan", description: "Analyze only, do not modify files or execute commands" },
    { id: "default", name: "Default", description: "Require approval for file edits or shell commands" },
    { id: "auto-edit", name: "Auto Edit", description: "Automatically approve file edits" },
    { id: "yolo", name: "YOLO", description: "Automatically approve all tools" },
  ],
} as const;

/** What each of them answers to `initialize` and `session/new`. */
const styles = {
  gemini: {
    initialized: {
      protocolVersion: 1,
      authMethods: [
        { id: "oauth-personal", name: "Log in with Google", description: "Log in with your Google account" },
        { id: "gemini-api-key", name: "Gemini API key", _meta: { "api-key": { provider: "google" } } },
      ],
      agentInfo: { name: "gemini-cli", title: "Gemini CLI", version: "0.61.0" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
      },
    },
    session: {
      modes: geminiModes,
      models: {
        availableModels: [
          { modelId: "auto", name: "Auto", description: "Let Gemini CLI decide" },
          { modelId: "gemini-2.5-pro", name: "gemini-2.5-pro" },
        ],
        currentModelId: "auto",
      },
    },
  },
  qwen: {
    initialized: {
      protocolVersion: 1,
      agentInfo: { name: "qwen-code", title: "Qwen Code", version: "0.24.4" },
      authMethods: [
        {
          id: "openai",
          name: "Use OpenAI API key",
          description: "Requires setting the `OPENAI_API_KEY` environment variable",
          _meta: { type: "terminal", args: ["--auth-type=openai"] },
        },
      ],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {} },
        mcpCapabilities: { sse: true, http: true },
      },
    },
    session: {
      modes: qwenModes,
      models: {
        currentModelId: "fake-model",
        availableModels: [
          { modelId: "fake-model", name: "fake-model", description: null, _meta: { contextLimit: 200_000 } },
        ],
      },
      configOptions: [
        {
          id: "mode",
          name: "Mode",
          description: "Session permission mode",
          category: "mode",
          type: "select",
          currentValue: "default",
          options: qwenModes.availableModes.map(({ id, name, description }) => ({ value: id, name, description })),
        },
        {
          id: "model",
          name: "Model",
          category: "model",
          type: "select",
          currentValue: "fake-model",
          options: [{ value: "fake-model", name: "fake-model", description: "" }],
        },
      ],
    },
  },
} as const;

/** An agent of the Gemini family, with the turns that it plays: one for each prompt, then it only says that it is done. */
export class FamilyAcpAgent extends AcpAgent {
  readonly style: AcpAgentStyle;
  /** The id of its session. */
  readonly sessionId = "00000000-0000-4000-8000-000000000001";
  readonly #turns: AcpTurn[] = [];
  #calls = 0;

  constructor(style: AcpAgentStyle) {
    super();
    this.style = style;
    const { initialized, session } = styles[style];
    this.answers("initialize", () => initialized);
    this.answers("session/new", () => ({ sessionId: this.sessionId, ...session }));
    this.answers("session/prompt", (params) => this.#play(params));
    for (const method of ["session/set_mode", "session/set_model", "session/set_config_option"]) {
      this.answers(method, () => ({}));
    }
  }

  /** What `session/new` answers beside the id. */
  get sessionResult(): Readonly<Record<string, unknown>> {
    return styles[this.style].session;
  }

  /** Puts turns at the end of what it plays. */
  play(...turns: readonly AcpTurn[]): void {
    this.#turns.push(...turns);
  }

  /** Tells of its session. */
  update(update: Readonly<Record<string, unknown>>): void {
    this.notify("session/update", { sessionId: this.sessionId, update });
  }

  async #play(params: unknown): Promise<unknown> {
    const { prompt } = promptSchema.parse(params);
    const cancel = new AbortController();
    this.answers("session/cancel", () => cancel.abort());
    const turn = this.#turns.shift() ?? (({ say }: AcpTurnControls) => say("All done."));
    const result = await turn(this.#controls(prompt, cancel.signal));
    if (typeof result === "object" && result !== null) return result;
    const stopReason = cancel.signal.aborted ? "cancelled" : typeof result === "string" ? result : "end_turn";
    return { stopReason };
  }

  #controls(prompt: readonly unknown[], cancelled: AbortSignal): AcpTurnControls {
    const chunk = (sessionUpdate: string, text: string): void =>
      this.update({ sessionUpdate, content: { type: "text", text } });
    return {
      agent: this,
      prompt,
      cancelled,
      say: (text) => chunk("agent_message_chunk", text),
      think: (text) => chunk("agent_thought_chunk", text),
      update: (update) => this.update(update),
      edit: (path, newText, { asks = true } = {}) => this.#edit(path, newText, asks),
      shell: (command, output) => this.#shell(command, output),
    };
  }

  #nextCall(tool: string): string {
    this.#calls += 1;
    return this.style === "gemini" ? `${tool}__call-${this.#calls}` : `call_${this.#calls}`;
  }

  async #edit(path: string, newText: string, asks: boolean): Promise<AcpToolOutcome> {
    const tool = this.style === "gemini" ? "replace" : "edit";
    const id = this.#nextCall(tool);
    const meta = this.style === "qwen" ? { _meta: { toolName: tool } } : {};
    if (this.style === "qwen") {
      const nothing = { content: [], locations: [], kind: "edit", rawInput: {}, _meta: { toolName: tool } };
      this.update({ sessionUpdate: "tool_call", toolCallId: id, status: "pending", title: "Edit", ...nothing });
    } else if (!asks) {
      const about = { content: [], locations: [{ path }], kind: "edit" };
      this.update({ sessionUpdate: "tool_call", toolCallId: id, status: "in_progress", title: path, ...about });
    }
    const oldText = await this.#read(path);
    const diff = [{ type: "diff", path, oldText, newText }];
    const call = { toolCallId: id, title: path, content: diff, locations: [{ path }], kind: "edit", ...meta };
    if (asks) {
      const outcome = await this.#permission(call);
      if (outcome !== "done") return this.#refused(id, outcome);
    }
    await this.#read(path);
    await this.ask("fs/write_text_file", { sessionId: this.sessionId, path, content: newText });
    this.update({ sessionUpdate: "tool_call_update", ...call, status: "completed" });
    return "done";
  }

  async #shell(command: string, output: string): Promise<AcpToolOutcome> {
    const id = this.#nextCall("run_shell_command");
    const rawInput = this.style === "qwen" ? { rawInput: { command } } : {};
    const call = { toolCallId: id, title: command, content: [], locations: [], kind: "execute", ...rawInput };
    const outcome = await this.#permission(call);
    if (outcome !== "done") return this.#refused(id, outcome);
    const content = [{ type: "content", content: { type: "text", text: output } }];
    this.update({ sessionUpdate: "tool_call_update", ...call, status: "completed", content });
    return "done";
  }

  /** What it reads is what its diff is made of; a missing file is empty for one and an error for the other. */
  async #read(path: string): Promise<string> {
    const { reply } = this.askRaw("fs/read_text_file", { sessionId: this.sessionId, path });
    const { result, error } = await reply;
    if (error !== undefined && this.style === "gemini") throw new Error(error.message);
    return error === undefined ? contentSchema.parse(result).content : "";
  }

  async #permission(call: Readonly<Record<string, unknown>>): Promise<AcpToolOutcome> {
    const toolCall = { ...call, status: "pending" };
    const result = await this.ask("session/request_permission", { sessionId: this.sessionId, options, toolCall });
    const { outcome } = permissionSchema.parse(result);
    if (outcome.outcome === "cancelled") return "cancelled";
    return outcome.optionId === "cancel" ? "rejected" : "done";
  }

  /** One of them says nothing more of a call that was refused; the other calls it failed. */
  #refused(toolCallId: string, outcome: AcpToolOutcome): AcpToolOutcome {
    if (this.style === "qwen") this.update({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
    return outcome;
  }
}

/** An agent that speaks as the real one does. */
export function createAcpAgent(style: AcpAgentStyle): FamilyAcpAgent {
  return new FamilyAcpAgent(style);
}
