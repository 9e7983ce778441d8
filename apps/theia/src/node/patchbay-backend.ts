import { LogFanOut, WindowService } from "./window-service.ts";
import {
  type AgentSettings,
  type Companion,
  type CompanionOptions,
  createCompanion,
  createNodePlatform,
  type HostIdentity,
  LoadOnce,
  messageOf,
  type Platform,
} from "@patchbay/core";
import { readAgentSettings } from "@patchbay/core/diagnosis";
import { EncodingService } from "@theia/core/lib/common/encoding-service";
import { EnvVariablesServer } from "@theia/core/lib/common/env-variables";
import { FileUri } from "@theia/core/lib/common/file-uri";
import { ILogger } from "@theia/core/lib/common/logger";
import type { BackendApplicationContribution } from "@theia/core/lib/node/backend-application";
import { inject, injectable, named, postConstruct } from "@theia/core/shared/inversify";
import { version } from "../../package.json";
import type { PageTexts, PanelWindow } from "../common/panel-protocol.ts";
import type { PatchbayWindow } from "../common/protocol.ts";
import type { AgentHooks } from "./agent-hooks.ts";
import { hookProgram } from "./hook-program.ts";
import { type ConnectedWindow, PanelService } from "./panel-service.ts";
import { theiaEncodings } from "./theia-encodings.ts";
import { LeftWorkspaces, WorkspaceStorage } from "./workspace-storage.ts";
import { WorkspaceTurns } from "./turns/workspace-turns.ts";
import { Workspaces } from "./workspaces.ts";

/** Our VS Code extension, running as a plugin below this process, reads this and leaves the work to us. */
const nativeEditionVariable = "PATCHBAY_NATIVE_EDITION";

/** Names this process: what is started from a terminal has the variable too, and another editor among it is none of ours. */
const nativeEdition = `theia:${process.pid}`;

/** Holds the companions of this backend from its start to its end. */
@injectable()
export class PatchbayBackend implements BackendApplicationContribution {
  @inject(ILogger)
  @named("patchbay")
  protected readonly logger: ILogger;

  @inject(EnvVariablesServer)
  protected readonly environment: EnvVariablesServer;

  @inject(EncodingService)
  protected readonly encodings: EncodingService;

  protected readonly platform: Platform = createNodePlatform();
  protected log: LogFanOut;
  protected workspaces: Workspaces;
  protected readonly storage: LoadOnce<WorkspaceStorage> = new LoadOnce(() => this.openStorage());
  protected readonly left: LoadOnce<LeftWorkspaces> = new LoadOnce(() => this.openLeft());

  @postConstruct()
  protected init(): void {
    this.log = new LogFanOut(
      (severity, line) => void this.logger[severity](line),
      () => this.platform.clock.now(),
    );
    this.workspaces = new Workspaces({
      identity: this.identify(),
      createCompanion: (options) => this.createCompanion(options),
      storageFor: async (key) => await (await this.storage.get()).claim(key),
      handover: {
        leave: async (workspaces) => await (await this.left.get()).leave(workspaces),
        take: async () => await (await this.left.get()).take(),
      },
      encodings: theiaEncodings(this.encodings),
      createTurns: (options) => {
        const { platform, log: logger } = this;
        return new WorkspaceTurns({ ...options, platform, clock: platform.clock, logger });
      },
      openPanel: async (host, companion, facts, turns) => {
        const { createWorkspacePanel } = await import("./panel/workspace-panel.ts");
        const { platform, log: logger } = this;
        return createWorkspacePanel({ host, companion, facts, turns, platform, logger, version });
      },
      clock: this.platform.clock,
      logger: this.log,
    });
  }

  initialize(): void {
    process.env[nativeEditionVariable] = nativeEdition;
    process.once("exit", () => {
      this.workspaces.removeRecordsSync();
      this.storage.loaded?.releaseSync();
    });
    // Nothing of the application waits for it.
    void this.workspaces.resume();
    void this.repairHooks();
  }

  /** Theia waits for this, and for no longer than five seconds; then it ends all processes below this one. */
  async onStop(): Promise<void> {
    await this.workspaces.stop();
  }

  /** A window has connected. */
  connect(client: PatchbayWindow): WindowService {
    const hooks = new LoadOnce(async () => await this.loadHooks());
    const readSettings = async (folder: string | undefined): Promise<readonly AgentSettings[]> =>
      await readAgentSettings(this.platform, folder);
    return new WindowService(client, this.workspaces, this.log, readSettings, hooks);
  }

  protected async loadHooks(): Promise<AgentHooks> {
    const { AgentHooks } = await import("./agent-hooks.ts");
    const runtime = { program: process.execPath, isElectron: process.versions["electron"] !== undefined };
    return new AgentHooks({ platform: this.platform, runtime, program: hookProgram });
  }

  protected async repairHooks(): Promise<void> {
    try {
      await (await this.loadHooks()).repair((line) => this.log.warn(line));
    } catch (error) {
      this.log.warn(messageOf(error));
    }
  }

  /** A window has opened its panel. */
  connectPanel(client: PanelWindow, connected: ConnectedWindow): PanelService {
    const { workspaces, log: logger } = this;
    const readTexts = async (): Promise<PageTexts> => (await import("./panel/page-texts.ts")).pageTexts;
    return new PanelService({ client, connected, workspaces, readTexts, logger });
  }

  protected createCompanion(options: CompanionOptions): Companion {
    return createCompanion({ ...options, platform: this.platform });
  }

  /** Terminals are children of this process; older clients of Gemini look for its parent (contracts: PID of the record). */
  protected identify(): HostIdentity {
    // The name is the application's as soon as a window says it.
    return { name: "theia", displayName: "Theia", version, pids: [process.pid, process.ppid].filter((pid) => pid > 1) };
  }

  protected async openLeft(): Promise<LeftWorkspaces> {
    return new LeftWorkspaces(await this.configurationDirectory(), () => this.platform.clock.now(), this.log);
  }

  protected async configurationDirectory(): Promise<string> {
    return FileUri.fsPath(await this.environment.getConfigDirUri());
  }

  protected async openStorage(): Promise<WorkspaceStorage> {
    return new WorkspaceStorage(await this.configurationDirectory(), this.platform);
  }
}
