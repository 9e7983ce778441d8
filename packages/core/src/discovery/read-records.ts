import type { RecordPlace } from "../agents/dialect.ts";
import type { OpenedText, Platform } from "../platform/platform.ts";
import { maximumRecordBytes } from "../storage/claim.ts";
import { findTrustedDirectory, isOwn, joinPath, ownLinksBelow } from "../storage/private-directory.ts";

type Machine = Pick<Platform, "files" | "process">;

/** A record as it was when it was opened. */
export interface RecordFile extends OpenedText {
  readonly path: string;
}

/**
 * The text of a record that this user has written, for everybody who reads records: the file is opened once, and asked for its
 * owner then, since what has its name may be swapped at any moment. Undefined where there is no regular file, it is somebody
 * else's, too large or no text. Never waits for a pipe.
 */
export async function readRecord(platform: Machine, path: string): Promise<RecordFile | undefined> {
  const opened = await platform.files.readOpened(path, maximumRecordBytes);
  return opened === undefined || !isOwn(platform, opened.facts) ? undefined : { path, ...opened };
}

/**
 * Where a place's records may be believed: undefined where somebody else can put, rename or swap anything on the way to them. A
 * stranger's file is refused by `readRecord` all the same; a file of this user's that a stranger has moved there is not.
 */
export async function findRecordDirectory(
  platform: Machine,
  { root, directories }: Pick<RecordPlace, "root" | "directories">,
): Promise<string | undefined> {
  return await findTrustedDirectory(platform, { root, levels: directories, ownLinks: ownLinksBelow(platform, root) });
}

/** Whether nobody but this user can have written into a record. */
export function isPrivateRecord({ facts }: RecordFile): boolean {
  return (facts.mode & 0o022) === 0;
}

/** The records of a place that are this user's beyond doubt: to whom they lead, anything may be told. Never rejects. */
export async function readTrustedRecords(platform: Machine, place: RecordPlace): Promise<readonly RecordFile[]> {
  const directory = await findRecordDirectory(platform, place).catch(() => undefined);
  if (directory === undefined) return [];
  const names = await platform.files.list(directory).catch((): readonly string[] => []);
  const read = await Promise.all(
    names
      .filter((name) => place.pattern.test(name))
      .map((name) => readRecord(platform, joinPath(platform, directory, name)).catch(() => undefined)),
  );
  return read.filter((record) => record !== undefined).filter(isPrivateRecord);
}
