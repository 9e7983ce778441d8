import {
  type Companion,
  type CompanionOptions,
  createCompanion,
  createNodePlatform,
  type HostIdentity,
  LoadOnce,
  type Platform,
  readAgentSettings,
} from "@patchbay/core";
import { EnvVariablesServer } from "@theia/core/lib/common/env-variables";
import { FileUri } from "@theia/core/lib/common/file-uri";
import { ILogger } from "@theia/core/lib/common/logger";
import type { BackendApplicationContribution } from "@theia/core/lib/node/backend-application";
import { inject, injectable, named, postConstruct } from "@theia/core/shared/inversify";
import { version } from "../../package.json";
import type { PatchbayWindow } from "../common/protocol.ts";
import { LogFanOut } from "./log-fan-out.ts";
import { WindowService } from "./window-service.ts";
import { WorkspaceStorage } from "./workspace-storage.ts";
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

  protected readonly platform: Platform = createNodePlatform();
  protected log: LogFanOut;
  protected workspaces: Workspaces;
  protected readonly storage: LoadOnce<WorkspaceStorage> = new LoadOnce(() => this.openStorage());

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
  }

  /** Theia waits for this, and for no longer than five seconds. */
  async onStop(): Promise<void> {
    await this.workspaces.stop();
  }

  /** A window has connected. */
  connect(client: PatchbayWindow): WindowService {
    return new WindowService(client, this.workspaces, this.log, (folder) => readAgentSettings(this.platform, folder));
  }

  protected createCompanion(options: CompanionOptions): Companion {
    return createCompanion({ ...options, platform: this.platform });
  }

  /** Terminals are children of this process; older clients of Gemini look for its parent (contracts: PID of the record). */
  protected identify(): HostIdentity {
    return { name: "theia", displayName: "Theia", version, pids: [process.pid, process.ppid].filter((pid) => pid > 1) };
  }

  protected async openStorage(): Promise<WorkspaceStorage> {
    const directory = FileUri.fsPath(await this.environment.getConfigDirUri());
    return new WorkspaceStorage(directory, (pid) => this.platform.process.isAlive(pid));
  }
}
