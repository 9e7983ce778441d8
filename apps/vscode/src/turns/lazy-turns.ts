import {
  createNodePlatform,
  Emitter,
  type FileBefore,
  LoadOnce,
  type Logger,
  messageOf,
  type TurnLedger,
  type TurnNote,
  type TurnSource,
  turnsDirectory,
  type TurnWitness,
} from "@patchbay/core";
import { lateLedger } from "@patchbay/core/turn-ledger";
import { commands, type Disposable, Uri, workspace } from "vscode";
import { loadTurns, registerLazily, turnCommandIds } from "../lazy.ts";
import type { Settings } from "../settings.ts";
import type { AgentChanges, AgentChangesServices } from "./agent-changes.ts";

export interface LazyTurnsOptions {
  readonly folders: () => readonly string[];
  readonly settings: Settings;
  readonly logger: Logger;
  /** Called when the ledger is loaded. */
  readonly services: () => Omit<AgentChangesServices, "platform" | "folders" | "storageDirectory" | "logger">;
}

/** The ledger of turns before it is loaded: with the first word of an agent, or with turns of an earlier run. */
export class LazyTurns implements TurnWitness, Disposable {
  readonly #options: LazyTurnsOptions;
  readonly #loaded: LoadOnce<AgentChanges>;
  readonly #commands: Disposable;
  readonly #change: Emitter<void> = new Emitter();
  #changes: AgentChanges | undefined;
  #isDisposed = false;

  constructor(options: LazyTurnsOptions) {
    this.#options = options;
    this.#loaded = new LoadOnce(async () => await this.#load());
    this.#commands = registerLazily(turnCommandIds, async () => {
      const changes = await this.#loaded.get();
      return await changes.loadCommands();
    });
  }

  /** What conversations changed. */
  readonly ledger: TurnLedger = lateLedger(async () => {
    const isWanted = this.#options.settings.agentChanges && !this.#isDisposed;
    const isThere = isWanted && (this.#changes !== undefined || (await this.#hasTurns()));
    return isThere ? (await this.#loaded.get()).ledgers.conversations : undefined;
  }, this.#change.event);

  /** Shows what an earlier run left to be reviewed. Never rejects. */
  async wake(): Promise<void> {
    if (await this.#hasTurns()) this.#tell(() => {});
  }

  turnBegan(source: TurnSource, prompt: string): void {
    this.#tell((changes) => changes.turnBegan(source, prompt));
  }

  turnEnded(source: TurnSource): void {
    this.#tell((changes) => changes.turnEnded(source));
  }

  aboutToWrite(source: TurnSource, files: readonly FileBefore[]): void {
    this.#tell((changes) => changes.aboutToWrite(source, files));
  }

  aboutToRun(source: TurnSource, command: string, id?: string): void {
    this.#tell((changes) => changes.aboutToRun(source, command, id));
  }

  wrote(source: TurnSource, id?: string): void {
    this.#tell((changes) => changes.wrote(source, id));
  }

  accepted(source: TurnSource, path: string, text: string): void {
    this.#tell((changes) => changes.accepted(source, path, text));
  }

  async ready(): Promise<void> {
    if (!this.#options.settings.agentChanges || this.#isDisposed) return;
    await this.#loaded.get().then(
      async (changes) => await changes.ledgers.ready(),
      () => {},
    );
  }

  async notes(source: Pick<TurnSource, "agent" | "session">): Promise<readonly TurnNote[]> {
    if (!this.#options.settings.agentChanges || this.#isDisposed) return [];
    return await this.#loaded.get().then(
      async (changes) => await changes.ledgers.notes(source),
      () => [],
    );
  }

  passedOn(ids: readonly string[]): void {
    if (ids.length > 0) this.#tell((changes) => changes.passedOn?.(ids));
  }

  /** What was told is on disk then. */
  async close(): Promise<void> {
    await this.#changes?.settled();
    this.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#commands.dispose();
    this.#changes?.dispose();
  }

  /** In the order of the calls: those that wait for the code go on in it. */
  #tell(say: (witness: TurnWitness) => void): void {
    if (!this.#options.settings.agentChanges || this.#isDisposed) return;
    if (this.#changes !== undefined) {
      say(this.#changes.ledgers);
      return;
    }
    this.#loaded.get().then(
      (changes) => say(changes.ledgers),
      (error: unknown) => this.#options.logger.warn("What agents do cannot be listed", { reason: messageOf(error) }),
    );
  }

  async #load(): Promise<AgentChanges> {
    const { AgentChanges } = await loadTurns();
    const { folders, logger, services } = this.#options;
    const platform = createNodePlatform();
    const changes = new AgentChanges({
      ...services(),
      platform,
      folders: folders(),
      storageDirectory: this.#directory(),
      logger,
    });
    this.#changes = changes;
    changes.ledgers.onDidChange(() => this.#change.fire());
    if (this.#isDisposed) changes.dispose();
    else await commands.executeCommand("setContext", "patchbay.hasTurns", true);
    return changes;
  }

  async #hasTurns(): Promise<boolean> {
    return await workspace.fs.stat(Uri.file(this.#directory())).then(
      () => true,
      () => false,
    );
  }

  #directory(): string {
    return turnsDirectory(createNodePlatform(), this.#options.folders());
  }
}
