import {
  type Clock,
  type Companion,
  type CompanionOptions,
  type Disposable,
  DisposableStore,
  excludePatternsOf,
  LoadOnce,
  type Logger,
  messageOf,
  type StopOptions,
} from "@patchbay/core";
import type { PanelFacts } from "../common/panel-protocol.ts";
import type { Attachment, WindowFacts, WindowStatus } from "../common/protocol.ts";
import type { AttachedWindow } from "./attached-window.ts";
import type { WorkspacePanel } from "./panel/workspace-panel.ts";
import type { WorkspaceTurns, WorkspaceTurnsOptions } from "./turns/workspace-turns.ts";
import type { LeftWorkspace } from "./workspace-storage.ts";
import type { WorkspaceHost } from "./workspace-host.ts";

/** After so many milliseconds without a window nothing counts as open any more: it was no reload. */
const contextGraceMs = 30_000;

/** A companion that neither a window nor an agent uses is stopped after so many milliseconds. */
const lingerMs = 300_000;

export interface WorkspaceCompanionOptions {
  readonly host: WorkspaceHost;
  /** Under which the storage of its host was claimed; it stays when the folders change. */
  readonly storageKey: string;
  readonly createCompanion: (options: CompanionOptions) => Companion;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createTurns: (options: Pick<WorkspaceTurnsOptions, "host" | "mayKeep">) => WorkspaceTurns;
  /** Loads the panel of a workspace: with the first window that opens it. */
  readonly openPanel: (
    host: WorkspaceHost,
    companion: Companion,
    facts: PanelFacts,
    turns: WorkspaceTurns,
  ) => Promise<WorkspacePanel>;
  /** Nobody has used it for long: its owner stops and forgets it. */
  readonly onIdle: () => void;
}

/** One workspace's companion and the windows that are attached to it. */
export class WorkspaceCompanion implements Disposable {
  readonly host: WorkspaceHost;
  readonly companion: Companion;
  readonly turns: WorkspaceTurns;
  readonly #options: WorkspaceCompanionOptions;
  readonly #disposables = new DisposableStore();
  #panel: LoadOnce<WorkspacePanel> | undefined;
  readonly #started: LoadOnce<void> = new LoadOnce(() => this.companion.start());
  #settings: string | undefined;
  #statusDue = false;
  #grace: Disposable | undefined;
  #linger: Disposable | undefined;

  constructor(options: WorkspaceCompanionOptions) {
    const { host, logger } = options;
    this.#options = options;
    this.host = host;
    this.turns = options.createTurns({ host, mayKeep: (path) => this.companion.mayName(path) });
    this.companion = options.createCompanion({ host, logger, turns: this.turns.witness });
    const changed = (): void => this.#changed();
    for (const event of [
      this.companion.onDidChangeEnvironment,
      this.companion.onDidChangeSessions,
      this.companion.onDidChangeProposals,
      this.companion.onDidChangeActivities,
    ]) {
      this.#disposables.add(event(changed));
    }
    this.#disposables.add(this.companion.onDidChangeState(changed));
    this.#disposables.add(
      this.turns.onDidChange(() => {
        for (const window of this.host.windows.byUse()) window.notify((client) => client.notifyTurns());
      }),
    );
  }

  get status(): WindowStatus {
    const { state, environment, sessions, proposals, keptTexts, activities } = this.companion;
    const commands = { all: this.companion.commands?.all ?? [] };
    const questions = this.#panel?.loaded?.waiting;
    const base = { state, environment, sessions, proposals, keptTexts, activities, commands };
    return questions === undefined ? base : { ...base, questions };
  }

  /** Takes a window in, or takes note of what changed in one. Resolves when the companion has started, or has failed to. */
  async attach(window: AttachedWindow, facts: WindowFacts): Promise<Attachment> {
    const { windows, diffs } = this.host;
    this.#grace?.dispose();
    this.#linger?.dispose();
    window.facts = facts;
    this.host.setTrust(facts.trusted);
    this.#applySettings(facts);
    await this.#start();
    // A window may have gone while the companion started.
    if (!window.isGone) {
      if (windows.has(window)) diffs.resume(window, facts.shown);
      else windows.join(window);
    }
    return { status: this.status, proposals: diffs.openIds };
  }

  /** Whether an agent is there, or a proposal. */
  get isInUse(): boolean {
    return this.companion.sessions.length > 0 || this.companion.proposals.length > 0;
  }

  /** What the next backend needs to go on with it before a window comes. */
  left(): LeftWorkspace {
    const { workspace, identity } = this.host;
    const trusted = workspace.trusted();
    return {
      roots: workspace.folders(),
      storageKey: this.#options.storageKey,
      application: identity.displayName,
      ...(trusted === undefined ? {} : { trusted }),
    };
  }

  /** Starts it without a window: agents of an earlier backend are held, and proposals wait for one. */
  async resume(): Promise<void> {
    await this.#start();
  }

  /** A window has gone, or belongs to another workspace now. */
  detach(window: AttachedWindow): void {
    const { windows, editors } = this.host;
    windows.leave(window);
    if (windows.size > 0) return;
    this.#grace = this.#options.clock.setTimeout(() => editors.forgetDeparted(), contextGraceMs);
    this.#lingerIfUnused();
  }

  async stop(options: StopOptions = {}): Promise<void> {
    this.dispose();
    const panel = await this.#panel?.settled();
    await panel?.close();
    await this.companion.stop(options);
    await this.turns.close();
  }

  /** The conversations of this workspace, for a window with such settings. */
  async openPanel(facts: PanelFacts): Promise<WorkspacePanel> {
    this.#panel ??= new LoadOnce(() => this.#loadPanel(facts));
    return await this.#panel.get();
  }

  /** The last moment of the process. */
  endSync(): void {
    this.#panel?.loaded?.endNow();
    this.companion.removeRecordsSync();
  }

  dispose(): void {
    this.#grace?.dispose();
    this.#linger?.dispose();
    this.#disposables.dispose();
  }

  #applySettings(facts: WindowFacts): void {
    const settings = JSON.stringify(facts.settings);
    if (settings === this.#settings) return;
    this.#settings = settings;
    // Preferences are what stands in a file, whatever their schema says.
    const { agentChanges, ...companion } = facts.settings;
    this.companion.updateSettings({ ...companion, exclude: excludePatternsOf(companion.exclude) });
    this.turns.isOn = agentChanges;
  }

  async #start(): Promise<void> {
    try {
      await this.#started.get();
      void this.turns.wake();
      // A window that lost its connection to an earlier backend may still show what is being restored.
      await this.companion.restored;
    } catch (error) {
      // The state says it to the windows; the next window that attaches tries again.
      this.#options.logger.error("the companion did not start", { cause: messageOf(error) });
    }
  }

  async #loadPanel(facts: PanelFacts): Promise<WorkspacePanel> {
    const panel = await this.#options.openPanel(this.host, this.companion, facts, this.turns);
    this.#disposables.add(panel.onDidChange(() => this.#changed()));
    return panel;
  }

  #changed(): void {
    if (this.host.windows.size === 0) this.#lingerIfUnused();
    if (this.#statusDue) return;
    this.#statusDue = true;
    queueMicrotask(() => {
      this.#statusDue = false;
      for (const window of this.host.windows.byUse()) window.notify((client) => client.notifyStatus(this.status));
    });
  }

  #lingerIfUnused(): void {
    this.#linger?.dispose();
    // A turn goes on without any window, and a question waits until somebody comes back.
    if (this.isInUse || this.#panel?.loaded?.isAtWork === true) return;
    this.#linger = this.#options.clock.setTimeout(() => {
      if (this.host.windows.size === 0) this.#options.onIdle();
    }, lingerMs);
  }
}
