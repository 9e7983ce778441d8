import { randomUUID } from "node:crypto";
import { Emitter, type Event, messageOf, PatchbayError } from "@patchbay/core";
import type { AgentSession, Prompt, RewindResult, SessionHost, SessionStart } from "../driver.ts";
import type {
  AgentFacts,
  Answer,
  McpServerChange,
  NoticeEntry,
  SessionCapabilities,
  SessionState,
  SessionUpdate,
  TurnEndReason,
} from "../model/index.ts";
import { AgentProcess, type AgentProcessPorts, endOf, type ProcessExit } from "../process/agent-process.ts";
import type { Environment } from "../process/children.ts";
import { type Launch, type ProgramNeed, startFailure } from "../process/programs.ts";
import { type Account, appliedSettings, initialized, rewound } from "./requests.ts";
import { companionName } from "./companion-server.ts";
import { factsOf } from "./facts.ts";
import { hooks } from "./hooks.ts";
import { argumentsFor, contentOf, sessionEnvironment } from "./outgoing.ts";
import { ClaudeOptions, commandsOf, isSignedOut } from "./options.ts";
import { SessionStream } from "./session-stream.ts";
import { Turns } from "./turns.ts";

/** What a session of Claude Code is made of. */
export interface ClaudeSessionOptions {
  readonly ports: AgentProcessPorts;
  readonly host: SessionHost;
  /** Absolute path of the folder in which it works. */
  readonly cwd: string;
  readonly start: SessionStart;
  /** Finds the program; rejects with a sentence for people where there is none. */
  launch(args: readonly string[], environment: Environment): Promise<Launch>;
  /** Unsaved changes are saved before it reads or writes a file. */
  readonly autosave: boolean;
  /** What it begins with; the mode is `default`, in which it asks, unless another one is named. */
  readonly mode?: string;
  readonly model?: string;
  readonly effort?: string;
}

const need: ProgramNeed = { agentName: "Claude Code", command: "claude", package: "@anthropic-ai/claude-code" };

const capabilities: SessionCapabilities = {
  images: true,
  excerpts: true,
  editableChanges: true,
  rejectionMessages: true,
  fork: true,
  forkBefore: true,
  rewind: true,
  resume: true,
  facts: true,
};

/** How long it may take to end once its input is closed, and its turn once it is interrupted, ms. */
const inputMs = 1_000;
const interruptMs = 1_000;

/** A session of Claude Code over its own protocol: docs/protocols/claude-stream.md. */
export class ClaudeSession implements AgentSession {
  readonly capabilities: SessionCapabilities = capabilities;
  readonly #options: ClaudeSessionOptions;
  readonly #updates: Emitter<SessionUpdate>;
  readonly #turns: Turns;
  readonly #choices: ClaudeOptions = new ClaudeOptions();
  #stream: SessionStream | undefined;
  #process: AgentProcess | undefined;
  #program: Launch | undefined;
  #account: Account | undefined;
  #state: SessionState = { kind: "ended" };
  readonly #told: Map<SessionUpdate["type"], string> = new Map();
  #isReady = false;
  #isClosed = false;

  constructor(options: ClaudeSessionOptions) {
    this.#options = options;
    this.#updates = new Emitter((error) => {
      options.ports.logger.error("A listener failed", { reason: messageOf(error) });
    });
    this.#turns = new Turns(options.ports.clock);
  }

  get onUpdate(): Event<SessionUpdate> {
    return this.#updates.event;
  }

  async start(): Promise<void> {
    const { start } = this.#options;
    try {
      await this.#open(start);
    } catch (error) {
      const exit = this.#process?.exited;
      if (this.#isClosed || start.kind === "new" || exit === undefined || !isUnknownSession(exit)) throw error;
      await this.#open({ kind: "new" });
      // Behind the start: what comes before belongs to a replay.
      this.#options.ports.clock.setTimeout(() => {
        this.#notice("info", "Claude Code has lost the earlier conversation and starts over.");
      }, 0);
    }
  }

  async prompt({ id, blocks }: Prompt): Promise<TurnEndReason> {
    const process = this.#process;
    if (process === undefined || process.exited !== undefined || !this.#isReady) return "exited";
    const content = contentOf(blocks);
    const message = { type: "user", session_id: "", parent_tool_use_id: null, uuid: id };
    const ended = this.#turns.prompt(id, () => {
      void process.send({ ...message, message: { role: "user", content } });
    });
    this.#tellState();
    return await ended;
  }

  async interrupt(): Promise<void> {
    if (this.#turns.since === undefined) return;
    this.#turns.interrupted();
    await this.#stream?.interrupt();
  }

  answer(questionId: string, answer: Answer): boolean {
    return this.#stream?.questions.answer(questionId, answer) ?? false;
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    if (typeof value !== "string" || !this.#choices.offers(optionId, value)) {
      throw new PatchbayError("invalid-argument", "Claude Code does not offer this.");
    }
    if (optionId === "mode") {
      await this.#request("set_permission_mode", { mode: value });
      this.#choices.mode = value;
    } else if (optionId === "model") {
      await this.#request("set_model", { model: value });
      this.#choices.model = value;
      await this.#readEffort();
    } else {
      await this.#request("apply_flag_settings", { settings: { effortLevel: value } });
      this.#choices.effort = value;
    }
    this.#tellOptions();
  }

  async rewind(promptId: string, dryRun: boolean): Promise<RewindResult> {
    try {
      const answer = await this.#request("rewind_files", { user_message_id: promptId, dry_run: dryRun });
      const { canRewind, error, filesChanged, insertions, deletions } = rewound.parse(answer);
      return {
        canRewind,
        ...(error === undefined ? {} : { reason: error }),
        files: filesChanged ?? [],
        ...(insertions === undefined ? {} : { insertions }),
        ...(deletions === undefined ? {} : { deletions }),
      };
    } catch (error) {
      return { canRewind: false, reason: messageOf(error), files: [] };
    }
  }

  async rename(title: string): Promise<void> {
    await this.#request("rename_session", { title });
  }

  async facts(): Promise<AgentFacts> {
    const [context, usage, servers] = await Promise.all(
      ["get_context_usage", "get_usage", "mcp_status"].map((what) => this.#request(what).catch(() => undefined)),
    );
    return factsOf({ account: this.#account, context, usage, servers });
  }

  async changeServer(serverName: string, change: McpServerChange): Promise<void> {
    if (change === "reconnect") await this.#request("mcp_reconnect", { serverName });
    else await this.#request("mcp_toggle", { serverName, enabled: change === "enable" });
  }

  async stopTask(taskId: string): Promise<void> {
    await this.#request("stop_task", { task_id: taskId });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const stream = this.#stream;
    const isRunning = this.#turns.since !== undefined && stream !== undefined;
    await this.#process?.stop({
      ...(isRunning ? { first: { say: () => void stream.interrupt(), waitMs: interruptMs } } : {}),
      inputMs,
    });
    this.#become({ kind: "ended" });
  }

  async #open(start: SessionStart): Promise<void> {
    const { ports, cwd, launch, mode = "default" } = this.#options;
    const newId = randomUUID();
    this.#become({ kind: "starting" });
    const program = await launch(argumentsFor(start, newId, mode), sessionEnvironment);
    // Closed while the program was looked for.
    if (this.#isClosed) throw new PatchbayError("stopped", "The conversation was closed.");
    this.#program = program;
    const process = new AgentProcess(ports, { ...program, cwd });
    this.#process = process;
    const stream = this.#streamOf(process, start.kind === "new");
    this.#stream = stream;
    process.onMessage((message) => stream.receive(message));
    process.onExit((exit) => this.#exited(stream, exit));
    await process.start();
    try {
      await this.#initialise(start, newId);
    } catch (error) {
      if (process.exited === undefined) await process.stop({ inputMs });
      const lastErrors = process.exited?.lastErrors ?? "";
      if (lastErrors !== "") throw startFailure(need, lastErrors);
      throw new PatchbayError("host-failed", `Claude Code could not be started: ${messageOf(error)}`, { cause: error });
    }
  }

  async #initialise(start: SessionStart, newId: string): Promise<void> {
    const { model, effort } = this.#options;
    const answer = initialized.parse(await this.#request("initialize", { hooks, sdkMcpServers: [companionName] }));
    this.#account = answer.account;
    this.#choices.initialise(answer, model === undefined ? {} : { model });
    if (model !== undefined) await this.#request("set_model", { model });
    if (effort !== undefined) await this.#request("apply_flag_settings", { settings: { effortLevel: effort } });
    await this.#readEffort();
    if (start.kind !== "fork") {
      this.#tell({ type: "session", sessionId: start.kind === "resume" ? start.sessionId : newId });
    }
    this.#tell({ type: "commands", commands: commandsOf(answer) });
    this.#tellOptions();
    this.#isReady = true;
    if (isSignedOut(answer)) this.#stream?.signedOut();
    this.#tellState();
  }

  async #readEffort(): Promise<void> {
    // Older versions do not know the request: there is no choice of an effort then.
    const settings = appliedSettings.safeParse(await this.#request("get_settings").catch(() => undefined));
    this.#choices.effort = settings.success ? (settings.data.applied.effort ?? undefined) : undefined;
  }

  async #request(subtype: string, members: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    if (this.#stream === undefined) throw new PatchbayError("stopped", "Claude Code is not running.");
    return await this.#stream.control.request(subtype, members);
  }

  #streamOf(process: AgentProcess, isNew: boolean): SessionStream {
    const { ports, host, cwd, autosave } = this.#options;
    return new SessionStream({
      send: (message) => void process.send(message),
      update: (update) => this.#tell(update),
      notice: (level, text, action) => this.#notice(level, text, action === undefined ? {} : { action }),
      onState: () => this.#tellState(),
      onOptions: () => this.#tellOptions(),
      isOpen: () => this.#isReady,
      choices: this.#choices,
      turns: this.#turns,
      clock: ports.clock,
      logger: ports.logger,
      host,
      cwd,
      autosave,
      isNew,
    });
  }

  #exited(stream: SessionStream, exit: ProcessExit): void {
    stream.end();
    if (!this.#isReady) return;
    const reason = `Claude Code ${endOf(exit)}.`;
    if (!exit.isExpected) {
      this.#notice("error", reason, {
        ...(exit.lastErrors === "" ? {} : { detail: exit.lastErrors }),
        action: "restart",
      });
    }
    this.#turns.end();
    this.#become(exit.isExpected ? { kind: "ended" } : { kind: "ended", reason });
  }

  #notice(level: NoticeEntry["level"], text: string, more: Pick<NoticeEntry, "detail" | "action"> = {}): void {
    const at = this.#options.ports.clock.now();
    this.#tell({ type: "entry", entry: { kind: "notice", id: randomUUID(), at, level, text, ...more } });
  }

  #tellOptions(): void {
    if (this.#isReady || this.#state.kind === "starting") {
      this.#tell({ type: "options", options: this.#choices.all() });
    }
  }

  #tellState(): void {
    const stream = this.#stream;
    if (!this.#isReady || stream === undefined || this.#state.kind === "ended") return;
    const { since } = this.#turns;
    if (since !== undefined && stream.questions.count > 0) this.#become({ kind: "waiting", since });
    else if (since !== undefined) this.#become(stream.retrying ?? { kind: "running", since });
    else if (stream.isSignedOut) this.#become(this.#signedOut());
    else
      this.#become(
        stream.questions.count > 0 ? { kind: "waiting", since: this.#options.ports.clock.now() } : { kind: "idle" },
      );
  }

  #signedOut(): SessionState {
    const program = this.#program?.program ?? "claude";
    const method = {
      id: "claude-login",
      name: "Sign in to Claude Code",
      description: "In a terminal; then try again.",
      command: [program, ...(this.#program?.args ?? []).slice(0, this.#wrapped()), "auth", "login"],
    };
    return { kind: "signed-out", methods: [method] };
  }

  /** How many arguments stand before those of Claude Code: with a wrapper, its own path. */
  #wrapped(): number {
    return Math.max(0, (this.#program?.args ?? []).indexOf("--output-format"));
  }

  #become(state: SessionState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#tell({ type: "state", state });
  }

  /** What the program says again and again is told when it changes. */
  #tell(update: SessionUpdate): void {
    if (update.type === "session" || update.type === "usage" || update.type === "options") {
      const text = JSON.stringify(update);
      if (this.#told.get(update.type) === text) return;
      this.#told.set(update.type, text);
    }
    this.#updates.fire(update);
  }
}

function isUnknownSession(exit: ProcessExit): boolean {
  return /No conversation found|No message found/u.test(exit.lastErrors);
}
