import type { Platform } from "../platform/platform.ts";
import { isEnded } from "../discovery/ended-run.ts";
import { isOwn } from "../discovery/private-directory.ts";
import { probePort } from "../endpoint/try-session.ts";
import { agentPlaces } from "./agent-places.ts";
import type { EditorRecord } from "./editor-record.ts";
import type { DiagnosedAgent } from "./finding.ts";
import { type FoundPlace, readPlaces } from "./read-records.ts";

/** An editor that agents can find, put together from its records. */
export interface RunningEditor {
  readonly name: string;
  readonly editorId: string | undefined;
  readonly port: number;
  readonly pid: number | undefined;
  readonly folders: readonly string[];
  readonly agents: readonly DiagnosedAgent[];
  readonly records: readonly EditorRecord[];
  /** Whether it answers on its port, and is not known to have ended. */
  readonly answers: boolean;
  /** Whether it accepts connections without answering: it is stopped, hangs or is very busy. */
  readonly isSilent: boolean;
}

/** The editors on this machine that have left records where agents of this terminal look; those that answer first. */
export async function findRunningEditors(
  platform: Platform,
  found?: readonly FoundPlace[],
): Promise<readonly RunningEditor[]> {
  const places = found ?? (await readPlaces(platform, agentPlaces(platform, platform.process)));
  const byPort = new Map<number, EditorRecord[]>();
  for (const { files } of places) {
    for (const { record, facts } of files) {
      // Agents read no other user's.
      if (record !== undefined && isOwn(platform, facts))
        byPort.set(record.port, [...(byPort.get(record.port) ?? []), record]);
    }
  }
  const editors = await Promise.all(Array.from(byPort, ([port, group]) => describe(platform, port, group)));
  return editors.sort((a, b) => Number(b.answers) - Number(a.answers) || a.port - b.port);
}

async function describe(platform: Platform, port: number, records: readonly EditorRecord[]): Promise<RunningEditor> {
  const companion = records.find((record) => record.companion !== undefined)?.companion;
  const named = records.find(({ hasEditorInfo }) => hasEditorInfo) ?? records[0];
  const state = (await hasEnded(platform, companion)) ? "nobody" : await probePort(port);
  return {
    name: named?.editorName ?? "an editor",
    editorId: named?.editorId,
    port,
    pid: companion?.pid ?? named?.pid,
    folders: Array.from(new Set(records.flatMap(({ folders }) => folders))),
    agents: Array.from(new Set(records.map(({ agent }) => agent))),
    records,
    answers: state === "answers",
    isSilent: state === "silent",
  };
}

/** A companion that was killed leaves its records, and another program may listen on its port by now. */
async function hasEnded(platform: Platform, companion: EditorRecord["companion"]): Promise<boolean> {
  if (companion === undefined) return false;
  const { pid, start } = companion;
  return await isEnded(platform, { pid, ...(start === undefined ? {} : { start }) });
}
