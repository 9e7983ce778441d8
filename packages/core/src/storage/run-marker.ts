import type { Platform } from "../platform/platform.ts";

/**
 * Says inside a record that Patchbay wrote it, and which run did. Agents ignore the field; without it the record of a
 * killed editor could not be told from one of another companion, which is never touched.
 */
export interface RecordMarker {
  readonly pid: number;
  /** Start mark of that process (`ProcessFacts.startMark`), absent where the system tells none. */
  readonly start?: string;
  /** Key of the editor (window) that the run served, where the host has one that outlives the process. */
  readonly editor?: string;
}

/** Name of the field in a record's JSON. */
const recordMarkerField = "patchbay";

/** Longest record that is read, in UTF-8 bytes; Patchbay's own are far below 16 KB even with many folders. */
export const maximumRecordBytes: number = 256 * 1024;

/** The marker of this process. */
export async function markerFor(platform: Platform, editor?: string): Promise<RecordMarker> {
  const start = await platform.process.startMark(platform.process.pid);
  return {
    pid: platform.process.pid,
    ...(start === undefined ? {} : { start }),
    ...(editor === undefined ? {} : { editor }),
  };
}

/** Puts the marker into a record's JSON text, as its last field. A text that is not a JSON object is returned as it is. */
export function markRecord(content: string, marker: RecordMarker): string {
  const record = parseObject(content);
  if (record === undefined) return content;
  return JSON.stringify({ ...record, [recordMarkerField]: marker });
}

/** Reads the marker of any text found in a record's place: undefined where Patchbay did not write it. Never throws. */
export function parseMarker(text: string): RecordMarker | undefined {
  const record = parseObject(text);
  if (record === undefined || !Object.hasOwn(record, recordMarkerField)) return undefined;
  const marker: unknown = Reflect.get(record, recordMarkerField);
  if (!isObject(marker)) return undefined;
  const pid = ownValue(marker, "pid");
  const start = ownValue(marker, "start");
  const editor = ownValue(marker, "editor");
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (start !== undefined && typeof start !== "string") return undefined;
  if (editor !== undefined && typeof editor !== "string") return undefined;
  return { pid, ...(start === undefined ? {} : { start }), ...(editor === undefined ? {} : { editor }) };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON: somebody else's file, and no failure of ours.
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ownValue(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** Whether the run that a marker names has ended: its process is gone, or its id belongs to a later process (E05). */
export async function isEnded(platform: Pick<Platform, "process">, marker: RecordMarker): Promise<boolean> {
  if (!platform.process.isAlive(marker.pid)) return true;
  if (marker.start === undefined) return false;
  const start = await platform.process.startMark(marker.pid);
  return start !== undefined && start !== marker.start;
}
