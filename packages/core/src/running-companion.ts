import type { AgentSide } from "./agent-side.ts";
import type { Companion, CompanionSettings, CompanionState, SessionInfo, StopOptions } from "./companion.ts";
import { ContextTracker } from "./context/context-tracker.ts";
import type { EditorContext } from "./context/model.ts";
import { createSharingPolicy } from "./context/sharing-policy.ts";
import type { Dialect, DiscoveryFacts } from "./dialects/dialect.ts";
import { proposalKeyPrefix } from "./diff/proposal-key.ts";
import type { ProposalInfo } from "./diff/model.ts";
import { within } from "./diff/within.ts";
import { createDiscoveryRecords, type DiscoveryRecords } from "./discovery/discovery-records.ts";
import { type EndpointIdentity, loadEndpointIdentity } from "./discovery/endpoint-identity.ts";
import { claimStorage } from "./discovery/claimed-storage.ts";
import type { PrivateStorage } from "./discovery/private-storage.ts";
import type { EditorHost } from "./editor-host.ts";
import type { Endpoint, SessionAcceptor } from "./endpoint/endpoint.ts";
import { askForPort, giveBackSecret } from "./endpoint/give-back.ts";
import { listenEndpoint } from "./endpoint/listen-endpoint.ts";
import { farewellKey } from "./keeper/farewell-order.ts";
import type { Platform } from "./platform/platform.ts";
import { DisposableStore } from "./support/disposable.ts";
import { Emitter, type Event } from "./support/emitter.ts";
import { messageOf, PatchbayError } from "./support/errors.ts";
import { type Logger, reportListenerFailure } from "./support/logger.ts";
import { WorkspaceRoots } from "./workspace-roots.ts";

/** Most bytes of kept proposals on disk; the oldest go first. */
const maximumKeptBytes = 256 * 1024 * 1024;

/** How long the open proposals may take to be settled or kept at the end, ms. */
const settleMs = 1_300;

/** How long a stop waits for what agents still did while it ran to be on disk, ms. */
const lastWritesMs = 250;

/** Shortest time between two looks at the records, ms. */
const verifyIntervalMs = 10_000;

export interface RunningCompanionOptions {
  readonly host: EditorHost;
  readonly dialects: readonly Dialect[];
  readonly platform: Platform;
  readonly logger: Logger;
  readonly settings: CompanionSettings;
  /** The only port to listen on, or undefined. */
  readonly port: number | undefined;
}

/** The composition root at run time: puts endpoint, sessions, diffs, context and discovery together and takes them apart again. */
export class RunningCompanion implements Companion {
  readonly #options: RunningCompanionOptions;
  /** What this start has begun. */
  #store: DisposableStore = new DisposableStore();
  readonly #stateChange: Emitter<CompanionState>;
  readonly #environmentChange: Emitter<void>;
  readonly #sessionsChange: Emitter<void>;
  readonly #proposalsChange: Emitter<void>;
  readonly #roots: WorkspaceRoots;
  #tracker: ContextTracker;
  readonly #records: DiscoveryRecords;
  #settings: CompanionSettings;
  #state: CompanionState = { kind: "stopped" };
  #environment: Readonly<Record<string, string>> = {};
  #endpoint: Endpoint | undefined;
  #identity: EndpointIdentity | undefined;
  /** Undefined: nothing is kept for the next run. */
  #storage: PrivateStorage | undefined;
  #announcing: Promise<unknown> = Promise.resolve();
  #saving: Promise<void> | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #agents: AgentSide | undefined;
  #loading: Promise<AgentSide> | undefined;
  #announceRestored: () => void = () => {};
  #announceRead: () => void = () => {};
  /** Resolves when agents of an earlier run can be answered about what they left. */
  readonly #read: Promise<void> = new Promise((resolve) => {
    this.#announceRead = resolve;
  });
  #verifiedAt = 0;

  constructor(options: RunningCompanionOptions) {
    const { host, platform, logger } = options;
    this.#options = options;
    this.#settings = options.settings;
    const onFailure = reportListenerFailure(logger);
    this.#stateChange = new Emitter(onFailure);
    this.#environmentChange = new Emitter(onFailure);
    this.#sessionsChange = new Emitter(onFailure);
    this.#proposalsChange = new Emitter(onFailure);
    this.#roots = new WorkspaceRoots(host.workspace, platform.files);
    this.#tracker = this.#createTracker();
    this.#records = createDiscoveryRecords({
      platform,
      logger,
      ...(host.identity.editorKey === undefined ? {} : { owner: host.identity.editorKey }),
    });
  }

  get onDidChangeState(): Event<CompanionState> {
    return this.#stateChange.event;
  }

  get onDidChangeEnvironment(): Event<void> {
    return this.#environmentChange.event;
  }

  get onDidChangeSessions(): Event<void> {
    return this.#sessionsChange.event;
  }

  get onDidChangeProposals(): Event<void> {
    return this.#proposalsChange.event;
  }

  readonly restored: Promise<void> = new Promise((resolve) => {
    this.#announceRestored = resolve;
  });

  get state(): CompanionState {
    return this.#state;
  }

  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  get sessions(): readonly SessionInfo[] {
    return (this.#agents?.sessions.sessions ?? []).map((session) => ({
      id: session.id,
      dialect: session.dialect.id,
      agentName: session.dialect.agentName,
      state: session.state,
      since: session.since,
      openProposals: this.#agents?.diffs.openCount(session.id) ?? 0,
      ...(session.version === undefined ? {} : { version: session.version }),
      ...(session.pid === undefined ? {} : { pid: session.pid }),
      ...(session.lastContext === undefined ? {} : { lastContext: session.lastContext }),
    }));
  }

  get proposals(): readonly ProposalInfo[] {
    return this.#agents?.diffs.proposals ?? [];
  }

  start(): Promise<void> {
    if (this.#stopping !== undefined) {
      return Promise.reject(new PatchbayError("stopped", "This companion has been stopped; a new one is needed."));
    }
    this.#starting ??= this.#start().catch(async (error: unknown) => {
      await this.#undoStart();
      this.#starting = undefined;
      const message = `Agents cannot connect: ${messageOf(error)}`;
      this.#setState({ kind: "failed", message });
      this.#options.logger.error("The companion could not start", { reason: messageOf(error) });
      throw error;
    });
    return this.#starting;
  }

  stop(options: StopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  removeRecordsSync(): void {
    this.#records.removeSync();
  }

  async accept(proposalId: string): Promise<boolean> {
    return (await this.#agents?.diffs.accept(proposalId)) ?? false;
  }

  async reject(proposalId: string): Promise<boolean> {
    return (await this.#agents?.diffs.reject(proposalId)) ?? false;
  }

  async reveal(proposalId: string): Promise<boolean> {
    return (await this.#agents?.diffs.reveal(proposalId)) ?? false;
  }

  mention(path: string, lines?: { readonly start: number; readonly end: number }): number {
    return this.#agents?.sessions.mention({ path, ...(lines === undefined ? {} : { lines }) }) ?? 0;
  }

  sharedContext(): EditorContext {
    return this.#tracker.current();
  }

  updateSettings(settings: Partial<CompanionSettings>): void {
    this.#settings = { ...this.#settings, ...settings };
    this.#tracker.setPolicy(createSharingPolicy(this.#settings), this.#settings.sharing);
  }

  async #start(): Promise<void> {
    const { host, platform, logger } = this.#options;
    this.#setState({ kind: "starting" });
    this.#storage = await this.#claimStorage();
    const identity = await loadEndpointIdentity(this.#storage, platform.random);
    this.#identity = identity;
    this.#tracker.setPolicy(createSharingPolicy(this.#settings), this.#settings.sharing);
    this.#store.add(this.#tracker.follow());
    this.#store.add(host.workspace.onDidChangeFolders(() => this.#foldersChanged()));
    this.#store.add(
      host.editors.onDidChange((change) => {
        if (change.kind === "focused") this.#verifyRecords();
      }),
    );
    this.#endpoint = await this.#listen(identity);
    const warnings = await this.#announce();
    if (this.#endpoint.port !== identity.port) {
      this.#saving = identity
        .savePort(this.#endpoint.port)
        .catch((error: unknown) =>
          logger.warn("The port is not kept for the next start", { reason: messageOf(error) }),
        );
    }
    if (identity.port !== 0 && identity.port !== this.#endpoint.port) void this.#tellPortTaken();
    this.#setState({ kind: "listening", port: this.#endpoint.port, warnings });
    logger.info("Listening for agents", { port: this.#endpoint.port, folders: this.#roots.folders.length });
    // Views of an earlier run open in the background: agents are served meanwhile.
    void this.#tidy();
  }

  /** Nothing of a start that failed stays, so that the next one begins anew. */
  async #undoStart(): Promise<void> {
    this.#store.dispose();
    this.#store = new DisposableStore();
    this.#tracker = this.#createTracker();
    await this.#endpoint?.close();
    this.#endpoint = undefined;
    await this.#agents?.sessions.stop();
    this.#agents = undefined;
    this.#loading = undefined;
    await this.#records.write([]);
    await this.#storage?.release();
  }

  #createTracker(): ContextTracker {
    const { host, logger, platform } = this.#options;
    const policy = createSharingPolicy(this.#settings);
    return new ContextTracker({ host, logger, clock: platform.clock, policy });
  }

  async #claimStorage(): Promise<PrivateStorage | undefined> {
    const { host, platform, logger } = this.#options;
    const directory = host.storageDirectory;
    if (directory === undefined) return undefined;
    return claimStorage({
      platform,
      logger,
      directory,
      owner: host.identity.editorKey,
      bounds: [{ prefix: proposalKeyPrefix, maximumBytes: maximumKeptBytes }],
    });
  }

  async #tellPortTaken(): Promise<void> {
    const { host, logger } = this.#options;
    if (this.#storage !== undefined) await (await import("./port-taken.ts")).tellPortTaken(host, this.#storage, logger);
  }

  /** Only where agents were here: an editor without any writes nothing. */
  async #noteAttached(): Promise<void> {
    if (this.#agents === undefined || this.#storage === undefined) return;
    const connected = this.#agents.sessions.sessions.filter((session) => session.isOpen);
    const { noteAttached } = await import("./port-taken.ts");
    await noteAttached(
      this.#storage,
      connected.map(({ dialect }) => dialect.agentName),
    );
  }

  async #tidy(): Promise<void> {
    const restoring = this.#restore();
    try {
      await this.#records.sweepStale(this.#wantedRecords(await this.#facts()));
    } catch (error) {
      this.#options.logger.warn("Records of earlier runs could not be looked for", { reason: messageOf(error) });
    }
    await restoring;
  }

  async #restore(): Promise<void> {
    const { logger } = this.#options;
    try {
      const kept = (await this.#storage?.list(proposalKeyPrefix)) ?? [];
      const isAny = kept.length > 0 && this.#stopping === undefined;
      const restored = isAny ? await (await this.#loadAgentSide()).diffs.restore() : undefined;
      // A keeper of the earlier run that finds its note gone has nothing to do any more.
      await this.#storage?.remove(farewellKey);
      this.#announceRead();
      await restored?.shown;
    } catch (error) {
      logger.warn("Proposals of an earlier run could not be restored", { reason: messageOf(error) });
    }
    this.#announceRead();
    this.#announceRestored();
  }

  /** What the endpoint asks; the side that answers is loaded with the first agent. */
  #acceptor(): SessionAcceptor {
    return {
      recognise: async (facts) => (await this.#loadAgentSide()).sessions.recognise(facts),
      accept: async (connection) => {
        // It may ask at once for what the user decided meanwhile.
        if (connection.initialize === undefined) await this.#read;
        await (await this.#loadAgentSide()).sessions.accept(connection);
        this.#verifyRecords();
      },
      ended: (sessionId, why) => this.#agents?.sessions.ended(sessionId, why),
      mayForget: (sessionId) => this.#agents?.sessions.mayForget(sessionId) ?? true,
    };
  }

  async #loadAgentSide(): Promise<AgentSide> {
    if (this.#stopping !== undefined && this.#agents === undefined) {
      throw new PatchbayError("stopped", "The editor is closing.");
    }
    this.#loading ??= import("./agent-side.ts").then(({ createAgentSide }) => {
      const { host, platform, logger, dialects } = this.#options;
      const side = createAgentSide({
        host,
        platform,
        logger,
        dialects,
        tracker: this.#tracker,
        storage: this.#storage,
        realFolders: () => this.#roots.real(),
      });
      this.#store.add(side.sessions.onDidChange(() => this.#sessionsChange.fire()));
      this.#store.add(side.diffs.onDidChange(() => this.#proposalsChange.fire()));
      this.#agents = side;
      return side;
    });
    // A failed load is tried again by the next agent.
    this.#loading.catch(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Cleaners of temporary files take records away while an editor runs; looked at when something happens, never by a timer. */
  #verifyRecords(): void {
    const now = this.#options.platform.clock.monotonic();
    if (this.#endpoint === undefined || now - this.#verifiedAt < verifyIntervalMs) return;
    this.#verifiedAt = now;
    const { port } = this.#endpoint;
    void this.#records.verify().then((problems) => {
      if (this.#state.kind !== "listening") return;
      const warnings = problems.map((problem) => problem.message);
      if (warnings.join("\n") !== this.#state.warnings.join("\n"))
        this.#setState({ kind: "listening", port, warnings });
    });
  }

  async #listen(identity: EndpointIdentity): Promise<Endpoint> {
    const { platform, logger, port: onlyPort } = this.#options;
    const listen = (port: number): Promise<Endpoint> =>
      listenEndpoint({
        port,
        token: identity.token,
        sessionKey: identity.sessionKey,
        clock: platform.clock,
        random: platform.random,
        logger,
        sessions: this.#acceptor(),
      });
    if (onlyPort !== undefined) return await listen(onlyPort);
    try {
      return await listen(identity.port);
    } catch (error) {
      if (identity.port === 0 || !(error instanceof PatchbayError) || error.code !== "port-unavailable") throw error;
      await askForPort(identity.port, giveBackSecret(identity.sessionKey, platform.random));
      const regained = await listen(identity.port).catch(() => {});
      if (regained !== undefined) return regained;
      logger.warn("The port of the last run is taken; agents of that run have to connect again", {
        port: identity.port,
      });
      return await listen(0);
    }
  }

  /** Writes the records and the environment for the facts as they are then; one at a time, so that the last one counts. */
  #announce(): Promise<readonly string[]> {
    const announced = this.#announcing.then(() => this.#announceNow());
    this.#announcing = announced.catch(() => {});
    return announced;
  }

  async #announceNow(): Promise<readonly string[]> {
    const facts = await this.#facts();
    const environment: Record<string, string> = {};
    for (const dialect of this.#options.dialects) Object.assign(environment, dialect.environment(facts));
    const problems = await this.#records.write(this.#wantedRecords(facts));
    if (this.#stopping !== undefined) return [];
    this.#environment = environment;
    this.#environmentChange.fire();
    return problems.map((problem) => problem.message);
  }

  #wantedRecords(facts: DiscoveryFacts): ReturnType<Dialect["records"]> {
    return this.#options.dialects.flatMap((dialect) => dialect.records(facts));
  }

  async #facts(): Promise<DiscoveryFacts> {
    const { host, platform } = this.#options;
    return {
      port: this.#endpoint?.port ?? 0,
      token: this.#identity?.token ?? "",
      folders: this.#roots.folders,
      realFolders: await this.#roots.real(),
      identity: host.identity,
      platform,
      temporaryDirectory: host.identity.temporaryDirectory ?? platform.process.temporaryDirectory,
      homeDirectory: platform.process.homeDirectory,
    };
  }

  #foldersChanged(): void {
    this.#roots.refresh();
    if (this.#endpoint === undefined) return;
    const port = this.#endpoint.port;
    this.#announce().then(
      (warnings) => this.#state.kind === "listening" && this.#setState({ kind: "listening", port, warnings }),
      (error: unknown) =>
        this.#options.logger.error("The records could not be rewritten", { reason: messageOf(error) }),
    );
  }

  async #stop({ reload, comeBackMs }: StopOptions): Promise<void> {
    await this.#starting?.catch(() => {});
    this.#announceRead();
    await this.#loading?.catch(() => {});
    // An editor that does not answer must not keep the records in being.
    const { clock } = this.#options.platform;
    const diffs = this.#agents?.diffs.stop({ keep: reload === true });
    if (diffs !== undefined) await this.#attempt(within(settleMs, clock, diffs));
    let retryMs = comeBackMs;
    if (reload === true && comeBackMs !== undefined) {
      await this.#attempt(
        this.#leaveKeeper(comeBackMs).then((heldFrom) => {
          retryMs = heldFrom ?? comeBackMs;
        }),
      );
    }
    this.#store.dispose();
    if (reload === true) await this.#attempt(this.#noteAttached());
    await this.#attempt(this.#endpoint?.close(retryMs === undefined ? {} : { comeBackMs: retryMs }));
    await this.#attempt(this.#agents?.sessions.stop());
    const written = this.#agents?.diffs.settled();
    if (written !== undefined) await this.#attempt(within(lastWritesMs, clock, written));
    await this.#records.remove();
    await this.#saving;
    await this.#storage?.release();
    this.#endpoint = undefined;
    this.#environment = {};
    this.#announceRestored();
    this.#setState({ kind: "stopped" });
  }

  /** The port is held, and in the end verdicts are given, by a process of their own; when agents may come back to it, ms. */
  async #leaveKeeper(comeBackMs: number): Promise<number | undefined> {
    const { platform } = this.#options;
    if (this.#agents === undefined || this.#endpoint === undefined) return undefined;
    if (this.#identity === undefined || this.#storage === undefined) return undefined;
    const { beginFarewell, longestRetryMs } = await import("./keeper/begin-farewell.ts");
    const started = await beginFarewell({
      platform,
      storage: this.#storage,
      identity: this.#identity,
      port: this.#endpoint.port,
      comeBackMs,
      agents: this.#agents,
    });
    return started ? Math.min(comeBackMs, longestRetryMs) : undefined;
  }

  /** A part of the end that fails does not keep the rest from ending. */
  async #attempt(work: Promise<void> | undefined): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#options.logger.warn("A part of the companion did not end well", { reason: messageOf(error) });
    }
  }

  #setState(state: CompanionState): void {
    this.#state = state;
    this.#stateChange.fire(state);
  }
}
