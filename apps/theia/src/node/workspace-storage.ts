import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { join } from "node:path";

/** A second backend on the same workspace and the same configuration gets a directory of its own, up to so many. */
const mostBackends = 8;

/**
 * The directories in which companions keep port, token and drafts: below Theia's configuration directory, one for each
 * set of roots. A directory belongs to one backend at a time.
 */
export class WorkspaceStorage {
  readonly #base: string;
  readonly #isAlive: (pid: number) => boolean;
  readonly #claims: Set<string> = new Set();

  constructor(configurationDirectory: string, isAlive: (pid: number) => boolean) {
    this.#base = join(configurationDirectory, "patchbay");
    this.#isAlive = isAlive;
  }

  /** Undefined where all are taken. */
  async claim(key: string): Promise<string | undefined> {
    const name = createHash("sha256").update(key).digest("hex").slice(0, 16);
    await mkdir(this.#base, { recursive: true, mode: 0o700 });
    for (let number = 1; number <= mostBackends; number++) {
      const directory = join(this.#base, number === 1 ? name : `${name}-${number}`);
      if (await this.#take(`${directory}.owner`)) return directory;
    }
    return undefined;
  }

  /** For the last synchronous moment of the backend: the directories stay, the claims go. */
  releaseSync(): void {
    for (const claim of this.#claims) rmSync(claim, { force: true });
    this.#claims.clear();
  }

  async #take(claim: string): Promise<boolean> {
    if (this.#claims.has(claim)) return true;
    const owner = Number(await readFile(claim, "utf8").catch(() => ""));
    if (owner > 0 && owner !== process.pid && this.#isAlive(owner)) return false;
    await rm(claim, { force: true });
    try {
      await writeFile(claim, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
    } catch {
      // Another backend was faster by a moment.
      return false;
    }
    this.#claims.add(claim);
    return true;
  }
}
