import type { AgentService, ServiceDesk, ServiceTalk } from "../agents/service.ts";
import type { Dialect } from "../agents/dialect.ts";
import { connectToService, type ServiceSocket } from "../endpoint/service-socket.ts";
import type { FileFacts, Platform } from "../platform/platform.ts";
import {
  findPrivateDirectory,
  isKeptFromOthers,
  isOwn,
  joinPath,
  ownLinksBelow,
  splitPath,
  sticky,
} from "../storage/private-directory.ts";
import type { Disposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** How often it is looked whether the service is there, ms. */
const lookAgainMs = 2_000;

/** One that did not answer is tried again less and less often, ms. */
const longestWaitMs = 60_000;

/** Who starts a service is its first client, after which it calls itself, ms. */
const firstClientMs = 2_000;

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

/** Where a service listens. */
interface Found {
  readonly path: string;
  /** Differs from that of a service that listened there before. */
  readonly mark: string;
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
  async #join({ path, mark }: Found): Promise<boolean> {
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
        clientVersion: version,
        expected: this.#expected,
      },
      desk,
    );
    for (const message of early) talk.heard(message);
    return true;
  }

  /** Where it listens; undefined: there is nothing, or what is there may be somebody else's. */
  async #find(): Promise<Found | undefined> {
    const { platform, service } = this.#options;
    const { files, clock } = platform;
    const place = service.place({ platform, folder: undefined });
    if (place === undefined) return undefined;
    const { root, directories: levels, name } = place;
    const ownLinks = ownLinksBelow(platform, root);
    const directory = await findPrivateDirectory(platform, { root, levels, intent: "look", ownLinks });
    const named = joinPath(platform, directory.path, name);
    if (directory.kind !== "private") return undefined;
    const found = await files.lstat(named);
    if (found === undefined || !isOwn(platform, found)) return undefined;
    const isNew = ({ modifiedMs }: FileFacts): boolean => {
      const ageMs = clock.now() - modifiedMs;
      return ageMs >= 0 && ageMs < firstClientMs;
    };
    if (isNew(found)) return undefined;
    const since = `${found.id} ${found.changedMs}`;
    if (found.kind === "other") return { path: named, mark: since };
    const target = found.kind === "link" ? await files.realPath(named) : undefined;
    const facts = target === undefined ? undefined : await files.lstat(target);
    // The next service listens at the same place, and may leave the link as it is.
    if (target === undefined || facts?.kind !== "other" || !isOwn(platform, facts) || isNew(facts)) return undefined;
    const { parent } = splitPath(platform, target);
    const isPrivate =
      (await isKeptFromOthers(platform, parent)) &&
      (await isKeptFromOthers(platform, splitPath(platform, parent).parent, sticky));
    if (!isPrivate && !this.#isRefusalTold) {
      this.#isRefusalTold = true;
      this.#options.logger.info("An agent's service is not joined, because others may write where it listens", {
        target,
      });
    }
    return isPrivate ? { path: target, mark: `${since} ${facts.id} ${facts.changedMs}` } : undefined;
  }
}
