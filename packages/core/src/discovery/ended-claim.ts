import type { Platform } from "../platform/platform.ts";
import { isEnded } from "./ended-run.ts";
import { maximumRecordBytes, parseMarker, type RecordMarker } from "./record-marker.ts";

/** A claim is written in one go; one without a text that is older than this belongs to nobody. */
const unfinishedClaimMs = 5_000;

/** Takes away the claim of a run that has ended, or of the same editor window's earlier process. False: a run that lives has it. */
export async function removeEndedClaim(platform: Platform, path: string, own: RecordMarker): Promise<boolean> {
  const { files, clock } = platform;
  const text = await files.readText(path, maximumRecordBytes);
  const holder = text === undefined ? undefined : parseMarker(text);
  if (holder === undefined) {
    // Just being written, or what is left of a run that was killed while it wrote.
    const facts = await files.lstat(path);
    if (facts !== undefined && clock.now() - facts.modifiedMs < unfinishedClaimMs) return false;
  } else {
    const isPredecessor = own.editor !== undefined && own.editor === holder.editor && own.pid !== holder.pid;
    if (!isPredecessor && !(await isEnded(platform, holder))) return false;
  }
  await files.remove(path);
  return true;
}
