import type { RecordPlace } from "../agents/dialect.ts";
import type { OpenedText, Platform } from "../platform/platform.ts";
import { maximumRecordBytes } from "../storage/claim.ts";
import {
  followOwnLink,
  isKeptFromOthers,
  isOwn,
  isPlainName,
  joinPath,
  ownLinksBelow,
  sticky,
} from "../storage/private-directory.ts";

/** What is in such a directory anybody may take away and replace, unless it is sticky. */
const othersMayRename = 0o002;

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
 * stranger's file is refused by `readRecord` all the same; a file of this user's that a stranger has moved there is not. Unlike where
 * we write, a level may be open to the eyes of others, or the system's own; a link is followed only as there.
 */
export async function findRecordDirectory(
  platform: Machine,
  { root, directories }: Pick<RecordPlace, "root" | "directories">,
): Promise<string | undefined> {
  const { files } = platform;
  const mayFollow = ownLinksBelow(platform, root) === "follow";
  let path = await files.realPath(root);
  const facts = path === undefined ? undefined : await files.lstat(path);
  if (
    path === undefined ||
    facts?.kind !== "directory" ||
    (facts.mode & (othersMayRename | sticky)) === othersMayRename
  )
    return undefined;
  for (const name of directories) {
    const directory = path;
    path = joinPath(platform, directory, name);
    if (mayFollow && (await files.lstat(path))?.kind === "link") path = await followOwnLink(platform, directory, path);
    if (!isPlainName(name) || !(await isKeptFromOthers(platform, path, sticky))) return undefined;
  }
  return path;
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
