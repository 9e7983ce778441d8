import { promises as fs } from "node:fs";
import { dirname, join } from "node:path";
import { errorCodeOf, type Platform } from "@patchbay/core";
import { type Repository, repositoryAt } from "../git/repository.ts";
import type { Slices } from "./slices.ts";

/** A folder with more files is not looked at: at a turn's begin what they hold would have to be copied. */
const mostFiles = 20_000;

/** Nor one in which so many names stand, folders included. */
const mostNames = 40_000;

/** Nobody waits longer for the names of a slow disk, ms. */
const patienceMs = 2_000;

/** A folder that has too many is left alone for so long, ms. */
const pauseMs = 60_000;

/** So many names of a folder are asked for at once. */
const namesAtOnce = 512;

/** Folders that programs fill; one that says so itself (https://bford.info/cachedir/) is another. */
const skipped: ReadonlySet<string> = new Set(["node_modules", "__pycache__", "venv"]);
const cacheMark = "CACHEDIR.TAG";

/** What stands in a folder. */
export interface Listing {
  /** Files and links; absolute. */
  readonly files: readonly string[];
  /** Repositories below it: what stands in them is git's to say. */
  readonly repositories: readonly Repository[];
  /** False: some folder could not be read, and there may be more. */
  readonly isWhole: boolean;
}

/**
 * Lists folders that are in no repository. Folders whose name begins with a dot, and those that programs fill, are left out: no ignore
 * file says what in them matters. No link is followed.
 */
export class PlainFolders {
  readonly #platform: Platform;
  /** When folders may be listed again that had too many files; by the steady clock. */
  readonly #pauses: Map<string, number> = new Map();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Undefined where there is too much, somebody may not look, or it is the user's home or a folder above it. Never rejects. */
  async list(folder: string, slices: Slices): Promise<Listing | undefined> {
    const { clock } = this.#platform;
    if (clock.monotonic() < (this.#pauses.get(folder) ?? 0) || (await this.#isHome(folder))) return undefined;
    const end = clock.monotonic() + patienceMs;
    const files: string[] = [];
    const repositories: Repository[] = [];
    const open = [folder];
    let [names, isWhole] = [0, true];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const found = await read(next, mostNames - names);
      if (found === "gone" && next !== folder) continue;
      if (found === undefined || found === "gone") {
        if (next === folder) return undefined;
        isWhole = false;
        continue;
      }
      names += found.names;
      if (next !== folder && found.hasGit) {
        const repository = await repositoryAt(this.#platform.files, next);
        if (repository !== undefined) {
          repositories.push(repository);
          continue;
        }
      }
      if (next === folder || !found.isCache) {
        open.push(...found.folders);
        files.push(...found.files);
      }
      if (names >= mostNames || files.length > mostFiles || clock.monotonic() > end) {
        this.#pauses.set(folder, clock.monotonic() + pauseMs);
        return undefined;
      }
      if (slices.isDue) await slices.pause();
    }
    return { files, repositories, isWhole };
  }

  async #isHome(folder: string): Promise<boolean> {
    const { files, process } = this.#platform;
    const home = (await files.realPath(process.homeDirectory).catch(() => undefined)) ?? process.homeDirectory;
    for (let at = home; ; at = dirname(at)) {
      if (at === folder) return true;
      if (at === dirname(at)) return false;
    }
  }
}

interface Names {
  readonly names: number;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly hasGit: boolean;
  readonly isCache: boolean;
}

/** What stands in one folder, up to so many names. Undefined where the system does not say, which does not mean that nothing does. */
async function read(folder: string, most: number): Promise<Names | "gone" | undefined> {
  const files: string[] = [];
  const folders: string[] = [];
  let [names, hasGit, isCache] = [0, false, false];
  try {
    // Closed by the loop.
    for await (const entry of await fs.opendir(folder, { bufferSize: namesAtOnce })) {
      names += 1;
      if (names > most) break;
      const { name } = entry;
      hasGit ||= name === ".git";
      isCache ||= name === cacheMark;
      if (entry.isDirectory()) {
        if (!name.startsWith(".") && !skipped.has(name)) folders.push(join(folder, name));
      } else if (entry.isFile() || entry.isSymbolicLink()) files.push(join(folder, name));
    }
  } catch (error) {
    return /^(?:ENOENT|ENOTDIR)$/u.test(errorCodeOf(error) ?? "") ? "gone" : undefined;
  }
  return { names, files, folders, hasGit, isCache };
}
