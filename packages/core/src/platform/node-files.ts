import {
  close as closeNode,
  constants,
  fstat,
  lstat as lstatNode,
  open as openNode,
  promises as fs,
  read,
  readlinkSync,
  realpath,
  rename,
  type Stats,
  unlink,
  unlinkSync,
  watch as watchNode,
  writeFile,
} from "node:fs";
import { dirname, normalize } from "node:path";
import process from "node:process";
import { type Disposable, toDisposable } from "../support/disposable.ts";
import { errorCodeOf } from "../support/errors.ts";
import type { FileFacts, Files, OpenedText } from "./platform.ts";

const isWindows = process.platform === "win32";
// Windows knows neither flag; links are looked at with lstat there.
const noFollow = constants.O_NOFOLLOW ?? 0;
const nonBlocking = constants.O_NONBLOCK ?? 0;

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const absent: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);
/** What open says of a link (ELOOP; FreeBSD EMLINK), a directory, a socket or a device without a driver. */
const notARegularFile: ReadonlySet<string | undefined> = new Set([...absent, "ELOOP", "EMLINK", "EISDIR", "ENXIO"]);

const notALink: ReadonlySet<string | undefined> = new Set([...absent, "EINVAL"]);

/** What differs between systems; tests put something else in. */
export interface FileMachine {
  /** Where the system shows as links which file each descriptor of this process has; undefined where it does not. */
  readonly descriptorLinks: string | undefined;
}

const thisMachine: FileMachine = { descriptorLinks: process.platform === "linux" ? "/proc/self/fd" : undefined };

/** O_NOFOLLOW_ANY of macOS (sys/fcntl.h), which Node.js does not name: no link at any level of the path. */
const noLinks = process.platform === "darwin" ? 0x2000_0000 : noFollow;

/** Node's file system behind the Files port. */
export function createNodeFiles(machine: FileMachine = thisMachine): Files {
  return {
    lstat,
    makeDirectory,
    chmod: (path, mode) => fs.chmod(path, mode),
    createExclusive,
    rename: (from, to) => whileInUse(() => called(rename, from, to)),
    remove: (path) => unlessAbsent(whileInUse(() => called<void>(unlink, path))),
    removeDirectory: (path) => unlessAbsent(fs.rmdir(path)),
    removeSync,
    readText: async (path, limitBytes) => (await readOpened(path, limitBytes))?.text,
    readOpened,
    replaceText,
    readReal: async (path, limitBytes, found) =>
      // To open a device may already do something to it.
      (found ?? (await lstat(path)))?.kind === "file" ? await readReal(path, limitBytes, machine) : undefined,
    startsWithByteOrderMark,
    list: async (path) => (await unlessAbsent(fs.readdir(path))) ?? [],
    realPath,
    readLink: (path) => unlessAbsent(fs.readlink(path), notALink),
    watch,
  };
}

function watch(directory: string, onChange: () => void): Disposable | undefined {
  try {
    const watcher = watchNode(directory, { persistent: false }, () => onChange());
    // Windows says so of a directory that is removed; there is nothing more to hear then.
    watcher.on("error", () => {
      watcher.close();
      onChange();
    });
    return toDisposable(() => watcher.close());
  } catch {
    // It is not there, or the system has no watches left.
    return undefined;
  }
}

/**
 * What is done for each proposal goes by Node's callbacks: its promises take twice the processor's time for the same trip to the thread
 * pool, which is much of what a review costs whose calls are far apart.
 */
function called<T>(work: (...args: never[]) => void, ...args: readonly unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    Reflect.apply(work, undefined, [
      ...args,
      (error: Error | null, value: T): void => (error === null ? resolve(value) : reject(error)),
    ]);
  });
}

function statsAt(path: string): Promise<Stats | undefined> {
  return unlessAbsent(called<Stats>(lstatNode, path));
}

async function lstat(path: string): Promise<FileFacts | undefined> {
  const stats = await statsAt(path);
  return stats && factsOf(stats);
}

function realPath(path: string): Promise<string | undefined> {
  return unlessAbsent(called<string>(realpath.native, path));
}

function factsOf(stats: Stats): FileFacts {
  const kind = kindOf(stats);
  return {
    kind,
    uid: stats.uid,
    mode: modeOf(stats, kind),
    size: stats.size,
    modifiedMs: stats.mtimeMs,
    changedMs: stats.ctimeMs,
    id: `${stats.dev} ${stats.ino}`,
  };
}

function kindOf(stats: Stats): FileFacts["kind"] {
  if (stats.isSymbolicLink()) return "link";
  if (stats.isDirectory()) return "directory";
  return stats.isFile() ? "file" : "other";
}

function modeOf(stats: Stats, kind: FileFacts["kind"]): number {
  // Windows guards the user's profile with access lists, which Node does not show: its mode bits mean nothing there.
  if (isWindows) return kind === "directory" ? 0o700 : 0o600;
  return stats.mode & 0o7777;
}

async function makeDirectory(path: string, mode: number): Promise<"created" | "exists"> {
  try {
    await fs.mkdir(path, { mode });
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return "exists";
    throw error;
  }
  // The process's umask may have taken bits away; it never adds any, so nobody got in meanwhile.
  const made = await lstat(path);
  if (made !== undefined && (made.mode & 0o777) !== mode) await fs.chmod(path, mode);
  return "created";
}

async function createExclusive(path: string, data: string | Iterable<string>, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;
  const file = await called<number>(openNode, path, flags, mode);
  try {
    // One after the other, so that a large text is encoded bit by bit.
    for (const piece of typeof data === "string" ? [data] : data) {
      await called<void>(writeFile, file, piece);
    }
  } catch (error) {
    // A full disk: what was begun is ours alone and must not stay.
    removeSync(path);
    throw error;
  } finally {
    await called(closeNode, file);
  }
}

function removeSync(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The process is about to end: there is nobody left to tell, and the next start sweeps what stayed.
  }
}

type OpenFile = Awaited<ReturnType<typeof fs.open>>;

/** Without O_NONBLOCK a planted pipe would hold a read for ever. */
const readingFlags = constants.O_RDONLY | nonBlocking;

/** Undefined where there is none that is a regular file. */
async function withOpened<T>(
  path: string,
  flags: number,
  work: (file: number, stats: Stats) => Promise<T | undefined>,
): Promise<T | undefined> {
  const file = await unlessAbsent(called<number>(openNode, path, flags), notARegularFile);
  if (file === undefined) return undefined;
  try {
    const stats = await called<Stats>(fstat, file);
    return stats.isFile() ? await work(file, stats) : undefined;
  } finally {
    await called(closeNode, file);
  }
}

async function readOpened(path: string, limitBytes: number): Promise<OpenedText | undefined> {
  if (isWindows && (await lstat(path))?.kind !== "file") return undefined;
  return await withOpened(path, readingFlags | noFollow, async (file, stats) => {
    const bytes = await readAtMost(file, stats.size, limitBytes);
    const text = bytes === undefined ? undefined : decodeUtf8(bytes);
    return text === undefined ? undefined : { text, facts: factsOf(stats) };
  });
}

async function replaceText(path: string, heldText: string, text: string): Promise<"replaced" | "stale"> {
  if ((await lstat(path))?.kind !== "file") return "stale";
  const flags = constants.O_RDWR | noFollow | nonBlocking;
  const file = await unlessAbsent(fs.open(path, flags), notARegularFile);
  if (file === undefined) return "stale";
  try {
    const held = Buffer.from(heldText, "utf8");
    const stats = await file.stat();
    if (!stats.isFile() || stats.size !== held.length) return "stale";
    const found = await readAtMost(file.fd, held.length, held.length);
    if (found === undefined || !held.equals(found)) return "stale";
    try {
      await overwrite(file, Buffer.from(text, "utf8"));
    } catch (error) {
      // A full disk: what was there has its room still. Whoever hears of the failure finds the file as it was.
      await overwrite(file, held).catch(() => {});
      throw error;
    }
    return "replaced";
  } finally {
    await file.close();
  }
}

/** Cuts only after the write: a failure must not leave an empty file. */
async function overwrite(file: OpenFile, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += (await file.write(bytes, written, undefined, written)).bytesWritten;
  await file.truncate(bytes.length);
}

/** Only Windows minds what others have open. */
async function whileInUse<T>(work: () => Promise<T>): Promise<T> {
  return isWindows ? (await import("./node-in-use.ts")).whileInUse(work) : work();
}

/** How often a file that was replaced by another one just while it was opened is opened anew. */
const openings = 3;

async function readReal(path: string, limitBytes: number, machine: FileMachine): Promise<Uint8Array | undefined> {
  for (let opening = 1; opening <= openings; opening += 1) {
    // An older macOS does not know the flag: what was opened is looked at in any case.
    const flags = readingFlags | noLinks;
    const found = await withOpened(path, flags, async (file, stats) => {
      if (await isStillAt(path, file, stats, machine)) return await readAtMost(file, stats.size, limitBytes);
      return (await called<Stats>(fstat, file)).nlink > 0 ? undefined : false;
    });
    if (found !== false) return found;
  }
  return undefined;
}

/** Whether an open file is the one that `path` names with no link at any level. Asked after the opening: what was there before may have been another one. */
async function isStillAt(path: string, descriptor: number, opened: Stats, machine: FileMachine): Promise<boolean> {
  const told = pathOfDescriptor(descriptor, machine);
  if (told !== undefined) return told === path;
  const parent = normalize(dirname(path));
  if ((await realPath(parent)) !== parent) return false;
  const facts = await statsAt(path);
  return facts?.isFile() === true && facts.ino === opened.ino && facts.dev === opened.dev;
}

/** At once: the system answers this from its memory, however slow the disk of the file is. */
function pathOfDescriptor(descriptor: number, { descriptorLinks }: FileMachine): string | undefined {
  try {
    return descriptorLinks === undefined ? undefined : readlinkSync(`${descriptorLinks}/${descriptor}`);
  } catch (error) {
    if (absent.has(errorCodeOf(error))) return undefined;
    throw error;
  }
}

/** Asked of the user's own files, which may well be links. */
async function startsWithByteOrderMark(path: string): Promise<boolean> {
  const starts = withOpened(path, readingFlags, async (file) => {
    const bytes = Buffer.alloc(byteOrderMark.length);
    await called(read, file, bytes);
    return bytes.equals(byteOrderMark);
  });
  // The port promises false for a file that cannot be read.
  return (await starts.catch(() => false)) === true;
}

/** Reads to the end, however the file grows meanwhile, or gives up once it is over the limit. `expected`: its length, as far as it is known. */
async function readAtMost(file: number, expected: number, limitBytes: number): Promise<Uint8Array | undefined> {
  if (expected > limitBytes) return undefined;
  let buffer = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (;;) {
    const bytesRead = await called<number>(read, file, buffer.subarray(length));
    length += bytesRead;
    if (length > limitBytes) return undefined;
    // What would take more is there in full where it was to be so long: to hear so once more costs as much as the reading.
    if (bytesRead === 0 || (length === expected && length < buffer.length)) return buffer.subarray(0, length);
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, limitBytes + 1));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
  }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8 is one of the values the port promises, not a failure.
    return undefined;
  }
}

async function unlessAbsent<T>(
  work: Promise<T>,
  codes: ReadonlySet<string | undefined> = absent,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.has(errorCodeOf(error))) return undefined;
    throw error;
  }
}
