import type { RecordPlace } from "../agents/dialect.ts";
import type { Platform } from "../platform/platform.ts";
import { readRecord, type RecordFile } from "../storage/claim.ts";
import {
  followOwnLink,
  isOthersShutOut,
  isPlainName,
  joinPath,
  mayBeRenamedByAll,
  ownLinksBelow,
} from "../storage/private-directory.ts";

type Machine = Pick<Platform, "files" | "process">;

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
  const above = path === undefined ? undefined : await files.lstat(path);
  if (path === undefined || above?.kind !== "directory" || mayBeRenamedByAll(above)) return undefined;
  for (const name of directories) {
    if (!isPlainName(name)) return undefined;
    const directory = path;
    path = joinPath(platform, directory, name);
    let facts = await files.lstat(path);
    if (mayFollow && facts?.kind === "link") {
      path = await followOwnLink(platform, directory, path);
      facts = await files.lstat(path);
    }
    if (facts === undefined || !isOthersShutOut(platform, facts)) return undefined;
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
