import { holds, realPlace } from "../agents/choice.ts";
import type { Dialect, RecordPlace } from "../agents/dialect.ts";
import type { Platform } from "../platform/platform.ts";
import { joinPath } from "../storage/private-directory.ts";
import type { Clock } from "../support/time.ts";
import { isEnded, maximumRecordBytes, parseMarker } from "../storage/run-marker.ts";

/** What a hook needs of the machine. */
export type HookPlatform = Pick<Platform, "files" | "process"> & { readonly clock: Pick<Clock, "monotonic"> };

/** A companion that serves a folder, as its record says. */
export interface FoundCompanion {
  readonly port: number;
  readonly token: string;
}

interface Candidate extends FoundCompanion {
  readonly folders: readonly string[];
  readonly modifiedMs: number;
}

/**
 * The companions of this user that serve a folder to an agent, by the records that the agent itself would read: first the one that this
 * terminal names, then the one with the nearest folder, then the newest. Reads no more than it needs, and never rejects.
 */
export async function findCompanions(
  platform: HookPlatform,
  dialect: Pick<Dialect, "places" | "portVariable">,
  folder: string,
): Promise<readonly FoundCompanion[]> {
  const places = dialect.places(platform.process).filter(({ isRead }) => isRead);
  const found = (await Promise.all(places.map((place) => readPlace(platform, place)))).flat();
  if (found.length === 0) return [];
  const here = await realPlace(platform, folder);
  const named = Number(platform.process.environment(dialect.portVariable));
  const ranked = await Promise.all(
    found.map(async (candidate) => {
      const roots = await Promise.all(candidate.folders.map((root) => realPlace(platform, root)));
      const nearest = Math.max(-1, ...roots.filter((root) => holds(root, here)).map((root) => root.length));
      return { candidate, nearest, isNamed: Number(candidate.port === named) };
    }),
  );
  const serving = ranked
    .filter(({ nearest }) => nearest >= 0)
    .sort((a, b) => b.isNamed - a.isNamed || b.nearest - a.nearest || b.candidate.modifiedMs - a.candidate.modifiedMs)
    .map(({ candidate }) => candidate);
  // One companion may have left several records.
  return serving.filter((one, index) => serving.findIndex(({ port }) => port === one.port) === index);
}

async function readPlace(
  platform: HookPlatform,
  { root, directories, pattern }: RecordPlace,
): Promise<readonly Candidate[]> {
  const directory = directories.reduce((path, name) => joinPath(platform, path, name), root);
  const names = await platform.files.list(directory).catch((): readonly string[] => []);
  const matching = names.filter((name) => pattern.test(name));
  const read = await Promise.all(
    matching.map((name) => readCandidate(platform, joinPath(platform, directory, name)).catch(() => undefined)),
  );
  return read.filter((candidate) => candidate !== undefined);
}

/** Only what this user wrote, for a run of Patchbay that has not ended: what is sent may be anything of the folder's files. */
async function readCandidate(platform: HookPlatform, path: string): Promise<Candidate | undefined> {
  const { files, process } = platform;
  const facts = await files.lstat(path);
  if (facts?.kind !== "file" || (process.uid !== -1 && facts.uid !== process.uid)) return undefined;
  const text = await files.readText(path, maximumRecordBytes);
  const marker = text === undefined ? undefined : parseMarker(text);
  if (text === undefined || marker === undefined || (await isEnded(platform, marker))) return undefined;
  const record: unknown = JSON.parse(text);
  if (typeof record !== "object" || record === null) return undefined;
  const named = Number(/(\d+)\.lock$/u.exec(path)?.[1]);
  const port = "port" in record ? Number(record.port) : named;
  const token = "authToken" in record ? record.authToken : undefined;
  if (!Number.isInteger(port) || port < 1 || port > 65_535 || typeof token !== "string" || token === "")
    return undefined;
  return { port, token, folders: foldersOf(record, process.platform === "win32"), modifiedMs: facts.modifiedMs };
}

/** As the records say them (docs/protocols): a list, or one text, whose parts Gemini CLI decodes as URIs where they hold the delimiter. */
function foldersOf(record: object, isWindows: boolean): readonly string[] {
  if ("workspaceFolders" in record && Array.isArray(record.workspaceFolders)) return texts(record.workspaceFolders);
  if (!("workspacePath" in record) || typeof record.workspacePath !== "string") return [];
  const { workspacePath } = record;
  if (workspacePath.startsWith("[")) {
    const listed: unknown = JSON.parse(workspacePath);
    if (Array.isArray(listed)) return texts(listed);
  }
  const delimiter = isWindows ? ";" : ":";
  const parts = workspacePath.split(delimiter).filter((folder) => folder !== "");
  return parts.map((folder) => folder.replaceAll(encodeURIComponent(delimiter), delimiter));
}

function texts(list: readonly unknown[]): readonly string[] {
  return list.filter((value) => typeof value === "string");
}
