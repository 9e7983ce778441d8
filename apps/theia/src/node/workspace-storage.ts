import { createHash, randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { claimFile, type Logger, markerFor, messageOf, type Platform } from "@patchbay/core";
import * as z from "zod";

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

/** A workspace that agents waited for when their backend ended. */
export interface LeftWorkspace {
  readonly roots: readonly string[];
  /** Under which its storage was claimed: port, token and drafts are there. */
  readonly storageKey: string;
  /** What the application calls itself. */
  readonly application: string;
  readonly trusted?: boolean | undefined;
}

/** After so many milliseconds nobody holds the agents any more: going on without a window would be for nobody. */
const holdMs = 40_000;

const noteSchema = z.object({
  leftAt: z.number(),
  workspaces: z.array(
    z.object({
      roots: z.array(z.string()),
      storageKey: z.string(),
      application: z.string(),
      trusted: z.boolean().optional(),
    }),
  ),
});

/** The word that an ending backend leaves for the next one on the same configuration. */
export class LeftWorkspaces {
  readonly #directory: string;
  readonly #now: () => number;
  readonly #logger: Logger;

  constructor(configurationDirectory: string, now: () => number, logger: Logger) {
    this.#directory = join(configurationDirectory, "patchbay");
    this.#now = now;
    this.#logger = logger;
  }

  /** Never rejects: without this note agents are held all the same, until a window comes or the port holder's time is over. */
  async leave(workspaces: readonly LeftWorkspace[]): Promise<void> {
    if (workspaces.length === 0) return;
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ leftAt: this.#now(), workspaces });
      await writeFile(join(this.#directory, `left-${process.pid}.json`), text, { flag: "w", mode: 0o600 });
    } catch (error) {
      this.#logger.warn("the next backend is not told of the agents that wait", { cause: messageOf(error) });
    }
  }

  /** What earlier backends left a moment ago; the word is taken away. Never rejects. */
  async take(): Promise<readonly LeftWorkspace[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const left: LeftWorkspace[] = [];
    for (const name of names.filter((one) => /^left-\d+\.json$/.test(one))) {
      const own = join(this.#directory, `${name}.${randomUUID()}`);
      try {
        // Of two backends that start at once, one has it.
        await rename(join(this.#directory, name), own);
        const note = noteSchema.parse(JSON.parse(await readFile(own, "utf8")));
        if (Math.abs(this.#now() - note.leftAt) < holdMs) left.push(...note.workspaces);
      } catch (error) {
        this.#logger.warn("what an earlier backend left could not be read", { cause: messageOf(error) });
      }
      await rm(own, { force: true }).catch(() => {});
    }
    return left;
  }
}
