import { errorCodeOf } from "../platform/error-code.ts";
import type { Platform } from "../platform/platform.ts";
import { markRecord, maximumRecordBytes, type RecordMarker } from "./record-marker.ts";

/**
 * Takes a file as the sign that what it stands for belongs to one run alone, until `releaseClaim` or the end of the process
 * that `marker` names. Returns the text by which it is known as this claim; undefined: a run that lives has it. Of any
 * number of runs that try at once one at most has it.
 */
export async function claimFile(platform: Platform, path: string, marker: RecordMarker): Promise<string | undefined> {
  const text = markRecord(JSON.stringify({ run: platform.random.token(9) }), marker);
  if (await createClaim(platform, path, text)) return text;
  const { takeOverEndedClaim } = await import("./ended-claim.ts");
  return (await takeOverEndedClaim(platform, path, { marker, text })) ? text : undefined;
}

/** Gives back what `claimFile` took, unless a later run of the same editor has it by now. */
export async function releaseClaim(platform: Platform, path: string, text: string): Promise<void> {
  const { files } = platform;
  const turn = turnPath(platform, path, text);
  // Who has the turn is about to take the claim away.
  if (!(await createClaim(platform, turn, text))) return;
  try {
    if ((await files.readText(path, maximumRecordBytes)) === text) await files.remove(path);
  } finally {
    await files.remove(turn);
  }
}

/** False where there is a file already. */
export async function createClaim({ files }: Platform, path: string, text: string): Promise<boolean> {
  try {
    await files.createExclusive(path, text, 0o600);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The file that one must have made to take away the claim that is known by `sign`. */
export function turnPath(platform: Platform, path: string, sign: string): string {
  return `${path}.${platform.random.mac("turn", sign).slice(0, 16)}`;
}
