import { constants } from "node:fs";
import { open, opendir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Platform } from "@patchbay/core";
import { countOf, headerBytes, type IndexEntry, readIndex, type Wanted } from "../git/git-index.ts";
import { type GitReader, type Ignored, isBelow } from "../git/git-reader.ts";
import { joinIndexes, readSplitIndex } from "../git/split-index.ts";
import { type Head, headOf, type Repository, repositoryAbove, repositoryAt } from "../git/repository.ts";
import { type DiskState, diskStateOf, isSameState } from "./disk-state.ts";
import { PlainFolders } from "./plain-folders.ts";
import type { Slices } from "./slices.ts";

/** More repositories in one folder are not looked at. */
const mostRepositories = 64;

/** A directory with more entries is not read to its end for them. */
const mostEntries = 10_000;

/** More files are not looked at: what is known of each would fill the memory. */
export const mostFiles = 200_000;

/** Nor is a larger index read for those in one of its folders. */
const largestIndexBytes = 128 * 1024 * 1024;

/** Where git ignores more files by themselves, they are what a build leaves beside its sources, and are not looked at. */
const mostIgnored = 100;
const gitLink = 0o160000;
const directoryMode = 0o040000;
const typeBits = 0o170000;

/** A git work tree, the part of it that is in a folder of the workspace, or a folder that is in none. */
export interface WorkTree {
  /** Undefined where there is no repository. */
  readonly git: { readonly repository: Repository; readonly head: Head } | undefined;
  /** Where it is looked at: its top, or the folder in it. */
  readonly folder: string;
  readonly index: ReadIndex;
  /** Files that are neither tracked nor ignored; absolute. */
  readonly untracked: readonly string[];
  /** Files that git ignores by themselves; absolute. */
  readonly ignored: readonly string[];
  /** Whether a path, absolute, stands where one that git ignores would be among them. */
  readonly tellsIgnored: (path: string) => boolean;
  /** False: there may be more files. Git did not tell, there are too many, or something could not be read. */
  readonly isWhole: boolean;
}

/** Git's index of a work tree, without what is not in the folder. */
export interface ReadIndex {
  /** By absolute path. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
  readonly writtenMs: number;
  readonly isReadable: boolean;
  /** Work trees in it that are repositories of their own. */
  readonly submodules: readonly string[];
}

const unreadable: ReadIndex = { entries: new Map(), writtenMs: 0, isReadable: false, submodules: [] };
const empty: ReadIndex = { ...unreadable, isReadable: true };

/** Finds the work trees of a folder, and what git knows of the files in them. */
export class WorkTrees {
  readonly #platform: Platform;
  readonly #git: Pick<GitReader, "untracked" | "ignored">;
  readonly #plain: PlainFolders;
  /** The last index of each work tree: most looks find it as it was. */
  readonly #indexes: Map<string, { readonly state: DiskState; readonly index: ReadIndex }> = new Map();

  constructor(platform: Platform, git: Pick<GitReader, "untracked" | "ignored">) {
    this.#platform = platform;
    this.#git = git;
    this.#plain = new PlainFolders(platform);
  }

  /** Of the folder, and of the repositories below it. Never rejects. */
  async of(folder: string, slices: Slices): Promise<readonly WorkTree[]> {
    const { files } = this.#platform;
    const above = await repositoryAbove(this.#platform, folder);
    const listing = above === undefined ? await this.#plain.list(folder, slices) : undefined;
    const left: { repository: Repository; folder: string }[] =
      above === undefined
        ? (listing?.repositories.map((repository) => ({ repository, folder: repository.top })) ??
          (await this.#below(folder)))
        : [{ repository: above, folder }];
    const found: WorkTree[] = [];
    if (above === undefined) {
      const { files: untracked = [], isWhole = false } = listing ?? {};
      found.push({ git: undefined, folder, index: empty, untracked, ...nothingIgnored, isWhole });
    }
    const seen = new Set<string>();
    while (left.length > 0 && found.length < mostRepositories) {
      const next = left.shift();
      if (next === undefined || seen.has(next.folder)) continue;
      seen.add(next.folder);
      const [head, index, listed, ignored] = await Promise.all([
        headOf(files, next.repository),
        this.#indexOf(next.repository, next.folder, slices),
        this.#git.untracked(next.folder),
        this.#git.ignored(next.folder),
      ]);
      const untracked: string[] = [];
      const nested: string[] = [];
      for (const name of listed ?? []) {
        if (slices.isDueInMany) await slices.pause();
        if (name.endsWith("/")) nested.push(join(next.folder, name.slice(0, -1)));
        // Git tells no name that would have to be normalised.
        else untracked.push(sep === "/" ? withSlash(next.folder) + name : join(next.folder, name));
      }
      const git = { repository: next.repository, head };
      found.push({
        git,
        folder: next.folder,
        index,
        untracked,
        ...ignoredIn(next.folder, ignored),
        isWhole: index.isReadable && listed !== undefined,
      });
      for (const top of [...index.submodules, ...nested]) {
        const repository = await repositoryAt(files, top);
        if (repository !== undefined) left.push({ repository, folder: top });
      }
    }
    return found;
  }

  /** Repositories in a folder that is in none: one or two levels down. */
  async #below(folder: string): Promise<{ repository: Repository; folder: string }[]> {
    const found: { repository: Repository; folder: string }[] = [];
    let level = [folder];
    for (let depth = 0; depth < 2; depth += 1) {
      const next: string[] = [];
      for (const directory of level.slice(0, mostRepositories)) next.push(...(await directoriesIn(directory)));
      const tops = next.slice(0, mostRepositories);
      const repositories = await Promise.all(tops.map((top) => repositoryAt(this.#platform.files, top)));
      for (const repository of repositories) if (repository) found.push({ repository, folder: repository.top });
      level = tops.filter((_top, at) => repositories[at] === undefined);
    }
    return found;
  }

  async #indexOf(repository: Repository, folder: string, slices: Slices): Promise<ReadIndex> {
    const path = join(repository.gitDirectory, "index");
    const state = diskStateOf(path);
    // A repository without any commit has none.
    if (state === undefined) return empty;
    if (state === "unknown") return unreadable;
    const key = `${repository.gitDirectory}\0${folder}`;
    const known = this.#indexes.get(key);
    if (known !== undefined && isSameState(known.state, state)) return known.index;
    const { objectBytes, top } = repository;
    const isMuch = folder === top && ((await countAt(path, state)) ?? 0) > mostFiles;
    const bytes = isMuch
      ? undefined
      : await this.#platform.files.readReal(path, largestIndexBytes).catch(() => undefined);
    const directory = folder === top ? "" : `${relative(top, folder).replaceAll(sep, "/")}/`;
    const wanted = { directory, most: mostFiles };
    // How long names are stands in a configuration that may be longer than what is read of it.
    const entries =
      bytes === undefined
        ? undefined
        : ((await this.#entriesIn(bytes, repository, objectBytes, wanted, slices)) ??
          (await this.#entriesIn(bytes, repository, objectBytes === 20 ? 32 : 20, wanted, slices)));
    const index = entries === undefined ? unreadable : await inFolder(entries, repository.top, folder, state, slices);
    this.#indexes.set(key, { state, index });
    return index;
  }

  async #entriesIn(
    { buffer, byteOffset, byteLength }: Uint8Array<ArrayBufferLike>,
    { gitDirectory }: Repository,
    objectBytes: 20 | 32,
    wanted: Wanted,
    slices: Slices,
  ): Promise<readonly IndexEntry[] | undefined> {
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    const whole = await inSlices(readIndex(bytes, objectBytes, wanted), slices);
    const split =
      whole === undefined ? await inSlices(readSplitIndex(bytes, objectBytes, mostFiles), slices) : undefined;
    if (split === undefined) return whole;
    const path = join(gitDirectory, `sharedindex.${split.shared}`);
    const shared = await this.#platform.files.readReal(path, largestIndexBytes).catch(() => undefined);
    if (shared === undefined) return undefined;
    const others = Buffer.from(shared.buffer, shared.byteOffset, shared.byteLength);
    const entries = await inSlices(readIndex(others, objectBytes, { directory: "", most: mostFiles }), slices);
    return entries === undefined ? undefined : joinIndexes(entries, split, wanted);
  }
}

const nothingIgnored: Pick<WorkTree, "ignored" | "tellsIgnored"> = { ignored: [], tellsIgnored: () => false };

function ignoredIn(folder: string, found: Ignored | undefined): Pick<WorkTree, "ignored" | "tellsIgnored"> {
  if (found === undefined || found.files.length > mostIgnored) return nothingIgnored;
  return {
    ignored: found.files.map((name) => join(folder, name)),
    tellsIgnored: (path) => !isBelow(relative(folder, path).replaceAll(sep, "/"), found.folders),
  };
}

/** Whether the same is staged in both; what git saw of the disk does not count. */
export async function isSameStage(one: ReadIndex, other: ReadIndex, slices: Slices): Promise<boolean> {
  if (one === other || !one.isReadable || !other.isReadable) return true;
  if (one.entries.size !== other.entries.size) return false;
  for (const [path, { object, mode }] of one.entries) {
    if (slices.isDueInMany) await slices.pause();
    const now = other.entries.get(path);
    if (now?.object !== object || now.mode !== mode) return false;
  }
  return true;
}

function withSlash(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}

/** How many entries an index has, without all of it. */
async function countAt(path: string, { kind }: DiskState): Promise<number | undefined> {
  if (kind !== "file") return undefined;
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
      return countOf(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

async function inSlices<T>(steps: Generator<void, T>, slices: Slices): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slices.isDue) await slices.pause();
  }
}

async function inFolder(
  all: readonly IndexEntry[],
  top: string,
  folder: string,
  state: DiskState,
  slices: Slices,
): Promise<ReadIndex> {
  const entries = new Map<string, IndexEntry>();
  const submodules: string[] = [];
  const prefix = withSlash(folder);
  const root = top.endsWith(sep) ? top : `${top}${sep}`;
  for (const entry of all) {
    // Git keeps no name that would have to be normalised.
    const path = sep === "/" ? root + entry.path : join(top, entry.path);
    if (folder !== top && !path.startsWith(prefix)) continue;
    const type = entry.mode & typeBits;
    if (type === gitLink) submodules.push(path);
    else if (type !== directoryMode) entries.set(path, entry);
    if (slices.isDueInMany) await slices.pause();
  }
  return { entries, writtenMs: state.modifiedMs, isReadable: true, submodules };
}

async function directoriesIn(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    let looked = 0;
    // Closed by the loop.
    for await (const entry of await opendir(directory)) {
      looked += 1;
      if (looked > mostEntries || found.length >= mostRepositories) break;
      const isWanted = entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules";
      if (isWanted) found.push(join(directory, entry.name));
    }
  } catch {
    // Gone, or nobody may look.
  }
  return found;
}
