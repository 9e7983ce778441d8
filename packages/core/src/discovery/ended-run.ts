import type { Platform } from "../platform/platform.ts";
import type { RecordMarker } from "./record-marker.ts";

/** Whether the run that a marker names has ended: its process is gone, or its id belongs to a later process (E05). */
export async function isEnded(platform: Platform, marker: RecordMarker): Promise<boolean> {
  if (!platform.process.isAlive(marker.pid)) return true;
  if (marker.start === undefined) return false;
  const start = await platform.process.startMark(marker.pid);
  return start !== undefined && start !== marker.start;
}
