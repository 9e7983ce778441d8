import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { claimFile, markerFor, type Platform } from "@patchbay/core";

/** A second backend on the same workspace and the same configuration gets a directory of its own, up to so many. */
const mostBackends = 8;

/**
 * The directories in which companions keep port, token and drafts: below Theia's configuration directory, one for each
 * set of roots. A directory belongs to one backend at a time; that of one that has ended is taken over, also where another
 * process has its number by now.
 */
export class WorkspaceStorage {
  readonly #base: string;
  readonly #platform: Platform;
  /** The text of each claim, by its file. */
  readonly #claims: Map<string, string> = new Map();

  constructor(configurationDirectory: string, platform: Platform) {
    this.#base = join(configurationDirectory, "patchbay");
    this.#platform = platform;
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
    for (const [file, text] of this.#claims) {
      try {
        if (readFileSync(file, "utf8") === text) rmSync(file, { force: true });
      } catch {
        // Gone already.
      }
    }
    this.#claims.clear();
  }

  async #take(file: string): Promise<boolean> {
    if (this.#claims.has(file)) return true;
    const text = await claimFile(this.#platform, file, await markerFor(this.#platform));
    if (text !== undefined) this.#claims.set(file, text);
    return text !== undefined;
  }
}
