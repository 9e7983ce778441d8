import type { FileFacts, Platform, ProcessFacts } from "../platform/platform.ts";
import { errorCodeOf, messageOf, PatchbayError } from "../support/errors.ts";

/** A directory that only this user can look into or change, or the sentence that says why there is none and what to do. */
export type PrivateDirectory =
  /** `wasOpen`: until now others could write to it or to a level above: what is in it may be theirs. */
  | { readonly kind: "private"; readonly path: string; readonly wasOpen: boolean }
  | { readonly kind: "refused"; readonly path: string; readonly reason: string };

type Machine = Pick<Platform, "files" | "process">;

export interface PrivateDirectoryRequest {
  /** Where the system's own tree ends: the temporary directory, the home. It may itself be a link. */
  readonly root: string;
  /** Levels below it, each looked at without following a link. At least one. */
  readonly levels: readonly string[];
  /** `make`: missing levels are made 0700 and an own last level that is looser is tightened. `look`: nothing is changed. */
  readonly intent: "make" | "look";
  /** `follow`: links that the user made himself are followed (`followOwnLink`). Only for the user's home, where people keep dotfiles elsewhere. */
  readonly ownLinks?: "follow" | "refuse";
}

const directoryMode = 0o700;
const othersMayWrite = 0o022;
export const sticky = 0o1000;

/**
 * Walks from `root` down, so that a secret is only ever written where no other user can read, plant or swap anything
 * (statements E02–E04). Every level must be a real directory of this user that others cannot write to, or, in the home, a
 * link that the user made to one; the last one is 0700. A parent such as `~/.claude` may be readable by others: agents make it so, and a reader of it sees names only.
 */
export async function findPrivateDirectory(
  platform: Platform,
  request: PrivateDirectoryRequest,
): Promise<PrivateDirectory> {
  let path = request.root;
  let wasOpen = false;
  try {
    const rootReason = await checkRoot(platform, request);
    if (rootReason !== undefined) return { kind: "refused", path, reason: rootReason };
    for (const [index, name] of request.levels.entries()) {
      if (!isPlainName(name)) return { kind: "refused", path, reason: `"${name}" is not the name of a directory.` };
      const directory = path;
      path = joinPath(platform, directory, name);
      let facts = await platform.files.lstat(path);
      if (request.ownLinks === "follow" && facts?.kind === "link") {
        path = await followOwnLink(platform, directory, path);
        facts = await platform.files.lstat(path);
      }
      const isLast = index === request.levels.length - 1;
      const reason = await checkLevel(platform, path, facts, isLast, request.intent);
      if (reason !== undefined) return { kind: "refused", path, reason };
      wasOpen ||= facts !== undefined && (facts.mode & othersMayWrite) !== 0;
    }
    return { kind: "private", path, wasOpen };
  } catch (error) {
    // As in containers that run under an id of their own, for which the system knows no home.
    const advice =
      platform.process.homeDirectory === "/"
        ? "HOME is /: set it to a directory that you can write to."
        : adviceFor(error);
    return { kind: "refused", path, reason: `${path} cannot be used (${causeOf(error)}). ${advice}` };
  }
}

async function checkRoot(platform: Platform, request: PrivateDirectoryRequest): Promise<string | undefined> {
  const { files } = platform;
  const { root } = request;
  let real = await files.realPath(root);
  if (real === undefined && request.intent === "make") {
    // A configuration directory that the user named but no agent has made yet.
    await files.makeDirectory(root, directoryMode);
    real = await files.realPath(root);
  }
  const facts = real === undefined ? undefined : await files.lstat(real);
  if (facts === undefined) return `${root} does not exist. Make that directory.`;
  if (facts.kind !== "directory") return `${root} is not a directory. Replace it by a directory.`;
  if ((facts.mode & 0o002) !== 0 && (facts.mode & sticky) === 0) {
    return `every user may rename what is in ${root}. Run: chmod o-w ${root} (or chmod +t, for a shared temporary directory).`;
  }
  return undefined;
}

async function checkLevel(
  platform: Platform,
  path: string,
  found: FileFacts | undefined,
  isLast: boolean,
  intent: PrivateDirectoryRequest["intent"],
): Promise<string | undefined> {
  const { files } = platform;
  let facts = found;
  if (facts === undefined && intent === "make") {
    // What was not there a moment ago and is made by us is ours alone.
    if ((await files.makeDirectory(path, directoryMode)) === "created") return undefined;
    // Another user may have been faster.
    facts = await files.lstat(path);
  }
  if (facts === undefined) return `${path} does not exist.`;
  const reason = refusal(platform, path, facts);
  if (reason !== undefined) return reason;
  const wanted = isLast ? directoryMode : facts.mode & 0o777 & ~othersMayWrite;
  if ((facts.mode & 0o777) === wanted) return undefined;
  if (intent === "look") return (facts.mode & othersMayWrite) === 0 ? undefined : `others may write to ${path}.`;
  await files.chmod(path, wanted);
  // chmod follows links: only what is still the same own directory afterwards was meant.
  const after = await files.lstat(path);
  if (after?.kind === "directory" && (after.mode & 0o777) === wanted && isOwn(platform, after)) return undefined;
  return `the permissions of ${path} could not be narrowed. Run: chmod ${wanted.toString(8)} ${path}`;
}

const orElse = "or name another one in the variable that leads there (TMPDIR, XDG_STATE_HOME or the agent's own).";

function refusal(platform: Platform, path: string, facts: FileFacts): string | undefined {
  if (facts.kind === "link") {
    return `${path} is a symbolic link, which is not followed. Replace it by a real directory, ${orElse}`;
  }
  if (facts.kind !== "directory") return `${path} is not a directory. Remove it.`;
  if (!isOwn(platform, facts)) {
    return `${path} belongs to another user (uid ${facts.uid}). Have it removed, ${orElse}`;
  }
  return undefined;
}

/** Below the home, and nowhere else, the user's own links are followed: a temporary directory is where links are planted. */
export function ownLinksBelow(platform: Pick<Platform, "process">, root: string): "follow" | "refuse" {
  const { homeDirectory, temporaryDirectory } = platform.process;
  return root === homeDirectory && root !== temporaryDirectory ? "follow" : "refuse";
}

/** Whether this user owns an entry. Windows has no such number: its user profile is guarded by access lists. */
export function isOwn(platform: Pick<Platform, "process">, facts: FileFacts): boolean {
  return platform.process.uid === -1 || facts.uid === platform.process.uid;
}

/** What a user can do about a system error on a private file or directory: one sentence. */
export function adviceFor(error: unknown): string {
  // A sentence of ours about it says no more than its cause.
  if (error instanceof PatchbayError && error.cause !== undefined) return adviceFor(error.cause);
  switch (errorCodeOf(error)) {
    case "EACCES":
    case "EPERM":
      return "Give yourself write permission there.";
    case "EROFS":
      return "The file system is read-only: make it writable.";
    case "ENOSPC":
    case "EDQUOT":
      return "The disk is full: free some space.";
    case "EISDIR":
    case "ENOTEMPTY":
      return "A directory has that name: remove it.";
    default:
      return "Check that the path is right and its disk is connected.";
  }
}

/** The shortest name of a cause: a system error's own sentence repeats paths, among them temporary ones. */
export function causeOf(error: unknown): string {
  return errorCodeOf(error) ?? messageOf(error);
}

/** Puts one name below a directory. Names are checked by `isPlainName` first; nothing is normalised, so nothing can climb. */
export function joinPath(
  platform: { readonly process: Pick<ProcessFacts, "platform"> },
  directory: string,
  name: string,
): string {
  const separator = platform.process.platform === "win32" ? "\\" : "/";
  return directory.endsWith(separator) || directory.endsWith("/") ? directory + name : directory + separator + name;
}

/** Whether a text is the name of one entry in a directory, on every system: no separator, no climbing, no NUL, no drive or stream. */
export function isPlainName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is being refused
  return name.length > 0 && name.length <= 255 && name !== "." && name !== ".." && !/[/\\:\u0000-\u001f]/.test(name);
}

/** The directory above an absolute path and its own name; a root is its own parent. */
export function splitPath(
  platform: Pick<Platform, "process">,
  path: string,
): { readonly parent: string; readonly name: string } {
  const isWindows = platform.process.platform === "win32";
  const separators = isWindows ? /[\\/]+$/ : /\/+$/;
  const trimmed = path.replace(separators, "");
  const at = isWindows ? Math.max(trimmed.lastIndexOf("\\"), trimmed.lastIndexOf("/")) : trimmed.lastIndexOf("/");
  const name = trimmed.slice(at + 1);
  const above = trimmed.slice(0, at);
  // "/name" stands below "/", "C:\name" below "C:\".
  const parent = above === "" || /^[A-Za-z]:$/.test(above) ? trimmed.slice(0, at + 1) : above;
  return at < 0 || name === "" ? { parent: path, name } : { parent, name };
}

/**
 * Where a link in the home leads that the user made himself, as people do who keep dotfiles elsewhere. Any other link is
 * given back as it is, for the caller to refuse. The link and its target are the user's, and nobody else can put either there.
 */
export async function followOwnLink(platform: Machine, directory: string, link: string): Promise<string> {
  const { files, process } = platform;
  const isOwn = (facts: FileFacts | undefined): boolean => facts?.uid === process.uid;
  // Windows tells no owner: there, no link is known to be the user's own.
  if (process.uid === -1 || !isOwn(await files.lstat(link))) return link;
  const [place, target] = await Promise.all([files.realPath(directory), files.realPath(link)]);
  if (place === undefined || target === undefined || !(await isKeptFromOthers(platform, place))) return link;
  const facts = await files.lstat(target);
  if (facts?.kind !== "directory" || !isOwn(facts)) return link;
  return (await isKeptFromOthers(platform, splitPath(platform, target).parent, sticky)) ? target : link;
}

/** Whether nobody else can put, rename or remove an entry of this user in a directory: it is this user's or the system's, and no one else's to write. */
export async function isKeptFromOthers(platform: Machine, path: string, sufficientMode = 0): Promise<boolean> {
  const facts = await platform.files.lstat(path);
  if (facts?.kind !== "directory" || (facts.uid !== platform.process.uid && facts.uid !== 0)) return false;
  return (facts.mode & othersMayWrite) === 0 || (facts.mode & sufficientMode) !== 0;
}

const fileMode = 0o600;
const temporaryPrefix = ".patchbay-";
const temporaryPattern = /^\.patchbay-(\d{1,10})-[A-Za-z0-9_-]{16,}\.tmp$/;
/** A temporary file lives for milliseconds; one of a living process that is this old was left by another process of that id. */
const leftoverAgeMs = 60 * 60 * 1000;

/** One file about to be put in place: the name it has until then, and the name it will have. */
export interface PrivateFileNames {
  readonly temporary: string;
  readonly target: string;
}

/** Names for one atomic write. The temporary one matches no pattern by which an agent looks for records. */
export function privateFileNames(platform: Platform, directory: string, name: string): PrivateFileNames {
  const temporaryName = `${temporaryPrefix}${platform.process.pid}-${platform.random.token(16)}.tmp`;
  return {
    temporary: joinPath(platform, directory, temporaryName),
    target: joinPath(platform, directory, name),
  };
}

/**
 * Puts a file in place whole or not at all, 0600 from its first moment (statement E01). What has the name before is
 * replaced as a directory entry: a planted link is never followed. Throws the system's error, leaving nothing behind.
 */
export async function writePrivateFile(
  platform: Platform,
  names: PrivateFileNames,
  text: string | Iterable<string>,
): Promise<void> {
  const { files } = platform;
  await files.createExclusive(names.temporary, text, fileMode);
  try {
    await files.rename(names.temporary, names.target);
  } catch (error) {
    files.removeSync(names.temporary);
    throw error;
  }
}

/** Whether a name in a private directory is a temporary file that no running write will finish. */
export async function isLeftover(platform: Platform, directory: string, name: string): Promise<boolean> {
  const pid = temporaryPattern.exec(name)?.[1];
  if (pid === undefined) return false;
  if (!platform.process.isAlive(Number(pid))) return true;
  const facts = await platform.files.lstat(joinPath(platform, directory, name));
  return facts !== undefined && platform.clock.now() - facts.modifiedMs > leftoverAgeMs;
}
