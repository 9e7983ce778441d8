import { cp, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { ensureInstalled } from "../../prerequisites/cache.ts";
import { theiaWithPlugins } from "../../prerequisites/theia.ts";
import type { Lab } from "../../support/lab.ts";
import { theiaDirectory } from "./server.ts";
import { TheiaDriver } from "./theia.ts";

/** A Theia that runs VS Code's extensions as plugins: another application than the plain one, and slower to start. */
export class TheiaWithPlugins extends TheiaDriver {
  readonly #plugins: readonly string[];

  /** `plugins`: packaged extensions, or their folders. */
  constructor(tarball: string, plugins: readonly string[]) {
    super(tarball, theiaWithPlugins);
    this.#plugins = plugins;
  }

  override async start(lab: Lab): Promise<void> {
    await ensureInstalled(theiaWithPlugins, (line) => console.log(line));
    // Where the backend unpacks and starts what the user has installed.
    const installed = join(theiaDirectory(lab), "plugins");
    await mkdir(installed, { recursive: true });
    for (const plugin of this.#plugins) await cp(plugin, join(installed, basename(plugin)), { recursive: true });
    await super.start(lab);
  }

  async countErrors(): Promise<number> {
    const [errors = 0] = await this.#counts();
    return errors;
  }

  async countProblems(): Promise<number> {
    return (await this.#counts()).reduce((sum, count) => sum + count, 0);
  }

  /** Errors, warnings and so on, as the status bar says; the plain Theia has nothing that would find any. */
  async #counts(): Promise<readonly number[]> {
    const status = this.workbench.page.locator('#theia-statusBar [id="status-bar-problem-marker-status"]');
    return (await status.innerText())
      .trim()
      .split(/\s+/)
      .map(Number)
      .filter((count) => !Number.isNaN(count));
  }
}
