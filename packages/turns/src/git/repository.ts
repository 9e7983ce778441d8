import type { Files, Platform } from "@patchbay/core";
import { isAbsolute, join, resolve } from "node:path";

/** A work tree and where git keeps what belongs to it. All paths with their links resolved. */
export interface Repository {
  /** The top of the work tree. */
  readonly top: string;
  /** Its own directory: for a worktree or a submodule not the one in the work tree. */
  readonly gitDirectory: string;
  /** Where objects and branches are. */
  readonly commonDirectory: string;
  /** Of object names. */
  readonly objectBytes: 20 | 32;
}

/** What is checked out. */
export interface Head {
  /** Name of the commit; undefined in a repository without any, and where it cannot be told. */
  readonly commit: string | undefined;
  /** Length of the log of it, in bytes. */
  readonly logBytes: number;
  /** Name of the newest commit that was put aside; undefined: there is none. */
  readonly stash: string | undefined;
}

const smallBytes = 64 * 1024;
const largestPackedRefs = 16 * 1024 * 1024;
const largestLog = 64 * 1024 * 1024;

/** Nobody commits more than this says in one turn, bytes. */
const longestNewLog = 1024 * 1024;

/** The repository that a directory is the top of; undefined where it is none. */
export async function repositoryAt(files: Files, top: string): Promise<Repository | undefined> {
  const dotGit = join(top, ".git");
  const facts = await files.lstat(dotGit).catch(() => undefined);
  if (facts === undefined || facts.kind === "other") return undefined;
  const named = facts.kind === "file" ? await namedIn(files, dotGit, top) : dotGit;
  const gitDirectory = named === undefined ? undefined : await files.realPath(named).catch(() => undefined);
  if (gitDirectory === undefined || (await textOf(files, join(gitDirectory, "HEAD"))) === undefined) return undefined;
  const common = (await textOf(files, join(gitDirectory, "commondir")))?.trim();
  const commonDirectory =
    common === undefined || common === "" ? gitDirectory : await files.realPath(resolve(gitDirectory, common));
  if (commonDirectory === undefined) return undefined;
  const config = (await textOf(files, join(commonDirectory, "config"))) ?? "";
  const isLong = /^\s*objectformat\s*=\s*sha256\s*$/imu.test(config);
  return { top, gitDirectory, commonDirectory, objectBytes: isLong ? 32 : 20 };
}

/** The repository in which a folder stands. */
export async function repositoryAbove(
  { files }: Pick<Platform, "files">,
  folder: string,
): Promise<Repository | undefined> {
  for (let at = folder; ; ) {
    const found = await repositoryAt(files, at);
    if (found !== undefined) return found;
    const above = resolve(at, "..");
    if (above === at) return undefined;
    at = above;
  }
}

/** Worktrees and submodules have a file that names the directory. */
async function namedIn(files: Files, dotGit: string, top: string): Promise<string | undefined> {
  const named = /^gitdir: (?<path>.+?)\r?\n?$/su.exec((await textOf(files, dotGit)) ?? "")?.groups?.["path"];
  if (named === undefined) return undefined;
  return isAbsolute(named) ? named : resolve(top, named);
}

/** What is checked out now. Never rejects. */
export async function headOf(files: Files, repository: Repository): Promise<Head> {
  const { gitDirectory, commonDirectory } = repository;
  const log = await files.lstat(join(gitDirectory, "logs", "HEAD")).catch(() => undefined);
  const head = (await textOf(files, join(gitDirectory, "HEAD")))?.trim();
  const branch = head?.startsWith("ref: ") === true ? head.slice(5).trim() : undefined;
  const commit = branch === undefined ? head : await commitOf(files, gitDirectory, commonDirectory, branch);
  const stash = await commitOf(files, gitDirectory, commonDirectory, "refs/stash");
  return { commit, logBytes: log?.kind === "file" ? log.size : 0, stash };
}

/** Where references stand in tables, which we do not read, the list of the tables tells that one has changed. */
const elsewhere = "refs/heads/.invalid";

async function commitOf(
  files: Files,
  gitDirectory: string,
  commonDirectory: string,
  branch: string,
): Promise<string | undefined> {
  if (branch === elsewhere) return await textOf(files, join(gitDirectory, "reftable", "tables.list"));
  if (!/^refs\/[^\0]+$/u.test(branch) || branch.split("/").includes("..")) return undefined;
  const loose = (await textOf(files, join(commonDirectory, ...branch.split("/"))))?.trim();
  if (loose !== undefined && loose !== "") return loose;
  const packed = await textOf(files, join(commonDirectory, "packed-refs"), largestPackedRefs);
  return packed
    ?.split("\n")
    .find((line) => line.endsWith(` ${branch}`))
    ?.split(" ")[0];
}

/**
 * Whether what happened to the checked out commit since were commits alone: then the work tree is what it was, and what changed in it was
 * changed by somebody. Anything else (checkout, pull, rebase, reset) writes files itself. Without a log: false.
 */
export async function onlyCommitted(files: Files, repository: Repository, since: Head): Promise<boolean> {
  const messages = await loggedSince(files, repository, since);
  return messages?.every(({ text }) => /^commit(?: \([a-z -]+\))?: /u.test(text)) ?? false;
}

/** What git itself did since, by its own words: `commit`, `checkout`, `rebase`, `stash` and the like; `HEAD` where it keeps no log. */
export async function actsSince(
  files: Files,
  repository: Repository,
  since: Head,
  now: Head,
): Promise<readonly string[]> {
  const isLogged = now.logBytes > since.logBytes;
  const messages = isLogged ? ((await loggedSince(files, repository, since)) ?? []) : [];
  const acts = messages.flatMap(({ text, isElsewhere }) => {
    const act = /^(?:commit|checkout|rebase|reset|merge|pull|cherry-pick|revert|am)\b/u.exec(text)?.[0];
    // To put something aside, git resets to where it is.
    return act === undefined || (act === "reset" && !isElsewhere) ? [] : [act];
  });
  if (acts.length === 0 && now.commit !== since.commit) acts.push("HEAD");
  if (now.stash !== since.stash) acts.push("stash");
  return [...new Set(acts)];
}

/** New lines of the log of what is checked out; undefined where there is none, or far too many. */
async function loggedSince(
  files: Files,
  repository: Repository,
  since: Head,
): Promise<readonly { readonly text: string; readonly isElsewhere: boolean }[] | undefined> {
  const path = join(repository.gitDirectory, "logs", "HEAD");
  const log = await files.readReal(path, largestLog).catch(() => undefined);
  if (log === undefined || log.byteLength <= since.logBytes) return undefined;
  if (log.byteLength - since.logBytes > longestNewLog) return undefined;
  const lines = Buffer.from(log.subarray(since.logBytes)).toString("utf8").trim().split("\n");
  return lines.map((line) => {
    const [from, to] = line.split(" ", 2);
    return { text: line.slice(line.indexOf("\t") + 1), isElsewhere: from !== to };
  });
}

async function textOf(files: Files, path: string, limit: number = smallBytes): Promise<string | undefined> {
  return await files.readText(path, limit).catch(() => undefined);
}
