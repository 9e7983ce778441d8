import type { DiscoveryRecord } from "../agents/dialect.ts";
import type { Platform } from "../platform/platform.ts";
import { findPrivateDirectory, isLeftover, joinPath, ownLinksBelow } from "../storage/private-directory.ts";
import { isEnded, maximumRecordBytes, parseMarker } from "../storage/run-marker.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

export interface StaleRecordsSweep {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly owner: string | undefined;
  /** Records as they will be written; their directories are looked through. */
  readonly places: readonly DiscoveryRecord[];
}

/**
 * Removes what earlier runs of Patchbay left behind when they were killed: an agent that tries only one record (Gemini
 * CLI) would otherwise dial a port where nobody answers. Looks only into directories that are this user's own, and
 * removes only files that carry our marker and whose run has ended, and temporary files of ended runs.
 */
export async function sweepStaleRecords(sweep: StaleRecordsSweep): Promise<void> {
  const { platform, logger } = sweep;
  const done = new Set<string>();
  for (const { root, directories } of sweep.places) {
    const directory = await findPrivateDirectory(platform, {
      root,
      levels: directories,
      intent: "look",
      ownLinks: ownLinksBelow(platform, root),
    });
    // A refused place is reported by the write that follows.
    if (directory.kind === "refused" || done.has(directory.path)) continue;
    done.add(directory.path);
    for (const name of await namesIn(sweep, directory.path)) {
      try {
        await sweepOne(sweep, directory.path, name);
      } catch (error) {
        logger.warn("Stale discovery record could not be removed", { name, reason: messageOf(error) });
      }
    }
  }
}

async function namesIn({ platform, logger }: StaleRecordsSweep, directory: string): Promise<readonly string[]> {
  try {
    return await platform.files.list(directory);
  } catch (error) {
    logger.warn("Discovery directory could not be listed", { directory, reason: messageOf(error) });
    return [];
  }
}

async function sweepOne(
  { platform, logger, owner }: StaleRecordsSweep,
  directory: string,
  name: string,
): Promise<void> {
  const path = joinPath(platform, directory, name);
  if (!(await isLeftover(platform, directory, name))) {
    if (!name.endsWith(".json") && !name.endsWith(".lock")) return;
    const text = await platform.files.readText(path, maximumRecordBytes);
    const marker = text === undefined ? undefined : parseMarker(text);
    if (marker === undefined) return;
    const isPredecessor = owner !== undefined && marker.editor === owner && marker.pid !== platform.process.pid;
    if (!isPredecessor && !(await isEnded(platform, marker))) return;
  }
  await platform.files.remove(path);
  logger.info("Stale discovery record removed", { name });
}
