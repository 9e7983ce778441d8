import type { Platform } from "../platform/platform.ts";
import { joinPath } from "./private-directory.ts";

const privateMode = 0o600;
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
  await files.createExclusive(names.temporary, text, privateMode);
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
