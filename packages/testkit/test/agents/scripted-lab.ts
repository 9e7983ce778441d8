import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentDriver } from "../../src/index.ts";
import {
  listenScriptedCompanion,
  type ScriptedCompanion,
  type ScriptedCompanionOptions,
} from "./scripted-companion.ts";

/** A throwaway home, temporary directory and workspace, with a scripted companion and an agent. */
export class ScriptedLab {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-quirks-")));
  readonly where: { readonly cwd: string; readonly home: string; readonly temporaryDirectory: string };
  #companion: ScriptedCompanion | undefined;
  #agent: AgentDriver | undefined;

  constructor() {
    const { root } = this;
    this.where = { cwd: join(root, "workspace"), home: join(root, "home"), temporaryDirectory: join(root, "tmp") };
    for (const directory of Object.values(this.where)) mkdirSync(directory);
  }

  async listen(options: Partial<ScriptedCompanionOptions> = {}): Promise<ScriptedCompanion> {
    const { home, temporaryDirectory: tmp, cwd: workspace } = this.where;
    this.#companion = await listenScriptedCompanion({ home, tmp, workspace, ...options });
    return this.#companion;
  }

  /** Connects an agent through a record that the companion writes for it. */
  async connect(driver: AgentDriver): Promise<AgentDriver> {
    this.#companion?.record(driver.dialect, {});
    return await this.start(driver);
  }

  /** Connects an agent through the records that are there. */
  async start(driver: AgentDriver): Promise<AgentDriver> {
    this.#agent = driver;
    await driver.connect();
    return driver;
  }

  async closeCompanion(): Promise<void> {
    const companion = this.#companion;
    this.#companion = undefined;
    await companion?.close();
  }

  async dispose(): Promise<void> {
    await this.#agent?.end();
    await this.closeCompanion();
    rmSync(this.root, { recursive: true, force: true });
  }
}
