import type { Platform } from "@patchbay/core";
import type { AgentId } from "./agent-places.ts";
import type { EditorRecord } from "./editor-record.ts";
import { probePort } from "./probe-port.ts";
import { type FoundPlace, readRecords } from "./read-records.ts";

/** An editor that agents can find, put together from its records. */
export interface RunningEditor {
  readonly name: string;
  readonly editorId: string | undefined;
  readonly port: number;
  readonly pid: number | undefined;
  readonly folders: readonly string[];
  readonly agents: readonly AgentId[];
  readonly records: readonly EditorRecord[];
  /** Whether its port answers, and it is not known to have ended. */
  readonly answers: boolean;
}

/** The editors on this machine that have left records, those that answer first. */
export async function findRunningEditors(
  platform: Platform,
  found?: readonly FoundPlace[],
): Promise<readonly RunningEditor[]> {
  const places = found ?? (await readRecords(platform));
  const records = places.flatMap(({ files }) => files.flatMap(({ record }) => (record === undefined ? [] : [record])));
  const byPort = new Map<number, EditorRecord[]>();
  for (const record of records) byPort.set(record.port, [...(byPort.get(record.port) ?? []), record]);
  const editors = await Promise.all(Array.from(byPort, ([port, group]) => describe(platform, port, group)));
  return editors.sort((a, b) => Number(b.answers) - Number(a.answers) || a.port - b.port);
}

async function describe(platform: Platform, port: number, records: readonly EditorRecord[]): Promise<RunningEditor> {
  const companion = records.find((record) => record.companion !== undefined)?.companion;
  const named = records.find(({ hasEditorInfo }) => hasEditorInfo) ?? records[0];
  return {
    name: named?.editorName ?? "an editor",
    editorId: named?.editorId,
    port,
    pid: companion?.pid ?? named?.pid,
    folders: Array.from(new Set(records.flatMap(({ folders }) => folders))),
    agents: Array.from(new Set(records.map(({ agent }) => agent))),
    records,
    answers: !(await hasEnded(platform, companion)) && (await probePort(port)),
  };
}

/** A companion that was killed leaves its records, and another program may listen on its port by now. */
async function hasEnded({ process }: Platform, companion: EditorRecord["companion"]): Promise<boolean> {
  if (companion === undefined) return false;
  if (!process.isAlive(companion.pid)) return true;
  const start = companion.start === undefined ? undefined : await process.startMark(companion.pid);
  return start !== undefined && start !== companion.start;
}
