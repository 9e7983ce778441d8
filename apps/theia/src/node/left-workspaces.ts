import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, messageOf } from "@patchbay/core";
import * as z from "zod";

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

  /** Never rejects: without this note agents are held all the same, until a window comes or the keeper's time is over. */
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
      const own = join(this.#directory, `${name}.${process.pid}`);
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
