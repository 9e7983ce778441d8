import type { DiagnosisRequest } from "./diagnosis/examine.ts";
import type { Finding } from "./diagnosis/finding.ts";
import type { RunningEditor } from "./diagnosis/running-editors.ts";
import type { Platform } from "./platform/platform.ts";

/**
 * What agents meet that are started in a folder from this terminal, checked as they themselves would: the records they
 * find, the one they take, a session with its token. Findings are without words; the worst come first. Changes nothing,
 * never rejects. What it takes is loaded with the first call.
 */
export async function diagnose(platform: Platform, request: DiagnosisRequest): Promise<readonly Finding[]> {
  return await (await import("./diagnosis/examine.ts")).examine(platform, request);
}

/** The editors that have left records where agents of this terminal look; those that answer first. */
export async function findRunningEditors(platform: Platform): Promise<readonly RunningEditor[]> {
  return await (await import("./diagnosis/examine.ts")).findRunningEditors(platform);
}

/** Those of them that answer and have a folder, or one above it, open; the one with the nearest folder first. */
export async function findServingEditors(
  platform: Platform,
  editors: readonly RunningEditor[],
  folder: string,
): Promise<readonly RunningEditor[]> {
  return await (await import("./diagnosis/examine.ts")).editorsServing(platform, editors, folder);
}
