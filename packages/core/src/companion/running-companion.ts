import type { Dialect } from "../agents/dialect.ts";
import type {
  Companion,
  CompanionSettings,
  CompanionState,
  Review,
  ReviewRequest,
  SessionInfo,
  StopOptions,
} from "../companion.ts";
import type { EditorContext } from "../context/model.ts";
import type { Hunk, HunkDecision, KeptText, KeptTextSaving, ProposalInfo } from "../diff/model.ts";
import type { EditorHost } from "../editor-host.ts";
import type { LocalSocket } from "../endpoint/local-socket.ts";
import type { AgentActivity, AskedCommands } from "../hooks/activity.ts";
import type { TurnWitness } from "../hooks/turn-witness.ts";
import type { Platform } from "../platform/platform.ts";
import { readKeptEndpoint } from "../storage/endpoint-identity.ts";
import { Emitter, type Event } from "../support/emitter.ts";
import { inBackground, type InBackground } from "../support/background.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import { type Logger, reportListenerFailure } from "../support/logger.ts";
import type { AgentSide } from "./agent-side.ts";
import type { AgentsOnDemand } from "./agents-on-demand.ts";
import { Announcement, WorkspaceRoots } from "./announcement.ts";
import type { QuestionDoor } from "./question-doors.ts";
import { endRun, openRun, type Run } from "./run.ts";
import { keepPort, listenOnKeptPort, type OpenedEndpoint, tellPortLost } from "./kept-port.ts";
import { SharedContext } from "./shared-context.ts";

export interface RunningCompanionOptions {
  readonly host: EditorHost;
  readonly dialects: readonly Dialect[];
  readonly platform: Platform;
  readonly logger: Logger;
  readonly settings: CompanionSettings;
  /** See `CompanionOptions.turns`. */
  readonly turns?: TurnWitness | undefined;
  /** See `CompanionOptions.leavesQuestionsOf`. */
  readonly leavesQuestionsOf?: (() => readonly string[]) | undefined;
  /** The only port to listen on, or undefined. */
  readonly port: number | undefined;
}

/** The composition root at run time: puts endpoint, sessions, diffs, context and discovery together and takes them apart again. */
export class RunningCompanion implements Companion {
  readonly #options: RunningCompanionOptions;
  readonly #stateChange: Emitter<CompanionState>;
  readonly #sessionsChange: Emitter<void>;
  readonly #proposalsChange: Emitter<void>;
  readonly #activitiesChange: Emitter<void>;
  readonly #roots: WorkspaceRoots;
  readonly #announcement: Announcement;
  readonly #shared: SharedContext;
  /** Aborted once the end has begun. */
  readonly #ending: AbortController = new AbortController();
  #state: CompanionState = { kind: "stopped" };
  #run: Run | undefined;
  /** What a start needs, and a review also without one. */
  readonly #inBackground: InBackground;
  readonly #opened: LoadOnce<Run> = new LoadOnce(() => this.#openRun());
  #isExcluded: ((pid: number) => boolean) | undefined;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Never rejects.
  #saving: Promise<void> | undefined;
  readonly #started: LoadOnce<void> = new LoadOnce(() => this.#startOrUndo());
  // oxlint-disable-next-line patchbay/no-kept-promise -- There is one end, and no second one after it.
  #stopping: Promise<void> | undefined;
  #announceRestored: () => void = () => {};
  /** Files of settings that the user has been told of. */
  readonly #toldFiles: Set<string> = new Set();
  /** Beside the port, for agents that look for none; undefined: there is no such agent, or it could not be opened. */
  readonly #socket: LoadOnce<LocalSocket | undefined> = new LoadOnce(() => this.#openSocket());
  /** For agents that ask what is open, and to services of theirs. */
  readonly #questions: LoadOnce<readonly Pick<QuestionDoor, "close">[]> = new LoadOnce(() => this.#openQuestions());

  constructor(options: RunningCompanionOptions) {
    const { host, dialects, platform, logger } = options;
    this.#options = options;
    this.#inBackground = inBackground(logger);
    const onFailure = reportListenerFailure(logger);
    this.#stateChange = new Emitter(onFailure);
    this.#sessionsChange = new Emitter(onFailure);
    this.#proposalsChange = new Emitter(onFailure);
    this.#activitiesChange = new Emitter(onFailure);
    this.#roots = new WorkspaceRoots(host.workspace, platform.files);
    const ending = this.#ending.signal;
    this.#announcement = new Announcement({ host, dialects, platform, logger, roots: this.#roots, ending });
    this.#shared = new SharedContext(options);
  }

  get onDidChangeState(): Event<CompanionState> {
    return this.#stateChange.event;
  }

  get onDidChangeEnvironment(): Event<void> {
    return this.#announcement.onDidChangeEnvironment;
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
    return this.#announcement.environment;
  }

  get sessions(): readonly SessionInfo[] {
    return this.#run?.agents.sessionInfos ?? [];
  }

  get proposals(): readonly ProposalInfo[] {
    return this.#run?.agents.proposalInfos ?? [];
  }

  get activities(): readonly AgentActivity[] {
    return this.#agentSide?.activities.all ?? [];
  }

  get onDidChangeActivities(): Event<void> {
    return this.#activitiesChange.event;
  }

  get commands(): AskedCommands | undefined {
    return this.#agentSide?.hooks.commands;
  }

  start(): Promise<void> {
    if (this.#stopping !== undefined) {
      return Promise.reject(new PatchbayError("stopped", "This companion has been stopped. Create another one."));
    }
    return this.#started.get();
  }

  stop(options: StopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  removeRecordsSync(): void {
    this.#announcement.removeSync();
    this.#socket.loaded?.removeSync();
  }

  async acceptAll(proposalIds?: readonly string[]): Promise<readonly string[]> {
    return (await this.#agentSide?.diffs.acceptAll(proposalIds)) ?? [];
  }

  async accept(proposalId: string): Promise<boolean> {
    return (await this.#agentSide?.diffs.accept(proposalId)) ?? false;
  }

  async reject(proposalId: string, reason?: string): Promise<boolean> {
    return (await this.#agentSide?.diffs.reject(proposalId, reason)) ?? false;
  }

  async hunks(proposalId: string): Promise<readonly Hunk[] | undefined> {
    return await this.#agentSide?.diffs.hunks.of(proposalId);
  }

  async decideHunk(proposalId: string, verdict: "accept" | "reject", line: number): Promise<HunkDecision> {
    return (await this.#agentSide?.diffs.hunks.decide(proposalId, verdict, line)) ?? { kind: "none" };
  }

  async undoHunk(proposalId: string): Promise<boolean> {
    return (await this.#agentSide?.diffs.hunks.undo(proposalId)) ?? false;
  }

  async reveal(proposalId: string): Promise<boolean> {
    return (await this.#agentSide?.diffs.reveal(proposalId)) ?? false;
  }

  async hold(proposalId: string): Promise<boolean> {
    return (await this.#agentSide?.diffs.openings.hold(proposalId)) ?? false;
  }

  async review(request: ReviewRequest): Promise<Review> {
    // A listener that cannot be had is no reason not to review.
    await this.#started.settled();
    if (this.#ending.signal.aborted) throw new PatchbayError("stopped", "The editor is closing.");
    const run = this.#run ?? (await this.#opened.get());
    if (run.opened === undefined) await run.agents.restore();
    return await (await run.agents.conversations()).review(request);
  }

  conversationEnded(conversationId: string): void {
    void this.#agentSide?.conversations.ended(conversationId);
  }

  excludeProcesses(isOwn: (pid: number) => boolean): void {
    this.#isExcluded = isOwn;
  }

  async processOf(sessionId: string): Promise<number | undefined> {
    return await this.#agentSide?.sessions.processOf(sessionId);
  }

  get keptTexts(): readonly KeptText[] {
    return this.#agentSide?.diffs.kept.list ?? [];
  }

  async readKeptText(id: string): Promise<string | undefined> {
    return this.#agentSide?.diffs.kept.read(id);
  }

  async saveKeptText(id: string): Promise<KeptTextSaving | undefined> {
    return this.#agentSide?.diffs.kept.save(id);
  }

  async discardKeptText(id: string): Promise<boolean> {
    return this.#agentSide?.diffs.kept.discard(id) ?? false;
  }

  mention(path: string, lines?: { readonly start: number; readonly end: number }): number {
    return this.#agentSide?.sessions.mention({ path, ...(lines === undefined ? {} : { lines }) }) ?? 0;
  }

  mayName(path: string): boolean {
    return this.#shared.mayName(path);
  }

  sharedContext(): EditorContext {
    return this.#shared.tracker.current();
  }

  updateSettings(settings: Partial<CompanionSettings>): void {
    this.#shared.updateSettings(settings);
    if (settings.openReviews !== undefined) this.#agentSide?.diffs.openings.reconsider();
  }

  get #agentSide(): AgentSide | undefined {
    return this.#run?.agents.side;
  }

  async #startOrUndo(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      await this.#undoStart();
      // Who hears of the failure may start again at once.
      this.#started.forget();
      this.#setState({ kind: "failed", message: `Agents cannot connect: ${messageOf(error)}` });
      this.#options.logger.error("The companion could not start", { reason: messageOf(error) });
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { host, platform, logger } = this.#options;
    this.#setState({ kind: "starting" });
    const run = await this.#opened.get();
    const { storage, agents } = run;
    const kept = await readKeptEndpoint(storage);
    const opened = await listenOnKeptPort({ ...this.#options, kept, storage, acceptor: agents, hooks: agents });
    run.opened = opened;
    const { address } = opened.endpoint;
    const warnings = await this.#announce(opened);
    if (opened.identity !== kept?.identity) {
      this.#saving = keepPort(storage, opened, logger);
      if (kept !== undefined && storage !== undefined)
        void tellPortLost(host, storage, { clock: platform.clock, logger });
    }
    this.#setState({ kind: "listening", port: address.port, warnings });
    logger.info("Listening for agents", { port: address.port, folders: this.#roots.folders.length });
    // Views of an earlier run open in the background: agents are served meanwhile.
    void this.#tidy(agents);
    // For those that look for no port.
    void this.#inBackground(
      () => Promise.all([this.#socket.get(), this.#questions.get()]),
      "Some agents cannot connect",
    );
  }

  async #openQuestions(): Promise<readonly Pick<QuestionDoor, "close">[]> {
    const { openQuestionDoors } = await import("./question-doors.ts");
    return await openQuestionDoors({ ...this.#options, run: this.#opened }, this.#ending.signal);
  }

  async #closeQuestions(): Promise<void> {
    for (const door of (await this.#questions.settled()) ?? []) await door.close();
    this.#questions.forget();
  }

  /** For agents that look for no port. Nobody waits for it; without it the others are served. */
  async #openSocket(): Promise<LocalSocket | undefined> {
    const { dialects } = this.#options;
    const opened = this.#run?.opened;
    const wanted = dialects.filter(({ door }) => door === "socket");
    if (wanted.length === 0 || opened === undefined) return undefined;
    const { openSocketDoor } = await import("./socket-door.ts");
    const socket = await openSocketDoor({ ...this.#options, dialects: wanted, endpoint: opened.endpoint });
    if (socket !== undefined && !this.#ending.signal.aborted) this.#setWarnings(await this.#announce(opened, socket));
    return socket;
  }

  #announce({ endpoint, tokens }: OpenedEndpoint, socket = this.#socket.loaded): Promise<readonly string[]> {
    return this.#announcement.announce({ address: endpoint.address, tokens, socket: socket?.address });
  }

  async #openRun(): Promise<Run> {
    this.#run = await openRun({
      ...this.#options,
      shared: this.#shared,
      ending: this.#ending.signal,
      realFolders: () => this.#roots.real(),
      onDidChangeActivities: () => this.#activitiesChange.fire(),
      onDidLoad: ({ sessions, diffs, guardian }, following) => {
        // The guardian first: what it knows must be true whatever the others do.
        following.add(sessions.onDidChange(() => guardian?.update()));
        following.add(diffs.onDidChange(() => guardian?.update()));
        following.add(sessions.onDidChange(() => this.#sessionsChange.fire()));
        following.add(diffs.onDidChange(() => this.#proposalsChange.fire()));
      },
      onDidAccept: () => this.#verifyRecords(),
      onDidChangeFolders: () => this.#foldersChanged(),
      onDidFocus: () => this.#verifyRecords(),
      isExcluded: () => this.#isExcluded,
    });
    return this.#run;
  }

  /** Nothing of a start that failed stays, so that the next one begins anew; but what is under review stays under review. */
  async #undoStart(): Promise<void> {
    const run = this.#run;
    const opened = run?.opened;
    if (run !== undefined) run.opened = undefined;
    await (await this.#socket.settled())?.close();
    this.#socket.forget();
    await this.#closeQuestions();
    await opened?.endpoint.close();
    await this.#announcement.withdraw();
    if (run === undefined || run.agents.side !== undefined) return;
    this.#run = undefined;
    this.#opened.forget();
    run.following.dispose();
    this.#shared.renew();
    await run.storage?.release();
  }

  /** What the agents' settings do to whoever starts them in these folders; never rejects. */
  async #warnOfSettings(): Promise<void> {
    const { host, platform, logger } = this.#options;
    try {
      const { warnOfSettings } = await import("../diagnosis/settings-warnings.ts");
      if (this.#ending.signal.aborted) return;
      await warnOfSettings(host, platform, { folders: this.#roots.folders, told: this.#toldFiles });
    } catch (error) {
      logger.warn("What agents' settings do could not be told", { reason: messageOf(error) });
    }
  }

  async #tidy(agents: AgentsOnDemand): Promise<void> {
    const restoring = agents.restore().then(() => this.#announceRestored());
    try {
      await this.#announcement.sweepStale();
    } catch (error) {
      this.#options.logger.warn("Records of earlier runs could not be searched", { reason: messageOf(error) });
    }
    await this.#announcement.keep((warnings) => this.#setWarnings(warnings));
    void this.#warnOfSettings();
    await restoring;
  }

  #verifyRecords(): void {
    void this.#announcement.verify().then((warnings) => {
      if (warnings !== undefined) this.#setWarnings(warnings);
    });
  }

  #setWarnings(warnings: readonly string[]): void {
    if (this.#state.kind !== "listening") return;
    if (warnings.join("\n") !== this.#state.warnings.join("\n")) this.#setState({ ...this.#state, warnings });
  }

  #foldersChanged(): void {
    this.#roots.refresh();
    const opened = this.#run?.opened;
    if (opened === undefined) return;
    this.#announce(opened).then(
      (warnings) => this.#state.kind === "listening" && this.#setState({ ...this.#state, warnings }),
      (error: unknown) =>
        this.#options.logger.error("The records could not be rewritten", { reason: messageOf(error) }),
    );
    void this.#warnOfSettings();
  }

  async #stop(options: StopOptions): Promise<void> {
    this.#ending.abort();
    await this.#started.settled();
    await this.#opened.settled();
    const run = this.#run;
    const socket = await this.#socket.settled();
    await socket?.close();
    await this.#closeQuestions();
    if (run !== undefined) await endRun(run, options, this.#options);
    await this.#announcement.remove();
    await this.#saving;
    await run?.storage?.release();
    this.#announceRestored();
    this.#setState({ kind: "stopped" });
  }

  #setState(state: CompanionState): void {
    this.#state = state;
    this.#stateChange.fire(state);
  }
}
