import type { AgentId } from "../agents/catalogue.ts";
import { holds, realPlace } from "../agents/choice.ts";
import { probePort } from "../endpoint/try-session.ts";
import type { Platform } from "../platform/platform.ts";
import { isOwn } from "../storage/private-directory.ts";
import { isEnded } from "../storage/run-marker.ts";
import { agentPlaces, type EditorRecord, type FoundPlace, readPlaces } from "./records.ts";

/** An editor that agents can find, put together from its records. */
export interface RunningEditor {
  readonly name: string;
  readonly editorId: string | undefined;
  readonly port: number;
  readonly pid: number | undefined;
  readonly folders: readonly string[];
  readonly agents: readonly AgentId[];
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

/** Those of them that answer and have a folder, or one above it, open; the one with the nearest folder first. */
export async function findServingEditors(
  platform: Platform,
  editors: readonly RunningEditor[],
  folder: string,
): Promise<readonly RunningEditor[]> {
  const here = await realPlace(platform, folder);
  const ranked = await Promise.all(
    editors.map(async (editor) => {
      const roots = await Promise.all(editor.folders.map((root) => realPlace(platform, root)));
      const nearest = Math.max(-1, ...roots.filter((root) => holds(root, here)).map((root) => root.length));
      return { editor, nearest };
    }),
  );
  return ranked
    .filter(({ editor, nearest }) => editor.answers && nearest >= 0)
    .sort((a, b) => b.nearest - a.nearest)
    .map(({ editor }) => editor);
}
