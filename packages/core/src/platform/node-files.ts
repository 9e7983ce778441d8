import nodeFs, { constants, promises as fs, readlinkSync, type Stats, unlinkSync, watch as watchNode } from "node:fs";
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
const notARegularFile: ReadonlySet<string | undefined> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "EMLINK",
  "EISDIR",
  "ENXIO",
]);

const notALink: ReadonlySet<string | undefined> = new Set([...absent, "EINVAL"]);

/** What differs between systems; tests put something else in. */
export interface FileMachine {
  /** Where the system shows as links which file each descriptor of this process has; undefined where it does not. */
  readonly descriptorLinks: string | undefined;
}

const thisMachine: FileMachine = { descriptorLinks: process.platform === "linux" ? "/proc/self/fd" : undefined };

/** Node's file system behind the Files port. */
export function createNodeFiles(machine: FileMachine = thisMachine): Files {
  return {
    lstat,
    makeDirectory,
    chmod: (path, mode) => fs.chmod(path, mode),
    createExclusive,
    rename: (from, to) => called((done) => nodeFs.rename(from, to, done)),
    remove: (path) =>
      unlessAbsent(
        called<void>((done) => nodeFs.unlink(path, done)),
        undefined,
      ),
    removeDirectory: async (path) => {
      await unlessAbsent(fs.rmdir(path), undefined);
    },
    removeSync,
    readText: async (path, limitBytes) => (await readOpened(path, limitBytes))?.text,
    readOpened,
    replaceText,
    readReal: async (path, limitBytes, found) =>
      // To open a device may already do something to it.
      (found ?? (await lstat(path)))?.kind === "file" ? await readReal(path, limitBytes, machine) : undefined,
    startsWithByteOrderMark,
    list: (path) => unlessAbsent(fs.readdir(path), []),
    realPath,
    readLink: (path) => unlessAbsent<string | undefined>(fs.readlink(path), undefined, notALink),
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

type Done<T> = (error: Error | null, value: T) => void;

/**
 * What is done for each proposal goes by Node's callbacks: its promises take twice the processor's time for the same trip to the thread
 * pool, which is most of what a review costs whose calls are far apart.
 */
function called<T>(work: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    work((error, value) => {
      if (error === null) resolve(value);
      else reject(error);
    });
  });
}

function lstatNode(path: string): Promise<Stats | undefined> {
  return unlessAbsent<Stats | undefined>(
    called<Stats>((done) => nodeFs.lstat(path, done)),
    undefined,
  );
}

async function lstat(path: string): Promise<FileFacts | undefined> {
  const stats = await lstatNode(path);
  return stats === undefined ? undefined : factsOf(stats);
}

function realPath(path: string): Promise<string | undefined> {
  return unlessAbsent<string | undefined>(
    called<string>((done) => nodeFs.realpath.native(path, done)),
    undefined,
  );
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
  const file = await called<number>((done) => nodeFs.open(path, flags, mode, done));
  try {
    // One after the other, so that a large text is encoded bit by bit.
    for (const piece of typeof data === "string" ? [data] : data) {
      await called<void>((done) => nodeFs.writeFile(file, piece, done));
    }
  } catch (error) {
    // A full disk: what was begun is ours alone and must not stay.
    removeSync(path);
    throw error;
  } finally {
    await close(file);
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

function close(file: number): Promise<void> {
  return called((done) => nodeFs.close(file, done));
}

function statOpened(file: number): Promise<Stats> {
  return called((done) => nodeFs.fstat(file, done));
}

/** Undefined where there is none that could be a regular file. Without O_NONBLOCK a planted pipe would hold a read for ever. */
function openToRead(path: string): Promise<number | undefined> {
  return unlessAbsent<number | undefined>(
    called<number>((done) => nodeFs.open(path, constants.O_RDONLY | noFollow | nonBlocking, done)),
    undefined,
    notARegularFile,
  );
}

async function readOpened(path: string, limitBytes: number): Promise<OpenedText | undefined> {
  if (isWindows && (await lstat(path))?.kind !== "file") return undefined;
  const file = await openToRead(path);
  if (file === undefined) return undefined;
  try {
    const stats = await statOpened(file);
    if (!stats.isFile() || stats.size > limitBytes) return undefined;
    const bytes = await readAtMost(file, stats.size, limitBytes);
    const text = bytes === undefined ? undefined : decodeUtf8(bytes);
    return text === undefined ? undefined : { text, facts: factsOf(stats) };
  } finally {
    await close(file);
  }
}

async function replaceText(path: string, heldText: string, text: string): Promise<"replaced" | "stale"> {
  if ((await lstat(path))?.kind !== "file") return "stale";
  const flags = constants.O_RDWR | noFollow | nonBlocking;
  const file = await unlessAbsent<OpenFile | undefined>(fs.open(path, flags), undefined, notARegularFile);
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

/** How often a file that was replaced by another one just while it was opened is opened anew. */
const openings = 3;

async function readReal(path: string, limitBytes: number, machine: FileMachine): Promise<Uint8Array | undefined> {
  for (let opening = 1; opening <= openings; opening += 1) {
    const file = await openToRead(path);
    if (file === undefined) return undefined;
    try {
      const stats = await statOpened(file);
      if (!stats.isFile() || stats.size > limitBytes) return undefined;
      if (await isStillAt(path, file, stats, machine)) return await readAtMost(file, stats.size, limitBytes);
      if ((await statOpened(file)).nlink > 0) return undefined;
    } finally {
      await close(file);
    }
  }
  return undefined;
}

/** Whether an open file is the one that `path` names with no link at any level. Asked after the opening: what was there before may have been another one. */
async function isStillAt(path: string, descriptor: number, opened: Stats, machine: FileMachine): Promise<boolean> {
  const told = pathOfDescriptor(descriptor, machine);
  if (told !== undefined) return told === path;
  const parent = normalize(dirname(path));
  if ((await realPath(parent)) !== parent) return false;
  const facts = await lstatNode(path);
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
  try {
    const file = await fs.open(path, constants.O_RDONLY | nonBlocking);
    try {
      if (!(await file.stat()).isFile()) return false;
      const bytes = Buffer.alloc(byteOrderMark.length);
      await file.read(bytes, 0, bytes.length, 0);
      return bytes.equals(byteOrderMark);
    } finally {
      await file.close();
    }
  } catch {
    // The port promises false for a file that cannot be read.
    return false;
  }
}

/** Reads to the end, however the file grows meanwhile, or gives up once it is over the limit. `expected`: its length, as far as it is known. */
async function readAtMost(file: number, expected: number, limitBytes: number): Promise<Uint8Array | undefined> {
  let buffer = Buffer.allocUnsafe(Math.min(expected, limitBytes) + 1);
  let length = 0;
  for (;;) {
    const into = buffer.subarray(length);
    const bytesRead = await called<number>((done) => nodeFs.read(file, into, 0, into.length, null, done));
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
  otherwise: T,
  codes: ReadonlySet<string | undefined> = absent,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (codes.has(errorCodeOf(error))) return otherwise;
    throw error;
  }
}
