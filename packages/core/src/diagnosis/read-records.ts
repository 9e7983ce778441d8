import { joinPath } from "../discovery/join-path.ts";
import { errorCodeOf } from "../platform/error-code.ts";
import type { FileFacts, Platform } from "../platform/platform.ts";
import type { AgentPlace } from "./agent-places.ts";
import { type EditorRecord, parseEditorRecord } from "./editor-record.ts";

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
  readonly path: string;
  readonly facts: FileFacts;
  /** Undefined where its text is no record. */
  readonly record: EditorRecord | undefined;
}

const largestRecordBytes = 65_536;

/** Everything that agents would find, in the order of the places. Changes nothing. */
export async function readPlaces(platform: Platform, places: readonly AgentPlace[]): Promise<readonly FoundPlace[]> {
  return await Promise.all(places.map(async (place) => await readPlace(platform, place)));
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
    const found = await Promise.all(names.map((name) => readOne(platform, place, name)));
    const all = found.flatMap((file) => (file === undefined ? [] : [file]));
    return { place, facts, isLinked: entry.kind === "link", isClosed: false, files: all };
  } catch (error) {
    // A home that may not be looked into: agents of this user find nothing there either.
    return { ...nothing, isClosed: ["EACCES", "EPERM"].includes(errorCodeOf(error) ?? "") };
  }
}

async function readOne(platform: Platform, place: AgentPlace, name: string): Promise<FoundFile | undefined> {
  const path = joinPath(platform, place.directory, name);
  const facts = await platform.files.lstat(path).catch(() => undefined);
  if (facts === undefined) return undefined;
  // Unreadable is as good as malformed here: both are told by the facts.
  const text = await platform.files.readText(path, largestRecordBytes).catch(() => undefined);
  const record =
    text === undefined ? undefined : parseEditorRecord(platform, { place, path, text, modifiedMs: facts.modifiedMs });
  return { path, facts, record };
}
