import { constants, promises as fs } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { errorCodeOf, type FileFacts, type Files, whileInUse } from "@patchbay/core";
import type { WholeFile } from "../model.ts";

const noFollow = constants.O_NOFOLLOW ?? 0;
const permissionBits = 0o7777;

/**
 * Puts a file or a link in the place of what was `held`, unless that has changed. A file that is there is written in place, so that its
 * owner and its hard links stay; anything else is made beside it and takes its place at once. The folder of `path` has no links.
 */
export async function restoreWhole(
  files: Files,
  path: string,
  held: FileFacts | undefined,
  wanted: WholeFile,
): Promise<"written" | "stale"> {
  const now = await files.lstat(path);
  if (!isSameEntry(now, held)) return "stale";
  if (now?.kind === "directory" || now?.kind === "other") return "stale";
  if (wanted.kind === "link") return await put(path, now, (at) => fs.symlink(wanted.target, at));
  const { bytes, mode } = wanted;
  if (bytes !== undefined && now?.kind !== "file") {
    return await put(path, now, async (at) => {
      await fs.writeFile(at, bytes, { flag: "wx", mode: mode ?? 0o644 });
      if (mode !== undefined) await fs.chmod(at, mode & permissionBits);
    });
  }
  if (now?.kind !== "file") return "stale";
  const file = await fs.open(path, (bytes === undefined ? constants.O_RDONLY : constants.O_RDWR) | noFollow);
  try {
    const { mtimeMs, size } = await file.stat();
    if (size !== now.size || mtimeMs !== now.modifiedMs) return "stale";
    if (bytes !== undefined) await overwrite(file, bytes);
    if (mode !== undefined) await file.chmod(mode & permissionBits);
    return "written";
  } finally {
    await file.close();
  }
}

function isSameEntry(one: FileFacts | undefined, other: FileFacts | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.id === other.id && one.kind === other.kind && one.size === other.size && one.changedMs === other.changedMs;
}

async function put(
  path: string,
  now: FileFacts | undefined,
  make: (at: string) => Promise<void>,
): Promise<"written" | "stale"> {
  if (now === undefined) {
    try {
      await make(path);
      return "written";
    } catch (error) {
      if (errorCodeOf(error) === "EEXIST") return "stale";
      throw error;
    }
  }
  const beside = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    await make(beside);
    await whileInUse(() => fs.rename(beside, path));
    return "written";
  } catch (error) {
    await fs.rm(beside, { force: true });
    throw error;
  }
}

/** Whoever hears of a failure, as with a full disk, finds the file as it was. */
async function overwrite(file: fs.FileHandle, bytes: Uint8Array): Promise<void> {
  const { size } = await file.stat();
  const old = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(old, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  try {
    await writeAll(file, bytes);
  } catch (error) {
    await writeAll(file, old).catch(() => {});
    throw error;
  }
}

async function writeAll(file: fs.FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
  await file.truncate(bytes.length);
}
