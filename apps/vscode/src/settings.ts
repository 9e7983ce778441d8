import { type Companion, excludePatternsOf, type OpenReviews } from "@patchbay/core";
import { commands, type Disposable, type Event, EventEmitter, workspace } from "vscode";
import type { EditionContext } from "./edition-context.ts";

export type LogLevel = "error" | "warn" | "info" | "debug";

/** The user's settings, read each time they are asked for: what is read is always what is set. */
export interface Settings {
  readonly openDiffs: "foreground" | "background";
  readonly diffColumn: "active" | "beside";
  readonly share: boolean;
  readonly shareSelection: boolean;
  readonly exclude: readonly string[];
  /** As the user wrote it: core reads it. */
  readonly reviews: unknown;
  /** Whether the user wants to be told of an agent that waits or has finished where they do not see it. */
  readonly notifies: boolean;
  /** When reviews open by themselves. */
  readonly openReviews: OpenReviews;
  readonly terminalEnvironment: boolean;
  /** Whether what agents change is noted, turn by turn, and listed. */
  readonly agentChanges: boolean;
  readonly logLevel: LogLevel;
  readonly onDidChange: Event<void>;
}

const section = "patchbay";

function choice<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
  const value: unknown = workspace.getConfiguration(section).get(name);
  return allowed.find((one) => one === value) ?? fallback;
}

function flag(name: string, fallback: boolean): boolean {
  const value: unknown = workspace.getConfiguration(section).get(name);
  return typeof value === "boolean" ? value : fallback;
}

/** Reads `patchbay.*`. A value of the wrong type counts as not set. */
export class WorkspaceSettings implements Settings, Disposable {
  readonly #changes: EventEmitter<void> = new EventEmitter();
  readonly #subscription: Disposable;
  readonly onDidChange: Event<void> = this.#changes.event;

  constructor() {
    this.#subscription = workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(section)) this.#changes.fire();
    });
  }

  get openDiffs(): "foreground" | "background" {
    return choice("diff.open", ["foreground", "background"], "foreground");
  }

  get diffColumn(): "active" | "beside" {
    return choice("diff.viewColumn", ["active", "beside"], "active");
  }

  get share(): boolean {
    return flag("context.share", true);
  }

  get shareSelection(): boolean {
    return flag("context.shareSelection", true);
  }

  get exclude(): readonly string[] {
    return excludePatternsOf(workspace.getConfiguration(section).get("context.exclude"));
  }

  get reviews(): unknown {
    return workspace.getConfiguration(section).get("reviews");
  }

  get notifies(): boolean {
    return choice("notify", ["never", "hiddenTerminal"], "never") === "hiddenTerminal";
  }

  get openReviews(): OpenReviews {
    return choice("openReviews", ["always", "whenIdle", "onDemand"], "always");
  }

  get terminalEnvironment(): boolean {
    return flag("terminal.environment", true);
  }

  get agentChanges(): boolean {
    return flag("agentChanges", true);
  }

  get logLevel(): LogLevel {
    return choice("log.level", ["error", "warn", "info", "debug"], "info");
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }
}

const pausedKey = "patchbay.paused";

/** Whether context goes out: the setting, and the pause that lasts until the user ends it, over restarts too. */
export class Sharing implements Disposable {
  readonly #companion: Companion;
  readonly #settings: Settings;
  readonly #state: EditionContext["workspaceState"];
  readonly #changes: EventEmitter<void> = new EventEmitter();
  readonly #subscription: Disposable;
  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(companion: Companion, settings: Settings, state: EditionContext["workspaceState"]) {
    this.#companion = companion;
    this.#settings = settings;
    this.#state = state;
    this.#subscription = settings.onDidChange(() => this.apply());
    this.apply();
  }

  get paused(): boolean {
    return this.#state.get(pausedKey) === true || !this.#settings.share;
  }

  apply(): void {
    const { exclude, shareSelection, reviews, openReviews } = this.#settings;
    this.#companion.updateSettings({ exclude, shareSelection, reviews, openReviews, sharing: !this.paused });
    void commands.executeCommand("setContext", "patchbay.paused", this.paused);
    this.#changes.fire();
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#state.update(pausedKey, paused);
    this.apply();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }
}

const groupingKey = "patchbay.isByFolder";

/** How the list "Review" is grouped, which the user chooses in its title for each workspace. */
export class Grouping {
  readonly #state: EditionContext["workspaceState"];

  constructor(state: EditionContext["workspaceState"]) {
    this.#state = state;
    this.#tell();
  }

  /** By folder; else by agent and session. */
  get isByFolder(): boolean {
    return this.#state.get(groupingKey) === true;
  }

  async set(isByFolder: boolean): Promise<void> {
    await this.#state.update(groupingKey, isByFolder);
    this.#tell();
  }

  #tell(): void {
    void commands.executeCommand("setContext", groupingKey, this.isByFolder);
  }
}
