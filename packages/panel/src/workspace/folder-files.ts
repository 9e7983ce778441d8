import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@patchbay/core";

/** Most files that are looked through. */
const mostFiles = 20_000;

/** How long a list of files is used, ms: a query is typed in less. */
const listMs = 10_000;

/** How long Git may take to say what it ignores, ms. */
const gitMs = 3_000;

/** Folders that nobody mentions files of, where no ignore file says so. */
const unwanted: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);

export interface FolderFilesOptions {
  readonly clock: Clock;
  /** Lists a folder as the editor shows it, absolute; else the disk is read. */
  readonly find?: (folder: string, most: number) => Promise<readonly string[]>;
  /** Whether to leave out what Git ignores. */
  readonly respectsIgnoreFiles: () => boolean;
  /** Git runs in trusted folders alone: their settings may name programs. */
  readonly isTrusted: () => boolean;
}

/** The files of a folder, without those that ignore files leave out. */
export class FolderFiles {
  readonly #options: FolderFilesOptions;
  #list: { readonly folder: string; readonly at: number; readonly paths: readonly string[] } | undefined;

  constructor(options: FolderFilesOptions) {
    this.#options = options;
  }

  /** Absolute paths. */
  async list(folder: string): Promise<readonly string[]> {
    const now = this.#options.clock.monotonic();
    if (this.#list?.folder === folder && now - this.#list.at < listMs) return this.#list.paths;
    const paths = await this.#read(folder);
    this.#list = { folder, at: now, paths };
    return paths;
  }

  async #read(folder: string): Promise<readonly string[]> {
    const { find, respectsIgnoreFiles, isTrusted } = this.#options;
    const kept = respectsIgnoreFiles() && isTrusted() ? notIgnored(folder) : Promise.resolve(undefined);
    if (find === undefined) return (await kept)?.slice(0, mostFiles) ?? (await walk(folder));
    const [found, named] = await Promise.all([find(folder, mostFiles), kept]);
    if (named === undefined) return found;
    const wanted = new Set(named);
    return found.filter((path) => wanted.has(path));
  }
}

/** The files that no ignore file names; undefined where the folder is not Git's. Git reads all of them rightly. */
async function notIgnored(folder: string): Promise<readonly string[] | undefined> {
  const args = ["-c", "core.fsmonitor=false", "ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  return await new Promise((resolve) => {
    execFile("git", args, { cwd: folder, timeout: gitMs, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      if (error !== null) resolve(undefined);
      else resolve(stdout.split("\0").flatMap((path) => (path === "" ? [] : [join(folder, path)])));
    });
  });
}

/** What is near the top first; what cannot be read is left out, and links are not followed. */
async function walk(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined && paths.length < mostFiles; next = folders.shift()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isFile()) paths.push(join(next, entry.name));
      else if (entry.isDirectory() && !unwanted.has(entry.name)) folders.push(join(next, entry.name));
    }
  }
  return paths.slice(0, mostFiles);
}
