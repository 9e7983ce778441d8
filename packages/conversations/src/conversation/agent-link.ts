import { type Disposable, type Logger, messageOf } from "@patchbay/core";
import type { AgentSession, SessionHost, SessionStart } from "../driver.ts";
import type { NoticeEntry } from "../model/entries.ts";
import type {
  AgentFacts,
  McpServerChange,
  SessionCapabilities,
  SessionOption,
  SessionUpdate,
} from "../model/session.ts";
import type { About } from "../transcript/line.ts";

/** What is asked of an agent's driver. */
export interface SessionRequest {
  /** The conversation: its id, its agent, its folder. */
  readonly about: Pick<About, "id" | "agent" | "folder">;
  readonly start: SessionStart;
  /** Nothing of the session that is continued is in the transcript: the agent is to tell what was said. */
  readonly wantsHistory: boolean;
  readonly host: SessionHost;
}

export interface AgentLinkOptions {
  /** Makes a session; starts nothing yet. */
  readonly connect: (start: SessionStart) => AgentSession;
  readonly logger: Logger;
  readonly memory: () => Pick<About, "sessionId" | "sessionAt" | "forkOf">;
  /** Something was said that a new session does not remember. */
  readonly hasHistory: () => boolean;
  /** `isReplay`: the session has not been started yet. */
  readonly onUpdate: (update: SessionUpdate, isReplay: boolean) => void;
  readonly onDidStart: (capabilities: SessionCapabilities) => void;
  /** The agent could not continue its session, and has begun a new one. */
  readonly onDidForget: (why: Pick<NoticeEntry, "detail">) => void;
  /** It could not be started: an error with a sentence for people. */
  readonly onDidFail: (error: unknown) => void;
}

/** The way to the agent: one session after another, each started when it is needed. */
export class AgentLink {
  readonly #options: AgentLinkOptions;
  #session: AgentSession | undefined;
  #subscription: Disposable | undefined;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the start has ended.
  #starting: Promise<AgentSession | undefined> | undefined;
  /** What the user has chosen, by option: a new session is told again. */
  readonly #chosen: Map<string, string | boolean> = new Map();
  #offered: readonly SessionOption[] = [];
  #hasEnded = true;
  #generation = 0;
  #abandon = (): void => {};

  constructor(options: AgentLinkOptions) {
    this.#options = options;
  }

  /** The running session; undefined where there is none, or it is still being started. */
  get session(): AgentSession | undefined {
    return this.#starting === undefined && !this.#hasEnded ? this.#session : undefined;
  }

  /** The session, started if need be. Undefined where it cannot be started: that has been told. */
  async get(): Promise<AgentSession | undefined> {
    if (this.session !== undefined) return this.session;
    const starting = (this.#starting ??= this.#untilClosed(this.#start()));
    try {
      return await starting;
    } finally {
      if (this.#starting === starting) this.#starting = undefined;
    }
  }

  /** Tells the agent how the conversation is called, where it keeps names. */
  async rename(title: string): Promise<void> {
    await this.session?.rename?.(title).catch((error: unknown) => {
      this.#options.logger.warn("The agent did not take the name", { reason: messageOf(error) });
    });
  }

  /** What the running agent tells of itself. Starts none: undefined where none runs, or it tells nothing. */
  async facts(): Promise<AgentFacts | undefined> {
    return await this.session?.facts?.();
  }

  /** Changes an MCP server of the running agent. Rejects with its words where that fails. */
  async changeServer(name: string, change: McpServerChange): Promise<void> {
    await this.session?.changeServer?.(name, change);
  }

  /** Ends something that the running agent goes on with in the background. Rejects with its words where that fails. */
  async stopTask(taskId: string): Promise<void> {
    await this.session?.stopTask?.(taskId);
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    const session = await this.get();
    if (session === undefined) return;
    await session.setOption(optionId, value);
    this.#chosen.set(optionId, value);
  }

  /** Ends the session with its process. Never rejects. */
  async close(): Promise<void> {
    this.#generation += 1;
    this.#abandon();
    await this.#letGo();
  }

  /** What is being started may never answer: nobody waits for it once the session is closed. */
  async #untilClosed(starting: Promise<AgentSession | undefined>): Promise<AgentSession | undefined> {
    const closed = new Promise<undefined>((resolve) => {
      this.#abandon = () => {
        this.#starting = undefined;
        resolve(undefined);
      };
    });
    return await Promise.race([starting, closed]);
  }

  async #letGo(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#hasEnded = true;
    if (session !== undefined) await this.#end(session);
    this.#subscription?.dispose();
    this.#subscription = undefined;
  }

  async #start(): Promise<AgentSession | undefined> {
    this.#generation += 1;
    const generation = this.#generation;
    await this.#letGo();
    // Closed meanwhile: nobody would end what is started now.
    if (generation !== this.#generation) return undefined;
    const earlier = this.#earlier();
    const isForgotten = earlier === undefined && this.#options.hasHistory();
    const failure = earlier === undefined ? undefined : await this.#open(earlier, generation);
    if (earlier !== undefined && failure === undefined) return await this.#started();
    if (generation !== this.#generation) return undefined;
    const lastFailure = await this.#open({ kind: "new" }, generation);
    if (generation !== this.#generation) return undefined;
    if (lastFailure !== undefined) {
      this.#options.onDidFail(lastFailure.error);
      return undefined;
    }
    if (failure !== undefined) this.#options.onDidForget({ detail: messageOf(failure.error) });
    else if (isForgotten) this.#options.onDidForget({});
    return await this.#started();
  }

  /** The session to go on with. */
  #earlier(): SessionStart | undefined {
    const { sessionId, sessionAt, forkOf } = this.#options.memory();
    if (forkOf !== undefined) return { kind: "fork", ...forkOf };
    if (sessionId === undefined) return undefined;
    return { kind: "resume", sessionId, ...(sessionAt === undefined ? {} : { begunAt: sessionAt }) };
  }

  async #started(): Promise<AgentSession | undefined> {
    const session = this.#session;
    if (session === undefined) return undefined;
    this.#options.onDidStart(session.capabilities);
    await this.#chooseAgain(session);
    return session;
  }

  /** Why it could not be opened; undefined where it is. */
  async #open(start: SessionStart, generation: number): Promise<{ readonly error: unknown } | undefined> {
    let session: AgentSession;
    try {
      session = this.#options.connect(start);
    } catch (error) {
      // E.g. an agent that is not among the settings any more.
      return { error };
    }
    let isReplay = true;
    this.#session = session;
    this.#hasEnded = false;
    this.#subscription?.dispose();
    this.#subscription = session.onUpdate((update) => {
      if (this.#session !== session) return;
      if (update.type === "state" && update.state.kind === "ended") this.#hasEnded = true;
      if (update.type === "options") this.#offered = update.options;
      this.#options.onUpdate(update, isReplay);
    });
    try {
      await session.start();
      isReplay = false;
      if (generation === this.#generation) return undefined;
      await this.#end(session);
      return { error: "The conversation was closed." };
    } catch (error) {
      this.#options.logger.warn("A session could not be started", { start: start.kind, reason: messageOf(error) });
      if (this.#session === session) {
        this.#session = undefined;
        this.#hasEnded = true;
      }
      await this.#end(session);
      return { error };
    }
  }

  /** A mode that never asks is chosen by the user alone, each time. */
  async #chooseAgain(session: AgentSession): Promise<void> {
    for (const [id, value] of this.#chosen) {
      const option = this.#offered.find((one) => one.id === id);
      if (option === undefined || option.value === value) continue;
      if (option.values?.find((one) => one.id === value)?.asks === "never") continue;
      await session.setOption(id, value).catch((error: unknown) => {
        this.#options.logger.warn("An option could not be chosen again", { option: id, reason: messageOf(error) });
      });
    }
  }

  async #end(session: AgentSession): Promise<void> {
    await session.close().catch((error: unknown) => {
      this.#options.logger.warn("A session could not be ended", { reason: messageOf(error) });
    });
  }
}
