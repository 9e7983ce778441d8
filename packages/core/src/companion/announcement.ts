import type { Dialect, DiscoveryFacts } from "../agents/dialect.ts";
import { createDiscoveryRecords, type DiscoveryRecords, type WriteProblem } from "../discovery/discovery-records.ts";
import type { EditorHost, HostWorkspace } from "../editor-host.ts";
import {
  type EndpointAddress,
  type Files,
  isInContainer,
  type LocalSocketAddress,
  type Platform,
} from "../platform/platform.ts";
import { Emitter, type Event } from "../support/emitter.ts";
import { LoadOnce } from "../support/load-once.ts";
import { type Logger, reportListenerFailure } from "../support/logger.ts";

/** Shortest time between two looks at the records, ms. */
const verifyIntervalMs = 10_000;

export interface AnnouncementOptions {
  readonly host: Pick<EditorHost, "identity">;
  readonly dialects: readonly Dialect[];
  readonly platform: Platform;
  readonly logger: Logger;
  readonly roots: WorkspaceRoots;
  /** Aborted once the end has begun: terminals are not given anything new. */
  readonly ending: AbortSignal;
}

/** Where agents find the endpoint, and with what token each. */
export interface Announced {
  readonly address: EndpointAddress;
  /** Beside the port, once it is open. */
  readonly socket?: LocalSocketAddress | undefined;
  /** By the ids of the dialects. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * How agents find this companion: records on disk and variables for terminals, in every dialect. What could not be said
 * is returned as warnings: sentences for the user.
 */
export class Announcement {
  readonly #options: AnnouncementOptions;
  readonly #records: DiscoveryRecords;
  readonly #environmentChange: Emitter<void>;
  #environment: Readonly<Record<string, string>> = {};
  #announced: Announced | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #verifiedAt = 0;

  constructor(options: AnnouncementOptions) {
    const { host, platform, logger } = options;
    this.#options = options;
    this.#environmentChange = new Emitter(reportListenerFailure(logger));
    this.#records = createDiscoveryRecords({
      platform,
      logger,
      ...(host.identity.editorKey === undefined ? {} : { owner: host.identity.editorKey }),
    });
  }

  /** Variables for terminals of this workspace; empty until something is announced. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  get onDidChangeEnvironment(): Event<void> {
    return this.#environmentChange.event;
  }

  /** Announces an address; also again after the folders have changed. */
  announce(announced: Announced): Promise<readonly string[]> {
    this.#announced = announced;
    // One at a time, each for the facts as they are then, so that the last one counts.
    const work = this.#last.then(() => this.#announceNow());
    this.#last = work.catch(() => {});
    return work;
  }

  /**
   * Writes again what cleaners of temporary files took away while the editor runs, and tries again what was refused;
   * called when something happens, never by a timer. Undefined where that was looked at only just now.
   */
  async verify(): Promise<readonly string[] | undefined> {
    const now = this.#options.platform.clock.monotonic();
    if (this.#announced === undefined || now - this.#verifiedAt < verifyIntervalMs) return undefined;
    this.#verifiedAt = now;
    return sentences(await this.#records.verify());
  }

  /**
   * From now on what vanishes is written again within seconds, also while nothing else happens. `onDidRestore` hears what
   * could not be said then.
   */
  async keep(onDidRestore: (warnings: readonly string[]) => void): Promise<void> {
    await this.#records.keep((problems) => onDidRestore(sentences(problems)));
  }

  /** Removes what earlier runs that have ended left in the places of records; also of those that this run writes later, or not at all. */
  async sweepStale(): Promise<void> {
    const facts = await this.#facts();
    await this.#records.sweepStale(this.#options.dialects.flatMap((dialect) => dialect.places(facts)));
  }

  /** Nothing is announced any more; may be announced anew. */
  async withdraw(): Promise<void> {
    this.#announced = undefined;
    await this.#records.write([]);
  }

  /** The end: nothing is announced, now or later. */
  async remove(): Promise<void> {
    this.#announced = undefined;
    await this.#records.remove();
    this.#environment = {};
  }

  /** Takes the records away in the last synchronous moment of a process. Never throws. */
  removeSync(): void {
    this.#records.removeSync();
  }

  async #announceNow(): Promise<readonly string[]> {
    const facts = await this.#facts();
    const environment: Record<string, string> = {};
    for (const dialect of this.#options.dialects)
      Object.assign(environment, dialect.environment(this.#factsFor(dialect, facts)));
    const problems = await this.#records.write(this.#wanted(facts));
    if (this.#options.ending.aborted) return [];
    this.#environment = environment;
    this.#environmentChange.fire();
    return sentences(problems);
  }

  #wanted(facts: Omit<DiscoveryFacts, "token">): ReturnType<Dialect["records"]> {
    return this.#options.dialects.flatMap((dialect) => dialect.records(this.#factsFor(dialect, facts)));
  }

  #factsFor({ id }: Dialect, facts: Omit<DiscoveryFacts, "token">): DiscoveryFacts {
    return { ...facts, token: this.#announced?.tokens[id] ?? "" };
  }

  async #facts(): Promise<Omit<DiscoveryFacts, "token">> {
    const { host, platform, roots } = this.#options;
    const [realFolders, inContainer] = await Promise.all([roots.real(), isInContainer(platform)]);
    return {
      address: this.#announced?.address ?? { kind: "tcp", port: 0 },
      socket: this.#announced?.socket,
      folders: roots.folders,
      realFolders,
      identity: host.identity,
      platform,
      temporaryDirectory: host.identity.temporaryDirectory ?? platform.process.temporaryDirectory,
      homeDirectory: platform.process.homeDirectory,
      inContainer,
      environment: (name) => platform.process.environment(name),
    };
  }
}

function sentences(problems: readonly WriteProblem[]): readonly string[] {
  return problems.map((problem) => problem.message);
}

/** The folders of the workspace, as opened and with links resolved. */
export class WorkspaceRoots {
  readonly #workspace: HostWorkspace;
  readonly #files: Files;
  readonly #real: LoadOnce<readonly string[]> = new LoadOnce(() =>
    Promise.all(
      this.folders.map(async (folder) => (await this.#files.realPath(folder).catch(() => undefined)) ?? folder),
    ),
  );

  constructor(workspace: HostWorkspace, files: Files) {
    this.#workspace = workspace;
    this.#files = files;
  }

  /** As opened, without a separator at the end: agents compare texts. */
  get folders(): readonly string[] {
    return this.#workspace
      .folders()
      .filter((folder) => folder !== "")
      .map(withoutEnd);
  }

  /** With links resolved; a folder that is not there, or cannot be looked at, stays as it is. Kept until `refresh`. */
  real(): Promise<readonly string[]> {
    return this.#real.get();
  }

  /** The folders have changed. */
  refresh(): void {
    this.#real.forget();
  }
}

/** A root keeps its separator. */
function withoutEnd(folder: string): string {
  return folder.replace(folder.startsWith("/") ? /(?<=[^/])\/+$/u : /(?<=[^:/\\])[/\\]+$/u, "");
}
