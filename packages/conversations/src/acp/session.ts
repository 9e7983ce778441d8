import { type Event, PatchbayError } from "@patchbay/core";
import type { AgentSession, Prompt, SessionHost } from "../driver.ts";
import type { Answer, SessionCapabilities, SessionState, SessionUpdate, TurnEndReason, Usage } from "../model/index.ts";
import { endOf, type ProcessExit } from "../process/agent-process.ts";
import { AgentRequests } from "./agent-requests.ts";
import {
  AcpConnection,
  capabilitiesOf,
  type ConnectionOptions,
  orLate,
  signInMethods,
  signInOf,
} from "./connection.ts";
import { type Failure, failureOf, refusalOf, signInNeeded } from "./failures.ts";
import { Hearing } from "./hearing.ts";
import type { AgentChannel, Reply } from "./json-rpc.ts";
import { SessionOffers } from "./offers.ts";
import { OpenQuestions } from "./open-questions.ts";
import { checkFolder, type OpeningOptions, openSession } from "./opening.ts";
import { beginTurn, contentOf, type PromptForm, reasonOf, saveForPrompt, type Turn } from "./prompts.ts";
import { TextStreams, UpdateSink } from "./sink.ts";
import { readOpened, readOptions } from "./v1/setup.ts";
import { readPromptResult, readUpdate } from "./v1/messages.ts";
import type { SignInOffer } from "./wire.ts";

export interface AcpSessionOptions extends ConnectionOptions, OpeningOptions {
  readonly host: SessionHost;
  /** An id that no other session has. */
  readonly runId: string;
  /** Unsaved changes are saved before each prompt: most agents read the disk, whatever the editor has. */
  readonly autosave: boolean;
}

/** How long an agent may take to end a turn that the user has stopped, ms: the session goes on without its answer then. */
const stopMs = 10_000;

/** How long an agent may take to close its session before its process is ended, ms. */
const closeMs = 500;

/** A session of an agent that speaks the Agent Client Protocol (docs/protocols/acp.md). */
export class AcpSession implements AgentSession {
  readonly #options: AcpSessionOptions;
  readonly #sink: UpdateSink;
  readonly #texts: TextStreams;
  readonly #offers: SessionOffers;
  readonly #questions: OpenQuestions;
  readonly #requests: AgentRequests;
  readonly #hearing: Hearing;
  #channel: AgentChannel | undefined;
  #connection: AcpConnection | undefined;
  #sessionId: string | undefined;
  #turn: Turn | undefined;
  /** The agent has begun a new session in place of an earlier one, and the user does not know it yet. */
  #forgotten: { readonly detail?: string } | undefined;
  #isStarted = false;
  #isClosed = false;
  /** The agent, or its model service, has refused the turn for want of credentials. */
  #isSignedOut = false;

  constructor(options: AcpSessionOptions) {
    const { profile, host, cwd, clock, logger } = options;
    this.#options = options;
    this.#sink = new UpdateSink(clock, logger, options.runId);
    this.#texts = new TextStreams(this.#sink);
    this.#offers = new SessionOffers(profile);
    this.#questions = new OpenQuestions(this.#sink, () => this.#tellTurn());
    const shared = { profile, sink: this.#sink, texts: this.#texts, offers: this.#offers };
    this.#requests = new AgentRequests({
      ...shared,
      host,
      cwd,
      logger,
      questions: this.#questions,
      isStopped: () => this.#turn?.isStopped === true,
      promptForm: () => this.#promptForm(),
    });
    const { tools, door } = this.#requests;
    this.#hearing = new Hearing({ ...shared, tools, onModeChanged: () => door.resetEdits() });
  }

  get onUpdate(): Event<SessionUpdate> {
    return this.#sink.onUpdate;
  }

  /** The connection, while there is one: for the list of the sessions that the agent keeps. */
  get connection(): AcpConnection | undefined {
    return this.#channel?.exited === undefined ? this.#connection : undefined;
  }

  get capabilities(): SessionCapabilities {
    return capabilitiesOf(this.#connection?.agent, this.#options.profile);
  }

  async start(): Promise<void> {
    this.#tell({ kind: "starting" });
    try {
      await checkFolder(this.#options.cwd, this.#options.clock);
      this.#connection = await AcpConnection.open(
        { ...this.#options, createProcess: () => this.#createProcess() },
        {
          onRequest: (method, params, withdrawn) => this.#requests.serve(method, params, withdrawn),
          onNotification: (method, params) => this.#hear(method, params),
        },
      );
      await this.#open();
    } catch (error) {
      this.#tell({ kind: "ended" });
      await this.close();
      throw error;
    }
    this.#isStarted = true;
    // Entries before this moment are taken for a replay.
    this.#options.clock.setTimeout(() => this.#tellForgotten(), 0);
  }

  async prompt(prompt: Prompt): Promise<TurnEndReason> {
    if (this.#turn !== undefined) return "failed";
    this.#texts.end();
    this.#sink.beginTurn(prompt.id);
    this.#requests.tools.beginTurn(prompt.id);
    this.#hearing.beginTurn();
    const { turn, finish } = beginTurn(this.#options.clock.now());
    this.#turn = turn;
    this.#isSignedOut = false;
    this.#tellTurn();
    const reply = await this.#run(turn, prompt);
    this.#texts.end();
    const reason = this.#endOf(turn, reply);
    if (reason !== "done") this.#questions.withdrawAll();
    this.#requests.tools.endTurn(reason === "done" ? "done" : "cancelled");
    this.#tellEnd(turn, reason, reply);
    this.#turn = undefined;
    finish();
    // A prompt that was not sent has said why, and so has one whose credentials were refused.
    if (reason !== "exited" && reply !== undefined && !this.#isSignedOut) this.#tell({ kind: "idle" });
    return reason;
  }

  async interrupt(): Promise<void> {
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#stop(turn);
    const ended = await orLate(turn.ended, stopMs, this.#options.clock);
    if (ended !== "late") return;
    turn.abandon();
    await turn.ended;
  }

  answer(questionId: string, answer: Answer): boolean {
    return this.#questions.answer(questionId, answer);
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    const { profile } = this.#options;
    const choice = this.#offers.choose(optionId, value);
    if (choice === undefined || this.#sessionId === undefined) {
      throw new PatchbayError("invalid-argument", `${profile.name} does not offer this option now.`);
    }
    const reply = await this.#request(choice.method, { sessionId: this.#sessionId, ...choice.params });
    if (reply.kind === "closed") throw new PatchbayError("stopped", `${profile.name} has exited.`);
    if (reply.kind === "error") throw new PatchbayError("host-failed", refusalOf(reply.error, profile.name));
    const mode = this.#offers.mode;
    this.#offers.chosen(optionId, value, readOptions(reply.value));
    if (this.#offers.mode !== mode) this.#requests.door.resetEdits();
    this.#sink.fire({ type: "options", options: this.#offers.toOptions() });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    const sessionId = this.#sessionId;
    if (connection === undefined) {
      await this.#channel?.stop({ inputMs: 0 });
      return;
    }
    const turn = this.#turn;
    if (turn === undefined && sessionId !== undefined && connection.agent.sessionActions.has("close")) {
      await orLate(connection.request("session/close", { sessionId }), closeMs, this.#options.clock);
    }
    await connection.close(turn === undefined ? undefined : () => this.#stop(turn));
  }

  async #createProcess(): Promise<AgentChannel> {
    const channel = await this.#options.createProcess();
    if (this.#isClosed) throw new PatchbayError("stopped", `${this.#options.profile.name} was stopped.`);
    this.#channel = channel;
    channel.onExit((exit) => this.#exited(exit));
    return channel;
  }

  /** Opens the session; false where the agent wants its user to sign in first. */
  async #open(): Promise<boolean> {
    const { profile } = this.#options;
    const connection = this.#connection;
    if (connection === undefined) return false;
    const reply = await openSession(this.#options, {
      connection,
      hearing: this.#hearing,
      onForgotten: (detail) => (this.#forgotten = detail === undefined ? {} : { detail }),
    });
    const signIn = signInOf(reply, connection.agent);
    if (signIn !== undefined) {
      this.#signedOut(signIn);
      return false;
    }
    if (reply.kind === "closed") {
      const last = this.#channel?.lastErrors.split("\n").at(-1) ?? "";
      throw new PatchbayError("host-failed", `${profile.name} exited when a session was opened${last && `: ${last}`}`);
    }
    if (reply.kind === "error") throw new PatchbayError("host-failed", refusalOf(reply.error, profile.name));
    const opened = readOpened(reply.value);
    const { start } = this.#options;
    const sessionId = opened.sessionId ?? (start.kind === "resume" ? start.sessionId : undefined);
    if (sessionId === undefined) throw new PatchbayError("host-failed", `${profile.name} gave its session no id.`);
    this.#sessionId = sessionId;
    this.#offers.replace(opened);
    this.#sink.fire({ type: "session", sessionId });
    this.#sink.fire({ type: "options", options: this.#offers.toOptions() });
    this.#tell({ kind: "idle" });
    return true;
  }

  /** Sends a prompt and waits for the end of its turn; undefined: it was not sent, and the user knows why. */
  async #run(turn: Turn, { blocks }: Prompt): Promise<Reply | "abandoned" | undefined> {
    const { profile } = this.#options;
    if (this.#sessionId === undefined && !(await this.#openAgain())) return undefined;
    const { autosave, host, logger } = this.#options;
    if (autosave) await saveForPrompt(blocks, host, logger);
    const content = contentOf(blocks, await this.#requests.takeEdited(), this.#promptForm());
    if (content.leftOut.length > 0) {
      this.#sink.notice(
        "warning",
        `${profile.name} does not accept images: ${content.leftOut.join(", ")} was not sent.`,
      );
    }
    if (turn.isStopped) return { kind: "result", value: { stopReason: "cancelled" } };
    const params = { sessionId: this.#sessionId, prompt: content.blocks };
    return await Promise.race([this.#request("session/prompt", params), turn.abandoned]);
  }

  /** The user may have signed in meanwhile. */
  async #openAgain(): Promise<boolean> {
    try {
      if (await this.#open()) {
        this.#tellForgotten();
        return true;
      }
      this.#fail(signInNeeded(this.#options.profile.name));
    } catch (error) {
      this.#fail({ text: error instanceof PatchbayError ? error.message : String(error), action: "restart" });
    }
    return false;
  }

  #endOf(turn: Turn, reply: Reply | "abandoned" | undefined): TurnEndReason {
    if (reply === undefined) return "failed";
    if (reply === "abandoned") return "stopped";
    if (reply.kind === "closed") return "exited";
    if (reply.kind === "result") return turn.isStopped ? "stopped" : reasonOf(readPromptResult(reply.value).stopReason);
    if (turn.isStopped) return "stopped";
    const agent = this.#connection?.agent;
    const failure = failureOf(reply.error, this.#options.profile.name);
    this.#fail(failure);
    // Credentials that the model service refuses are as good as none.
    if (agent !== undefined && failure.action === "sign-in") this.#signedOut(signInOf(reply, agent) ?? agent.signIn);
    return "failed";
  }

  #tellForgotten(): void {
    const forgotten = this.#forgotten;
    this.#forgotten = undefined;
    if (forgotten === undefined) return;
    const { name } = this.#options.profile;
    this.#sink.notice("warning", `${name} starts over: it does not remember what was said before.`, forgotten);
  }

  #fail({ text, ...more }: Failure): void {
    this.#sink.notice("error", text, more);
  }

  #tellEnd(turn: Turn, reason: TurnEndReason, reply: Reply | "abandoned" | undefined): void {
    const isResult = typeof reply === "object" && reply.kind === "result";
    const told = isResult ? readPromptResult(reply.value).usage : undefined;
    const usage: Usage = told ?? this.#hearing.turnUsage;
    if (Object.keys(usage).length === 0) return;
    const at = this.#options.clock.now();
    if (told !== undefined) this.#hearing.tellUsage(told);
    const entry = {
      kind: "turn-end",
      id: `${this.#sink.turn}/end`,
      at,
      reason,
      durationMs: at - turn.since,
      usage,
    } as const;
    this.#sink.fire({ type: "entry", entry });
  }

  /** Open questions are answered after the agent knows that the turn is to end: else it would go on first. */
  #stop(turn: Turn): void {
    turn.isStopped = true;
    if (this.#sessionId !== undefined) this.#connection?.notify("session/cancel", { sessionId: this.#sessionId });
    this.#questions.withdrawAll();
  }

  #exited(exit: ProcessExit): void {
    const { isExpected, lastErrors } = exit;
    this.#questions.withdrawAll();
    this.#texts.end();
    if (!this.#isStarted || isExpected) {
      if (this.#isStarted) this.#tell({ kind: "ended" });
      return;
    }
    const reason = `${this.#options.profile.name} ${endOf(exit)}.`;
    this.#sink.notice("error", reason, { ...(lastErrors === "" ? {} : { detail: lastErrors }), action: "restart" });
    this.#tell({ kind: "ended", reason });
  }

  #hear(method: string, params: unknown): void {
    if (method !== "session/update") return;
    const update = readUpdate(params);
    if (update === undefined) return;
    const isOurs =
      this.#sessionId === undefined || update.sessionId === undefined || update.sessionId === this.#sessionId;
    if (isOurs) this.#hearing.hear(update.heard);
  }

  async #request(method: string, params: unknown): Promise<Reply> {
    return (await this.#connection?.request(method, params)) ?? { kind: "closed" };
  }

  #promptForm(): PromptForm {
    const agent = this.#connection?.agent;
    return {
      images: agent?.takesImages === true,
      resources: agent?.takesResources === true,
      plainLinks: this.#options.profile.takesPlainLinks,
    };
  }

  #signedOut(offers: readonly SignInOffer[]): void {
    this.#isSignedOut = true;
    this.#tell({ kind: "signed-out", methods: signInMethods(offers, this.#options.profile) });
  }

  /** Running, or waiting for an answer. */
  #tellTurn(): void {
    const since = this.#turn?.since;
    if (since === undefined || this.#channel?.exited !== undefined) return;
    this.#tell({ kind: this.#questions.isEmpty ? "running" : "waiting", since });
  }

  #tell(state: SessionState): void {
    this.#sink.fire({ type: "state", state });
  }
}
