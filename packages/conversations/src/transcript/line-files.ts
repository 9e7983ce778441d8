import { randomBytes } from "node:crypto";
import { constants, promises as fs } from "node:fs";
import { whileInUse } from "@patchbay/core";

/** PORT to files that are made of lines and grow at their end. Failures are thrown system errors with their `code`. */
export interface LineFiles {
  /** Bytes; undefined where there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** The bytes from `start` to before `end`, fewer where the file ends earlier. */
  read(path: string, start: number, end: number): Promise<Uint8Array>;
  /** Adds a text at the end; makes the file, 0600, where there is none. Links are not followed. */
  append(path: string, text: string): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
  /** Puts another file in its place, whole or not at all, 0600. Returns its size. */
  replace(path: string, pieces: AsyncIterable<string>): Promise<number>;
  /** Removes a directory with what is in it; a missing one is fine. */
  removeDirectory(path: string): Promise<void>;
}

const privateMode = 0o600;
// Windows knows no such flag; its profile is guarded by access lists.
const noFollow = constants.O_NOFOLLOW ?? 0;

/** Files of this machine. */
export const nodeLineFiles: LineFiles = { size, read, append, truncate, replace, removeDirectory };

async function size(path: string): Promise<number | undefined> {
  try {
    const facts = await fs.lstat(path);
    return facts.isFile() ? facts.size : undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

async function read(path: string, start: number, end: number): Promise<Uint8Array> {
  const file = await fs.open(path, constants.O_RDONLY | noFollow);
  try {
    const bytes = Buffer.alloc(Math.max(0, end - start));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, start + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

async function append(path: string, text: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | noFollow;
  const file = await fs.open(path, flags, privateMode);
  try {
    await file.writeFile(text, "utf8");
  } finally {
    await file.close();
  }
}

async function truncate(path: string, length: number): Promise<void> {
  const file = await fs.open(path, constants.O_WRONLY | noFollow);
  try {
    await file.truncate(length);
  } finally {
    await file.close();
  }
}

async function replace(path: string, pieces: AsyncIterable<string>): Promise<number> {
  const temporary = `${path}.${randomBytes(9).toString("hex")}.tmp`;
  const file = await fs.open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, privateMode);
  try {
    try {
      for await (const piece of pieces) await file.writeFile(piece, "utf8");
    } finally {
      await file.close();
    }
    await whileInUse(() => fs.rename(temporary, path));
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  return (await size(path)) ?? 0;
}

async function removeDirectory(path: string): Promise<void> {
  await fs.rm(path, { recursive: true, force: true });
}

function isAbsence(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "ENOENT";
}

/** So much is read at once, bytes. */
const pieceBytes = 256 * 1024;
/** Longer lines are passed over. */
const maximumLineBytes = 32 * 1024 * 1024;
const lineFeed = 0x0a;

/** The lines of a file from its beginning, without their line feeds; what is torn off at the end is left out. */
export async function* readLines(files: LineFiles, path: string, signal?: AbortSignal): AsyncGenerator<string, void> {
  const size = (await files.size(path)) ?? 0;
  let rest: Buffer = Buffer.alloc(0);
  for (let start = 0; start < size; start += pieceBytes) {
    if (signal?.aborted === true) return;
    const piece = Buffer.from(await files.read(path, start, Math.min(size, start + pieceBytes)));
    // A line that is too long loses its beginning, and is no line of ours any more.
    const bytes = Buffer.concat([rest.length > maximumLineBytes ? Buffer.alloc(0) : rest, piece]);
    let from = 0;
    for (let feed = bytes.indexOf(lineFeed); feed >= 0; feed = bytes.indexOf(lineFeed, from)) {
      yield bytes.toString("utf8", from, feed);
      from = feed + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
  }
}
