import { posix, win32 } from "node:path";
import type { FollowedPath, PathWords } from "../agents/hook.ts";
import type { Files } from "../platform/platform.ts";
import { PatchbayError, pathRefused } from "../support/errors.ts";
import { type CheckedPath, checkPath, isWithin, maximumPathLength, refuseUnreadable } from "./path-check.ts";

/** Links in one path that are followed; Linux stops there, too. */
const mostLinks = 40;

export function wordsOf({ isWindows }: { readonly isWindows: boolean }): PathWords {
  return isWindows ? win32 : posix;
}

/** Longer ones no system takes, UTF-16 units; decoded they are shorter. */
export const longestNamedPath = 12_288;

/** Bytes in one name; so many file systems take. */
const longestName = 255;

/** Below these every process finds something else. */
const ofProcess = /^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/u;

export type FollowingFiles = Pick<Files, "lstat" | "readLink">;

/**
 * Where a path of a POSIX system leads, as the system walks it: link by link, `..` from where a link has led. What does not exist yet is
 * taken for directories that are made on the way, and a link that leads nowhere for its target. Throws where no file can be named so,
 * or where it depends on the process that asks (`/proc/self/cwd`). `links`: as Node.js' `realpathSync` takes them, where `..` in one stands
 * for the name before it.
 */
export async function followPath(
  path: string,
  files: FollowingFiles,
  links: "as-system" | "by-name" = "as-system",
): Promise<FollowedPath> {
  const left = path.split("/").toReversed();
  const found: string[] = [];
  /** So many of `found` exist; undefined: all. */
  let existing: number | undefined;
  let followed = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      found.pop();
      if (existing !== undefined && found.length <= existing) existing = undefined;
      continue;
    }
    if (Buffer.byteLength(name) > longestName) throw pathRefused("The path holds a name that is too long.");
    if (existing !== undefined) {
      found.push(name);
      continue;
    }
    const entry = `/${[...found, name].join("/")}`;
    if (ofProcess.test(entry)) {
      throw pathRefused("The path leads through /proc, where every process finds something else.");
    }
    const facts = await files.lstat(entry);
    if (facts?.kind === "link") {
      followed += 1;
      const read = followed > mostLinks ? undefined : await files.readLink(entry);
      if (read === undefined) throw pathRefused("The path leads through links that cannot be followed.");
      const target = links === "by-name" ? posix.resolve(posix.dirname(entry), read) : read;
      if (target.startsWith("/")) found.length = 0;
      left.push(...target.split("/").toReversed());
      continue;
    }
    // Also where only a slash follows.
    if (facts !== undefined && facts.kind !== "directory" && left.length > 0) {
      throw pathRefused("The path goes on behind a file.");
    }
    if (facts === undefined) existing = found.length;
    found.push(name);
  }
  const real = `/${found.join("/")}`;
  if (existing !== undefined && /(?:^|\/)\.{0,2}$/u.test(path)) throw pathRefused("The path is that of a directory.");
  const facts = existing === undefined ? await files.lstat(real) : undefined;
  return { real, facts, existing: `/${found.slice(0, existing).join("/")}` };
}

export interface WriteTargetOptions {
  readonly files: Files;
  /** Workspace folders with links resolved. */
  readonly realFolders: () => Promise<readonly string[]>;
  readonly isWindows: boolean;
}

/**
 * Which file is written by whoever opens this path: unlike `checkPath` it takes every form that the system takes, since an agent does not
 * ask whether it may. A folder that has a second name (by mounting, or another case) is the same folder. Throws, with a sentence, where it
 * cannot be told, or where it is no regular file of the workspace: then nothing can be said for what would be written.
 */
export async function locateWrite(path: string, options: WriteTargetOptions): Promise<CheckedPath> {
  const { files, isWindows } = options;
  // Windows takes `..` out of a name before it looks at anything.
  if (isWindows) return await checkPath(win32.normalize(path), options);
  if (path === "" || path.includes("\0") || !path.startsWith("/")) {
    throw pathRefused("The path is empty, relative, or contains a NUL character.");
  }
  const followed = await refuseUnreadable(() => followPath(path, files));
  const { facts } = followed;
  const folders = await options.realFolders();
  const real = await refuseUnreadable(async () => await inFolders(followed, folders, files));
  const inside = folders.some((folder) => isWithin(real, folder, isWindows));
  if (Buffer.byteLength(real) > maximumPathLength) throw pathRefused("The path is too long.");
  if (inside && facts !== undefined && facts.kind !== "file") throw pathRefused("The path is not a regular file.");
  return {
    real,
    inside,
    exists: facts !== undefined,
    size: facts?.size ?? 0,
    modifiedMs: facts?.modifiedMs ?? 0,
    facts,
  };
}

/** The path as it is in one of the folders, if one of its directories is such a folder by another name. */
async function inFolders(
  { real: followed, existing }: FollowedPath,
  folders: readonly string[],
  files: Files,
): Promise<string> {
  // As the system writes it: names come in any case on some.
  const written = (await files.realPath(existing)) ?? existing;
  const real = existing === "/" ? followed : written + followed.slice(existing.length);
  if (folders.some((folder) => isWithin(real, folder, false))) return real;
  const ids = await Promise.all(folders.map(async (folder) => (await files.lstat(folder))?.id));
  for (let end = written.length; end > 0; end = written.lastIndexOf("/", end - 1)) {
    const above = written.slice(0, end);
    const facts = await files.lstat(above);
    const folder = facts?.kind === "directory" ? folders[ids.indexOf(facts.id)] : undefined;
    if (folder !== undefined) return `${folder.replace(/\/$/u, "")}${real.slice(end)}`;
  }
  return real;
}

/** Whether what was thrown says that no file can be told from a path. */
export function isPathRefusal(error: unknown): error is PatchbayError {
  return error instanceof PatchbayError && error.code === "path-refused";
}
