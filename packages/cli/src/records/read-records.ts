import { join } from "node:path";
import type { FileFacts, Platform } from "@patchbay/core";
import { type AgentPlace, agentPlaces } from "./agent-places.ts";
import { type EditorRecord, parseEditorRecord } from "./editor-record.ts";

export interface FoundPlace {
  readonly place: AgentPlace;
  /** Undefined: there is no such directory. */
  readonly facts: FileFacts | undefined;
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
export async function readRecords(
  platform: Platform,
  places: readonly AgentPlace[] = agentPlaces(platform),
): Promise<readonly FoundPlace[]> {
  return await Promise.all(
    places.map(async (place) => {
      // A home that may not be looked into: agents of this user find nothing there either.
      const facts = await platform.files.lstat(place.directory).catch(() => undefined);
      const names = facts === undefined ? [] : await platform.files.list(place.directory).catch(() => []);
      const found = await Promise.all(
        names.filter((name) => place.pattern.test(name)).map((name) => readOne(platform, place, name)),
      );
      return { place, facts, files: found.flatMap((file) => (file === undefined ? [] : [file])) };
    }),
  );
}

async function readOne(platform: Platform, place: AgentPlace, name: string): Promise<FoundFile | undefined> {
  const path = join(place.directory, name);
  const facts = await platform.files.lstat(path).catch(() => undefined);
  if (facts === undefined) return undefined;
  // Unreadable is as good as malformed here: the doctor tells both by the facts.
  const text = await platform.files.readText(path, largestRecordBytes).catch(() => undefined);
  return { path, facts, record: text === undefined ? undefined : parseEditorRecord(place, path, text) };
}
