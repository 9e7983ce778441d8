import type { ContextQuestions } from "../agents/context-questions.ts";
import type { Dialect } from "../agents/dialect.ts";
import type { ServiceDesk } from "../agents/service.ts";
import type { EditorContext } from "../context/model.ts";
import type { EditorHost } from "../editor-host.ts";
import { askHook } from "../endpoint/ask-hook.ts";
import { listenForQuestions, type QuestionSocket } from "../endpoint/question-socket.ts";
import { findCompanions } from "../hook-client/run-hook.ts";
import { promptQuestion, readContext } from "../hooks/questions.ts";
import type { Platform } from "../platform/platform.ts";
import { findPrivateDirectory, joinPath } from "../storage/private-directory.ts";
import type { Disposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** How often it is looked whether the one who answers has gone, ms. */
const lookAgainMs = 2_000;

/** An agent waits a little longer for its answer. */
const answerMs = 4_000;

export interface QuestionDoorOptions {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly dialect: Pick<Dialect, "id" | "agentName" | "places" | "portVariable">;
  readonly questions: ContextQuestions;
  /** See `HostIdentity.temporaryDirectory`. */
  readonly temporaryDirectory?: string | undefined;
}

/**
 * Answers an agent's question what is open, for all editors of this user: there is one socket for them, and whoever has it asks the editor in
 * whose folder the agent works, by the door of the hooks. Where somebody else answers already, it waits until they have gone.
 */
export class QuestionDoor {
  readonly #options: QuestionDoorOptions;
  #socket: QuestionSocket | undefined;
  #timer: Disposable | undefined;
  #looking: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(options: QuestionDoorOptions) {
    this.#options = options;
  }

  /** Begins to look. Resolves, never rejects, when it answers or somebody else does. */
  async open(): Promise<void> {
    this.#looking = this.#look();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { platform, logger, dialect } = this.#options;
    try {
      const path = await this.#place();
      if (path === undefined || this.#hasEnded) return;
      this.#socket = await listenForQuestions({
        platform,
        logger,
        path,
        reply: (message) => this.#options.questions.reply(message, (folder) => this.#contextOf(folder)),
      });
      if (this.#socket !== undefined) {
        logger.info("Answers what is open", { agent: dialect.agentName });
        return;
      }
    } catch (error) {
      logger.warn("An agent that asks what is open cannot be answered", { reason: messageOf(error) });
      return;
    }
    if (this.#hasEnded) return;
    this.#timer = platform.clock.setTimeout(() => {
      this.#looking = this.#look();
    }, lookAgainMs);
  }

  /** Undefined: there is no place that is this user's alone, or none on this system. */
  async #place(): Promise<string | undefined> {
    const { platform, questions, logger } = this.#options;
    const { process } = platform;
    const { temporaryDirectory = process.temporaryDirectory } = this.#options;
    const place = questions.place({ platform: process.platform, uid: process.uid, temporaryDirectory });
    if (place === undefined) return undefined;
    const { root, directories: levels, name } = place;
    const found = await findPrivateDirectory(platform, { root, levels, intent: "make" });
    if (found.kind === "private") return joinPath(platform, found.path, name);
    logger.info("An agent that asks what is open is not answered", { reason: found.reason });
    return undefined;
  }

  /** Of the nearest editor, as its user's settings have it. */
  async #contextOf(folder: string): Promise<EditorContext | undefined> {
    const { platform, dialect } = this.#options;
    for (const { port, token } of await findCompanions(platform, dialect, folder)) {
      const heard = new AbortController();
      let context: EditorContext | undefined;
      await askHook({
        port,
        token,
        event: JSON.stringify(promptQuestion),
        pid: platform.process.pid,
        limitMs: answerMs,
        signal: heard.signal,
        onWaiting: (said) => {
          context ??= readContext(said);
          if (context !== undefined) heard.abort();
        },
      });
      if (context !== undefined) return context;
    }
    return undefined;
  }

  /** The socket goes. Never rejects. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    this.#timer?.dispose();
    await this.#looking;
    await this.#socket?.close();
  }
}

export interface QuestionDoorsOptions {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly dialects: readonly Dialect[];
  /** See `CompanionOptions.leavesQuestionsOf`. */
  readonly leavesQuestionsOf?: (() => readonly string[]) | undefined;
  readonly host?: Pick<EditorHost, "identity">;
  /** What an agent's own service asks goes there; absent: none is joined. */
  readonly run?: { get(): Promise<{ readonly agents: { serviceDesk(dialect: Dialect): Promise<ServiceDesk> } }> };
}

/** What can be closed: a door, or the tie to a service. */
type Closable = Pick<QuestionDoor, "close">;

/**
 * Opens it for each agent that has been used here, or is installed, and joins its service; for the others as soon as they have been. Never
 * rejects.
 */
export async function openQuestionDoors(
  options: QuestionDoorsOptions,
  ending?: AbortSignal,
): Promise<readonly Closable[]> {
  const { dialects, leavesQuestionsOf, run } = options;
  const left = leavesQuestionsOf?.() ?? [];
  const all: AgentDoors[] = [];
  for (const dialect of dialects) {
    const loadQuestions = left.includes(dialect.id) ? undefined : dialect.loadQuestions;
    const loadService = run === undefined ? undefined : dialect.loadService;
    if (loadQuestions === undefined && loadService === undefined) continue;
    const doors = new AgentDoors(dialect, { ...options, loadQuestions, loadService });
    all.push(doors);
    await doors.open(ending);
  }
  return all;
}

interface AgentDoorsOptions extends QuestionDoorsOptions {
  readonly loadQuestions: Dialect["loadQuestions"] | undefined;
  readonly loadService: Dialect["loadService"] | undefined;
}

/** How often it is looked whether an agent has been used for the first time, ms. */
const firstUseMs = 5_000;

/** The doors of one agent. */
class AgentDoors {
  readonly #dialect: Dialect;
  readonly #options: AgentDoorsOptions;
  readonly #open: Closable[] = [];
  #timer: Disposable | undefined;
  #opening: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(dialect: Dialect, options: AgentDoorsOptions) {
    this.#dialect = dialect;
    this.#options = options;
  }

  async open(ending: AbortSignal | undefined): Promise<void> {
    this.#opening = this.#look(() => this.#hasEnded || ending?.aborted === true);
    await this.#opening;
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    this.#timer?.dispose();
    await this.#opening;
    for (const door of this.#open) await door.close();
  }

  async #look(hasEnded: () => boolean): Promise<void> {
    const { platform, logger } = this.#options;
    try {
      if (await this.#isUsed()) return await this.#openAll(hasEnded);
    } catch (error) {
      logger.warn("An agent that asks what is open cannot be answered", { reason: messageOf(error) });
      return;
    }
    if (hasEnded()) return;
    this.#timer = platform.clock.setTimeout(() => {
      this.#opening = this.#look(hasEnded);
    }, firstUseMs);
  }

  async #isUsed(): Promise<boolean> {
    const { platform } = this.#options;
    const checks = await this.#dialect.loadChecks();
    const { settingsFile, traces } = await checks.readSettings({ platform, folder: undefined });
    const found = await Promise.all([settingsFile, ...traces].map((path) => platform.files.lstat(path)));
    return found.some((facts) => facts !== undefined);
  }

  async #openAll(hasEnded: () => boolean): Promise<void> {
    const { platform, logger, host, run, loadQuestions, loadService } = this.#options;
    const dialect = this.#dialect;
    if (run !== undefined && loadService !== undefined) {
      const [service, { ServiceLink }] = await Promise.all([loadService(), import("./service-links.ts")]);
      if (hasEnded()) return;
      const desk = async (): Promise<ServiceDesk> => await (await run.get()).agents.serviceDesk(dialect);
      const version = host?.identity.version ?? "";
      const link = new ServiceLink({ platform, logger, dialect, service, version, desk });
      this.#open.push(link);
      link.open();
    }
    if (loadQuestions === undefined) return;
    const temporaryDirectory = host?.identity.temporaryDirectory;
    const questions = await loadQuestions();
    const door = new QuestionDoor({ platform, logger, dialect, questions, temporaryDirectory });
    if (hasEnded()) return;
    this.#open.push(door);
    await door.open();
  }
}
