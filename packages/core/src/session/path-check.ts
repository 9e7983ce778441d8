import type { FileFacts, Files, Platform } from "../platform/platform.ts";
import { hasOneSpelling } from "../platform/spelling.ts";
import { errorCodeOf, PatchbayError, pathRefused } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import type { Clock } from "../support/time.ts";

/** Longest path an agent may name, in UTF-16 units; more than any file system takes. */
export const maximumPathLength = 4_096;

export interface CheckedPath {
  /** The path with links resolved, as far as it exists; what `Files.readReal` takes. */
  readonly real: string;
  /** Whether the file, links resolved, lies in one of the workspace's folders. */
  readonly inside: boolean;
  readonly exists: boolean;
  /** Zero where it does not exist. */
  readonly size: number;
  /** When it was written last, Unix milliseconds; zero where it does not exist. */
  readonly modifiedMs: number;
  /** Undefined where it does not exist. */
  readonly facts?: FileFacts | undefined;
}

export interface PathCheckOptions {
  readonly files: Files;
  /** Workspace folders with links resolved. */
  readonly realFolders: () => Promise<readonly string[]>;
  /** Whether paths are those of Windows: drives, both slashes. */
  readonly isWindows: boolean;
  /** Where directories lead; asked of `files` where it is absent. */
  readonly directories?: Pick<RealDirectories, "real" | "hasOneSpelling">;
}

interface Place {
  /** With links resolved, as far as it exists. */
  readonly real: string;
  /** Undefined where it does not exist. */
  readonly facts: FileFacts | undefined;
}

/**
 * Checks a path an agent sent (D09, D10). Refused with a sentence: empty, relative, NUL, network (UNC) paths,
 * what is there but no regular file, and paths that climb out of the workspace with `..`. Anything else outside the
 * workspace is merely not `inside`: the user is asked. Links are resolved as the system does it, so a link in the
 * workspace that leads out of it is outside, also where `..` follows it.
 */
export async function checkPath(path: string, options: PathCheckOptions): Promise<CheckedPath> {
  const { isWindows } = options;
  refuseMalformed(path, isWindows);
  const folders = await options.realFolders();
  const { real, facts } = await locate(path, options);
  const inside = folders.some((folder) => isWithin(real, folder, isWindows));
  if (!inside && segmentsOf(path, isWindows).includes("..")) {
    throw pathRefused("The path leaves the workspace through `..`. Send the absolute path of a file in the workspace.");
  }
  if (facts !== undefined && facts.kind !== "file") throw pathRefused("The path is not a regular file.");
  const [size, modifiedMs] = [facts?.size ?? 0, facts?.modifiedMs ?? 0];
  return { real, inside, exists: facts !== undefined, size, modifiedMs, facts };
}

/** Whether `path` is `folder` or lies below it; both absolute and without links. */
export function isWithin(path: string, folder: string, isWindows: boolean): boolean {
  const one = comparable(path, isWindows);
  const base = comparable(folder, isWindows).replace(/\/+$/u, "");
  return one === base || one.startsWith(`${base}/`);
}

/** What the look at a path gives; a path that cannot be looked at is refused: nothing could be said about where it leads. */
export async function refuseUnreadable<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof PatchbayError) throw error;
    throw pathRefused(`The path cannot be looked at (${errorCodeOf(error) ?? "unknown error"}).`, error);
  }
}

function refuseMalformed(path: string, isWindows: boolean): void {
  if (path === "") throw pathRefused("The path is empty.");
  if (path.includes("\0")) throw pathRefused("The path contains a NUL character.");
  if (path.length > maximumPathLength) throw pathRefused("The path is too long.");
  if (path.startsWith("\\\\") || path.startsWith("//")) throw pathRefused("Network paths are not opened.");
  if (isWindows ? !/^[A-Za-z]:[\\/]/u.test(path) : !path.startsWith("/")) {
    throw pathRefused("The path is relative. Send the absolute path of the file.");
  }
  // Windows drops dots and spaces at the end of a name, and reads a colon as a stream of the file: what is checked must be what is opened.
  if (isWindows && segmentsOf(path, isWindows).slice(1).some(isAmbiguous)) {
    throw pathRefused("The path contains a name that Windows resolves to another one.");
  }
}

function isAmbiguous(segment: string): boolean {
  return segment.includes(":") || (/[. ]$/u.test(segment) && segment !== "." && segment !== "..");
}

async function locate(path: string, { files, isWindows, directories }: PathCheckOptions): Promise<Place> {
  return await refuseUnreadable(async () => {
    const near = directories === undefined ? undefined : await locateNear(path, files, isWindows, directories);
    if (near !== undefined) return near;
    const real = await files.realPath(path);
    return real === undefined
      ? { real: await locateMissing(path, files, isWindows), facts: undefined }
      : { real, facts: await files.lstat(real) };
  });
}

/** A file, or none yet, in a directory that exists: the ordinary case, with one look at the disk. Undefined where it is another one. */
async function locateNear(
  path: string,
  files: Files,
  isWindows: boolean,
  directories: Pick<RealDirectories, "real" | "hasOneSpelling">,
): Promise<Place | undefined> {
  const segments = segmentsOf(path, isWindows);
  const name = segments.at(-1) ?? "";
  if (name === "" || segments.length < 2 || segments.includes("..") || segments.includes(".")) return undefined;
  const directory = await directories.real(rooted(segments.slice(0, -1)));
  if (directory === undefined) return undefined;
  const real = `${withoutEnd(directory, isWindows)}/${name}`;
  const facts = await files.lstat(real);
  if (facts?.kind === "file") {
    return { real: directories.hasOneSpelling ? real : ((await files.realPath(real)) ?? real), facts };
  }
  // What has a file in it is a directory; with none in it, it may be something else.
  return facts === undefined && (await files.lstat(directory))?.kind === "directory" ? { real, facts } : undefined;
}

/** The real path of the deepest directory that exists, with what does not exist yet below it. */
async function locateMissing(path: string, files: Files, isWindows: boolean): Promise<string> {
  const segments = segmentsOf(path, isWindows);
  for (let count = segments.length - 1; count > 0; count -= 1) {
    // Asked for as it was sent: only the system knows what `..` means behind a link.
    const real = await files.realPath(rooted(segments.slice(0, count)));
    if (real === undefined) continue;
    const missing = namesOf(segments.slice(count));
    const [next] = missing;
    if (next === undefined || (await files.lstat(real))?.kind !== "directory") {
      throw pathRefused("The path is not that of a file.");
    }
    if (next !== ".." && (await files.lstat(`${withoutEnd(real, isWindows)}/${next}`))?.kind === "link") {
      throw pathRefused("The path leads through a link that leads nowhere.");
    }
    return below(real, missing, isWindows);
  }
  return below(rooted(segments.slice(0, 1)), namesOf(segments.slice(1)), isWindows);
}

/** Appends names of what does not exist, and thus has no links, to a real path. */
function below(real: string, names: readonly string[], isWindows: boolean): string {
  const parts = segmentsOf(withoutEnd(real, isWindows), isWindows);
  for (const name of names) {
    if (name !== "..") parts.push(name);
    else if (parts.length > 1) parts.pop();
  }
  return rooted(parts);
}

/** The first is the root: empty, or a drive. A backslash is a letter like any other on systems that are not Windows. */
function segmentsOf(path: string, isWindows: boolean): string[] {
  return (isWindows ? path.replaceAll("\\", "/") : path).split("/");
}

function namesOf(segments: readonly string[]): readonly string[] {
  return segments.filter((segment) => segment !== "" && segment !== ".");
}

function rooted(segments: readonly string[]): string {
  return segments.length === 1 ? `${segments[0] ?? ""}/` : segments.join("/");
}

function withoutEnd(path: string, isWindows: boolean): string {
  return path.replace(isWindows ? /[\\/]$/u : /\/$/u, "");
}

function comparable(path: string, isWindows: boolean): string {
  if (!isWindows) return path;
  const slashed = path.replaceAll("\\", "/");
  // Drive letters come in either case.
  return slashed.charAt(0).toUpperCase() + slashed.slice(1);
}

/**
 * How long a directory is taken to be where it was, ms. Long enough for a burst of proposals, and far too short to matter:
 * what was checked can change at any time before the user decides, so a check says how things are, not how they stay.
 */
const standsMs = 50;
const maximumKept = 64;

/** Where directories lead with all links resolved, asked once per burst. */
export class RealDirectories {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #kept: Map<string, { readonly real: LoadOnce<string | undefined>; readonly at: number }> = new Map();

  /** See `hasOneSpelling`. */
  readonly hasOneSpelling: boolean;

  constructor({ files, clock, process }: Pick<Platform, "files" | "clock" | "process">) {
    this.#files = files;
    this.#clock = clock;
    this.hasOneSpelling = hasOneSpelling({ process });
  }

  /** Undefined where there is nothing of that name; what is there need not be a directory. */
  real(directory: string): Promise<string | undefined> {
    const now = this.#clock.monotonic();
    const kept = this.#kept.get(directory);
    if (kept !== undefined && now - kept.at < standsMs) return kept.real.get();
    if (this.#kept.size >= maximumKept) this.#kept.clear();
    const entry = { real: new LoadOnce(() => this.#files.realPath(directory)), at: now };
    this.#kept.set(directory, entry);
    return entry.real.get();
  }
}
