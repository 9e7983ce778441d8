import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Emitter, type Event, type Files, messageOf, PatchbayError } from "@patchbay/core";
import type { AgentSession, Prompt, SessionHost, SessionStart } from "../driver.ts";
import type {
  Answer,
  NoticeEntry,
  SessionCapabilities,
  SessionState,
  SessionUpdate,
  TurnEndReason,
} from "../model/index.ts";
import { AgentProcess, type AgentProcessPorts, endOf, type ProcessExit } from "../process/agent-process.ts";
import type { Environment } from "../process/children.ts";
import { type Launch, type ProgramNeed, startFailure } from "../process/programs.ts";
import { commandsAnswer, modelsAnswer, type PiState, stateAnswer } from "./codec.ts";
import { extension } from "./extension.ts";
import { isSignInNeeded, SessionStream } from "./session-stream.ts";
import { PiOptions } from "./options.ts";
import { promptOf, saveForPrompt } from "./prompts.ts";

/** What a session of Pi is made of. */
export interface PiSessionOptions {
  readonly ports: AgentProcessPorts;
  readonly files: Pick<Files, "lstat" | "readLink" | "realPath">;
  readonly host: SessionHost;
  /** Absolute path of the folder in which it works. */
  readonly cwd: string;
  readonly start: SessionStart;
  /** Finds the program; rejects with a sentence for people where there is none. */
  launch(args: readonly string[], environment: Environment): Promise<Launch>;
  /** Unsaved changes are saved before it reads or writes a file. */
  readonly autosave: boolean;
}

const need: ProgramNeed = { agentName: "Pi", command: "pi", package: "@earendil-works/pi-coding-agent" };

const capabilities: SessionCapabilities = {
  images: true,
  excerpts: false,
  editableChanges: true,
  rejectionMessages: true,
  fork: true,
  forkBefore: false,
  rewind: false,
  resume: true,
  asksAhead: true,
};

/** How long it may take to start, to end once its input is closed, and its turn once it is stopped, ms. */
const startMs = 60_000;
const inputMs = 1_000;
const interruptMs = 1_000;

/** A session of Pi by `pi --mode rpc`: docs/protocols/pi-rpc.md. */
export class PiSession implements AgentSession {
  readonly capabilities: SessionCapabilities = capabilities;
  readonly #options: PiSessionOptions;
  readonly #updates: Emitter<SessionUpdate>;
  readonly #choices: PiOptions = new PiOptions();
  #stream: SessionStream | undefined;
  #process: AgentProcess | undefined;
  #program: Launch | undefined;
  #directory: string | undefined;
  #state: SessionState = { kind: "ended" };
  readonly #told: Map<SessionUpdate["type"], string> = new Map();
  #isReady = false;
  #isSignedOut = false;
  #isClosed = false;

  constructor(options: PiSessionOptions) {
    this.#options = options;
    this.#updates = new Emitter((error) => {
      options.ports.logger.error("A listener failed", { reason: messageOf(error) });
    });
  }

  get onUpdate(): Event<SessionUpdate> {
    return this.#updates.event;
  }

  async start(): Promise<void> {
    const { ports, cwd, launch, start } = this.#options;
    this.#become({ kind: "starting" });
    // Only this user can look into it.
    const directory = await mkdtemp(join(tmpdir(), "patchbay-pi-"));
    this.#directory = directory;
    try {
      const file = join(directory, "patchbay-panel.js");
      await writeFile(file, extension, { mode: 0o600 });
      const program = await launch(["--mode", "rpc", "--extension", file, ...sessionArguments(start)], {});
      // Closed while the program was looked for.
      if (this.#isClosed) throw new PatchbayError("stopped", "The conversation was closed.");
      this.#program = program;
      const process = new AgentProcess(ports, { ...program, cwd });
      this.#process = process;
      const stream = this.#streamOf(process);
      this.#stream = stream;
      process.onMessage((message) => stream.receive(message));
      process.onExit((exit) => this.#exited(stream, exit));
      await process.start();
      await this.#initialise(process, stream);
    } catch (error) {
      await this.#removeDirectory();
      throw error;
    }
  }

  async prompt({ id, blocks }: Prompt): Promise<TurnEndReason> {
    const process = this.#process;
    const stream = this.#stream;
    if (process === undefined || stream === undefined || process.exited !== undefined || !this.#isReady)
      return "exited";
    const { host, ports } = this.#options;
    const { model } = this.#choices;
    const { message, images, leftOut } = promptOf(blocks, model?.input?.includes("image") !== false);
    for (const name of leftOut) {
      this.#notice("warning", `${model?.name ?? model?.id ?? "Pi"} does not accept images: ${name} was not sent.`);
    }
    const ended = stream.turns.begin(id);
    await saveForPrompt(blocks, host, ports.logger);
    stream.prompt({ message, ...(images.length === 0 ? {} : { images }) });
    return await ended;
  }

  async interrupt(): Promise<void> {
    await this.#stream?.interrupt();
  }

  answer(questionId: string, answer: Answer): boolean {
    return this.#stream?.answer(questionId, answer) ?? false;
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    if (typeof value !== "string" || !this.#choices.offers(optionId, value)) {
      throw new PatchbayError("invalid-argument", "Pi does not offer this.");
    }
    if (optionId === "mode") this.#choices.mode = value === "free" || value === "commands" ? value : "ask";
    else {
      const model = optionId === "model" ? this.#choices.modelOf(value) : undefined;
      if (model === undefined) await this.#request("set_thinking_level", { level: value });
      else await this.#request("set_model", { provider: model.provider, modelId: model.id });
      // One choice may change another, and Pi takes the nearest that there is.
      this.#choices.take(await this.#readState());
    }
    this.#tellOptions();
  }

  async rename(title: string): Promise<void> {
    await this.#request("set_session_name", { name: title });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const stream = this.#stream;
    const isRunning = stream?.turns.since !== undefined;
    await this.#process?.stop({
      ...(isRunning ? { first: { say: () => void stream?.interrupt(), waitMs: interruptMs } } : {}),
      inputMs,
    });
    await this.#removeDirectory();
    this.#become({ kind: "ended" });
  }

  async #initialise(process: AgentProcess, stream: SessionStream): Promise<void> {
    try {
      this.#choices.take(await this.#readState(startMs));
      // Without it nothing would be asked.
      if (!stream.isAsking) throw new PatchbayError("host-failed", unloaded);
      const [models, commands] = await Promise.all(
        ["get_available_models", "get_commands", "get_session_stats"].map(async (type) => await this.#request(type)),
      );
      const available = modelsAnswer.parse(models).models;
      this.#choices.models = available;
      const told = commandsAnswer.parse(commands).commands;
      this.#tell({
        type: "commands",
        commands: told.map(({ name, description = "" }) => ({ name, description })),
      });
      // Its models are those that somebody pays for; a made-up one stands in where there is none.
      this.#isSignedOut = available.length === 0;
      if (!this.#isSignedOut) this.#tellOptions();
      this.#isReady = true;
      this.#tellState();
    } catch (error) {
      if (process.exited === undefined) await process.stop({ inputMs });
      const lastErrors = process.exited?.lastErrors ?? "";
      if (isSignInNeeded(lastErrors)) {
        this.#become(this.#signedOut());
        return;
      }
      if (error instanceof PatchbayError && error.message === unloaded) {
        throw new PatchbayError(error.code, unloaded, lastErrors === "" ? {} : { cause: lastErrors });
      }
      if (lastErrors !== "") throw startFailure(need, lastErrors);
      throw new PatchbayError("host-failed", `Pi could not be started: ${messageOf(error)}`, { cause: error });
    }
  }

  async #readState(limitMs?: number): Promise<PiState> {
    const state = stateAnswer.parse(await this.#request("get_state", {}, limitMs));
    // Pi keeps a session from the first answer of its model on: one without could not be continued.
    if ((state.messageCount ?? 0) > 1) this.#tell({ type: "session", sessionId: state.sessionId });
    return state;
  }

  async #request(type: string, members: Readonly<Record<string, unknown>> = {}, limitMs?: number): Promise<unknown> {
    if (this.#stream === undefined) throw new PatchbayError("stopped", "Pi is not running.");
    return await this.#stream.requests.ask(type, members, limitMs);
  }

  #streamOf(process: AgentProcess): SessionStream {
    const { ports, files, host, cwd, autosave, start } = this.#options;
    return new SessionStream({
      send: (message) => void process.send(message),
      update: (update) => this.#tell(update),
      notice: (level, text, more) => this.#notice(level, text, more),
      onState: () => this.#tellState(),
      onOptions: () => this.#tellOptions(),
      isOpen: () => this.#isReady,
      choices: this.#choices,
      clock: ports.clock,
      logger: ports.logger,
      files,
      host,
      cwd,
      autosave,
      isNew: start.kind === "new",
    });
  }

  #exited(stream: SessionStream, exit: ProcessExit): void {
    stream.end();
    void this.#removeDirectory();
    if (!this.#isReady) return;
    const reason = `Pi ${endOf(exit)}.`;
    if (!exit.isExpected) {
      this.#notice("error", reason, {
        ...(exit.lastErrors === "" ? {} : { detail: exit.lastErrors }),
        action: "restart",
      });
    }
    stream.turns.end();
    this.#become(exit.isExpected ? { kind: "ended" } : { kind: "ended", reason });
  }

  async #removeDirectory(): Promise<void> {
    const directory = this.#directory;
    if (directory === undefined) return;
    await rm(directory, { recursive: true, force: true }).catch((error: unknown) => {
      this.#options.ports.logger.warn("A temporary file could not be removed", { reason: messageOf(error) });
    });
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
    const { since } = stream.turns;
    const { waiting } = stream;
    if (this.#isSignedOut) this.#become(this.#signedOut());
    else if (waiting) this.#become({ kind: "waiting", since: since ?? this.#options.ports.clock.now() });
    else if (since === undefined) this.#become({ kind: "idle" });
    else this.#become(stream.retrying ?? { kind: "running", since });
  }

  /** Its user signs in with `/login`, in its terminal. */
  #signedOut(): SessionState {
    const { program = "pi", args = [] } = this.#program ?? {};
    const method = {
      id: "pi-login",
      name: "Sign in to Pi",
      description: "In a terminal; then try again.",
      // With a wrapper, its own path stands before its arguments.
      command: [program, ...args.slice(0, Math.max(0, args.indexOf("--mode")))],
    };
    return { kind: "signed-out", methods: [method] };
  }

  #become(state: SessionState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#tell({ type: "state", state });
  }

  /** What is said again and again is told when it changes. */
  #tell(update: SessionUpdate): void {
    if (update.type === "session" || update.type === "usage" || update.type === "options") {
      const text = JSON.stringify(update);
      if (this.#told.get(update.type) === text) return;
      this.#told.set(update.type, text);
    }
    this.#updates.fire(update);
  }
}

const unloaded =
  "Pi has not loaded the extension by which its tools ask you, so it was ended. Start it in a terminal to see why.";

function sessionArguments(start: SessionStart): readonly string[] {
  switch (start.kind) {
    case "new":
      return [];
    case "resume":
      return ["--session", start.sessionId];
    case "fork":
      return ["--fork", start.sessionId];
  }
}
