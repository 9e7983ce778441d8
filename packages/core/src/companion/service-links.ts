import type { AgentService, ServiceDesk, ServiceTalk } from "../agents/service.ts";
import type { Dialect } from "../agents/dialect.ts";
import { connectToService, type ServiceSocket } from "../endpoint/service-socket.ts";
import { findService, type ServicePoint } from "../discovery/find-service.ts";
import type { Platform } from "../platform/platform.ts";
import type { Disposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** How often it is looked whether the service is there, ms. */
const lookAgainMs = 2_000;

/** One that did not answer is tried again less and less often, ms. */
const longestWaitMs = 60_000;

/** One that says nothing for so long after it was joined does not answer, ms. */
const firstWordMs = 10_000;

export interface ServiceLinkOptions {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly dialect: Pick<Dialect, "id" | "agentName">;
  readonly service: AgentService;
  /** Of this edition. */
  readonly version: string;
  /** Loaded once the service is there. */
  readonly desk: () => Promise<ServiceDesk>;
}

/** The tie to an agent's own service: joined where it is, again when it comes back, and never started. */
export class ServiceLink {
  readonly #options: ServiceLinkOptions;
  readonly #expected: Set<string> = new Set();
  #socket: ServiceSocket | undefined;
  #timer: Disposable | undefined;
  /** The one that did not answer, or speaks otherwise, by what it listens at. */
  #failed: { readonly mark: string; readonly times: number; readonly until: number } | undefined;
  #hasEnded = false;
  #isRefusalTold = false;

  constructor(options: ServiceLinkOptions) {
    this.#options = options;
  }

  /** Begins to look. */
  open(): void {
    void this.#look();
  }

  /** Leaves the service; what it asks is left to its terminals. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    this.#timer?.dispose();
    this.#socket?.close();
  }

  async #look(): Promise<void> {
    const { logger, dialect, platform } = this.#options;
    try {
      const found = await this.#find();
      const isFailed = found !== undefined && found.mark === this.#failed?.mark;
      const isLeft = isFailed && platform.clock.monotonic() < (this.#failed?.until ?? 0);
      if (found !== undefined && !isLeft && !this.#hasEnded && (await this.#join(found))) return;
    } catch (error) {
      logger.debug("An agent's service cannot be joined", { agent: dialect.agentName, reason: messageOf(error) });
    }
    this.#later();
  }

  #later(): void {
    if (this.#hasEnded) return;
    this.#timer = this.#options.platform.clock.setTimeout(() => void this.#look(), lookAgainMs);
  }

  #noteFailure(mark: string, times = this.#failed?.mark === mark ? this.#failed.times + 1 : 1): void {
    const waitMs = Math.min(longestWaitMs, lookAgainMs * 2 ** Math.min(times, 8));
    this.#failed = { mark, times, until: this.#options.platform.clock.monotonic() + waitMs };
  }

  /** False: it does not answer. */
  async #join({ path, mark }: ServicePoint): Promise<boolean> {
    const { logger, dialect, service, version } = this.#options;
    const desk = await this.#options.desk();
    // Until it has said something.
    this.#noteFailure(mark);
    let talk: ServiceTalk | undefined;
    let isOpen = false;
    let isLeft = false;
    let silence: Disposable | undefined;
    const early: unknown[] = [];
    const socket = await connectToService({
      logger,
      path,
      onMessage: (message) => {
        silence?.dispose();
        // One that speaks otherwise is found out by what it says.
        if (!isLeft) this.#failed = undefined;
        if (talk === undefined) early.push(message);
        else talk.heard(message);
      },
      onClosed: () => {
        this.#socket = undefined;
        silence?.dispose();
        talk?.ended();
        if (isOpen) this.#later();
      },
    });
    if (socket === undefined) return false;
    if (this.#hasEnded) {
      socket.close();
      return true;
    }
    isOpen = true;
    this.#socket = socket;
    if (early.length === 0) silence = this.#options.platform.clock.setTimeout(() => socket.close(), firstWordMs);
    talk = service.join(
      {
        send: (message) => socket.send(message),
        leave: (why) => {
          logger.info("An agent's service is not joined", { agent: dialect.agentName, why });
          isLeft = true;
          this.#noteFailure(mark, 8);
          socket.close();
        },
        understood: () => logger.info("An agent's service is joined", { agent: dialect.agentName }),
        clientVersion: version,
        expected: this.#expected,
      },
      desk,
    );
    for (const message of early) talk.heard(message);
    return true;
  }

  async #find(): Promise<ServicePoint | undefined> {
    const { platform, logger, service } = this.#options;
    const found = await findService(platform, service);
    if (found?.openToOthers === undefined) return found;
    const { openToOthers: target } = found;
    if (!this.#isRefusalTold) {
      this.#isRefusalTold = true;
      logger.info("An agent's service is not joined, because others may write where it listens", { target });
    }
    return undefined;
  }
}
