import * as z from "zod";
import { type AgentId, agents } from "../agents/catalogue.ts";
import type { ReadRecord } from "../agents/choice.ts";
import { withVariables } from "../agents/settings.ts";
import type { Surroundings } from "../agents/surroundings.ts";
import { findRecordDirectory, isPrivateRecord, readRecord, type RecordFile } from "../discovery/read-records.ts";
import type { FileFacts, Platform } from "../platform/platform.ts";
import { joinPath, splitPath } from "../storage/private-directory.ts";
import { isEnded, processPlace } from "../storage/claim.ts";
import { errorCodeOf } from "../support/errors.ts";

/** See `RecordMarker`. */
export interface CompanionProcess {
  readonly pid: number;
  readonly start?: string | undefined;
  readonly place?: string | undefined;
}

/** What one record tells an agent. */
export interface EditorRecord extends ReadRecord {
  readonly agent: AgentId;
  readonly editorName: string;
  /** Short machine name of the editor, where the record has one. */
  readonly editorId: string | undefined;
  /** What the agent shows to be let in. Never printed. */
  readonly token: string | undefined;
  /** Whether both names of `ideInfo` are there (`RecordDemands.editorNames`). */
  readonly hasEditorInfo: boolean;
  /** What Claude Code would connect by; undefined where the record does not say. */
  readonly transport: string | undefined;
  /** Process of the companion, where it is Patchbay's record, and what tells it from a later one with its number. */
  readonly companion: CompanionProcess | undefined;
  /** Whether nobody but this user can have put it there (`readTrustedRecords`): nothing of a folder's is told by another one. */
  readonly isTrusted: boolean;
}

/** Whether a companion is known to have ended. Of one in another container that is not known here, whatever has its number. */
export async function hasCompanionEnded(platform: Platform, companion: CompanionProcess | undefined): Promise<boolean> {
  if (companion === undefined || (await isElsewhere(platform, companion))) return false;
  const { pid, start } = companion;
  return await isEnded(platform, { pid, ...(start === undefined ? {} : { start }) });
}

/** Whether a companion runs among other processes than ours, as those of another container are. */
export async function isElsewhere(platform: Platform, { place }: CompanionProcess): Promise<boolean> {
  return place !== undefined && place !== (await platform.files.readLink(processPlace).catch(() => undefined));
}

/** A directory in which an agent looks for editors. */
export interface AgentPlace {
  readonly agent: AgentId;
  readonly directory: string;
  /** See `RecordPlace.pattern`. */
  readonly pattern: RegExp;
  /** As in `RecordPlace`. */
  readonly root: string;
  readonly directories: readonly string[];
  /** Whether it is below the temporary directory. */
  readonly isTemporary: boolean;
}

/** Where agents look that are started in these surroundings (docs/protocols), each directory once for an agent. */
export function agentPlaces(platform: Platform, surroundings: Surroundings): readonly AgentPlace[] {
  return agents.flatMap(({ id, places }) => {
    const found = new Map<string, AgentPlace>();
    for (const { root, directories, pattern, isRead } of places(surroundings)) {
      const directory = directories.reduce((path, name) => joinPath(platform, path, name), root);
      if (isRead)
        found.set(directory, {
          agent: id,
          directory,
          pattern,
          root,
          directories,
          isTemporary: root === surroundings.temporaryDirectory,
        });
    }
    return Array.from(found.values());
  });
}

/** Where agents look that are started here, with what their own files say about that. */
export function placesOf(
  platform: Platform,
  settings: readonly { readonly agent: AgentId; readonly variables?: Readonly<Record<string, string>> }[],
): readonly AgentPlace[] {
  return settings.flatMap(({ agent, variables }) =>
    agentPlaces(platform, withVariables(platform, variables).process).filter((place) => place.agent === agent),
  );
}

const port = z.union([z.number().int(), z.string().regex(/^\d+$/u).transform(Number)]);

const jsonRecord = z.object({
  port: port.optional(),
  workspacePath: z.string().optional(),
  workspaceFolders: z.array(z.string()).optional(),
  authToken: z.string().optional(),
  pid: z.number().optional(),
  ppid: z.number().optional(),
  ideName: z.string().optional(),
  ideInfo: z.object({ name: z.string().optional(), displayName: z.string().optional() }).optional(),
  transport: z.string().optional(),
  patchbay: z.object({ pid: z.number(), start: z.string().optional(), place: z.string().optional() }).optional(),
});

/** Reads a record's text; undefined where it is not one. */
function parseEditorRecord(
  platform: Platform,
  place: AgentPlace,
  file: RecordFile,
  isTrusted: boolean,
): EditorRecord | undefined {
  const { path, text, facts } = file;
  const record = jsonRecord.safeParse(parseJson(text)).data;
  if (record === undefined) return undefined;
  const { name: fileName } = splitPath(platform, path);
  const named = place.pattern.exec(fileName)?.groups ?? {};
  const recordPort = record.port ?? Number(named["port"]);
  if (!(recordPort >= 1 && recordPort <= 65_535)) return undefined;
  const { name, displayName } = record.ideInfo ?? {};
  return {
    agent: place.agent,
    path,
    port: recordPort,
    folders: record.workspaceFolders ?? splitFolders(platform, record.workspacePath ?? ""),
    pid: named["pid"] === undefined ? (record.pid ?? record.ppid) : Number(named["pid"]),
    editorName: displayName ?? record.ideName ?? "an editor",
    editorId: name,
    token: record.authToken === "" ? undefined : record.authToken,
    hasEditorInfo: name !== undefined && displayName !== undefined,
    transport: record.transport,
    modifiedMs: facts.modifiedMs,
    companion: record.patchbay,
    isTrusted,
  };
}

/**
 * The folders in a record that joins them to one text. A folder with the delimiter in its name stands encoded in Gemini
 * CLI's records, and makes Qwen Code's a list as JSON (docs/protocols).
 */
export function splitFolders({ process }: Platform, workspacePath: string): readonly string[] {
  const delimiter = process.platform === "win32" ? ";" : ":";
  const listed = z.array(z.string()).safeParse(workspacePath.startsWith("[") ? parseJson(workspacePath) : undefined);
  if (listed.success) return listed.data;
  const encoded = encodeURIComponent(delimiter);
  return workspacePath
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => folder.replaceAll(encoded, delimiter));
}

/** Undefined where the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A place where an agent looks, and what is there. */
export interface FoundPlace {
  readonly place: AgentPlace;
  /** Of what the path leads to; undefined: there is nothing. */
  readonly facts: FileFacts | undefined;
  /** Whether the path, or a directory on its way, is a link. */
  readonly isLinked: boolean;
  /** Whether the system lets nobody of this user look. */
  readonly isClosed: boolean;
  readonly files: readonly FoundFile[];
}

export interface FoundFile {
  readonly name: string;
  readonly path: string;
  readonly facts: FileFacts;
  /** Undefined where its text is no record, or it is not this user's. */
  readonly record: EditorRecord | undefined;
}

/** Everything that agents would find, in the order of the places; those that are `known` are not read again. Changes nothing. */
export async function readPlaces(
  platform: Platform,
  places: readonly AgentPlace[],
  known: readonly FoundPlace[] = [],
): Promise<readonly FoundPlace[]> {
  const read = places.map(async (place) => {
    const one = known.find(({ place: { agent, directory } }) => agent === place.agent && directory === place.directory);
    return one ?? (await readPlace(platform, place));
  });
  return await Promise.all(read);
}

async function readPlace(platform: Platform, place: AgentPlace): Promise<FoundPlace> {
  const { files } = platform;
  const { directory } = place;
  const nothing = { place, facts: undefined, isLinked: false, isClosed: false, files: [] };
  try {
    const entry = await files.lstat(directory);
    if (entry === undefined) return nothing;
    const real = await files.realPath(directory);
    const facts = real === undefined || real === directory ? entry : await files.lstat(real);
    if (facts?.kind !== "directory") return { ...nothing, facts: facts ?? entry };
    const names = (await files.list(directory)).filter((name) => place.pattern.test(name));
    const isTrusted = (await findRecordDirectory(platform, place)) !== undefined;
    const found = await Promise.all(names.map((name) => readOne(platform, place, name, isTrusted)));
    const all = found.flatMap((file) => (file === undefined ? [] : [file]));
    return { place, facts, isLinked: entry.kind === "link", isClosed: false, files: all };
  } catch (error) {
    // A home that may not be looked into: agents of this user find nothing there either.
    return { ...nothing, isClosed: ["EACCES", "EPERM"].includes(errorCodeOf(error) ?? "") };
  }
}

async function readOne(
  platform: Platform,
  place: AgentPlace,
  name: string,
  isInTrusted: boolean,
): Promise<FoundFile | undefined> {
  const path = joinPath(platform, place.directory, name);
  // Unreadable is as good as malformed here: both are told by the facts.
  const file = await readRecord(platform, path).catch(() => undefined);
  const facts = file?.facts ?? (await platform.files.lstat(path).catch(() => undefined));
  if (facts === undefined) return undefined;
  const record =
    file === undefined ? undefined : parseEditorRecord(platform, place, file, isInTrusted && isPrivateRecord(file));
  return { name, path, facts, record };
}
