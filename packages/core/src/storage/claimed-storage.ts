import { messageOf } from "../support/errors.ts";
import { joinPath } from "./private-directory.ts";
import { createPrivateStorage, type PrivateStorage, type PrivateStorageOptions } from "./private-storage.ts";
import { markerFor } from "./run-marker.ts";

/** How many runs may keep something for one workspace side by side; a further one keeps nothing. */
const maximumRuns = 16;

/**
 * The storage of this run alone: `directory` itself, or where another run that lives has it (two editors in one folder), a
 * directory in it. Undefined where none can be had: then nothing is kept.
 */
export async function claimStorage(
  options: PrivateStorageOptions & {
    readonly owner: string | undefined;
    /** Told in sentences why none can be had, and what to do. */
    readonly onDidFail?: (reason: string) => void;
  },
): Promise<PrivateStorage | undefined> {
  const { platform, directory, logger } = options;
  const marker = await markerFor(platform, options.owner);
  const first = createPrivateStorage(options);
  try {
    if (await first.claim(marker)) return first;
    for (let number = 2; number <= maximumRuns; number += 1) {
      const other = createPrivateStorage({ ...options, directory: joinPath(platform, directory, `run-${number}`) });
      if (!(await other.claim(marker))) continue;
      logger.info("Another editor serves this workspace, too: what this one keeps is kept apart", { number });
      return other;
    }
  } catch (error) {
    const reason = messageOf(error);
    logger.warn("Nothing can be kept for the next start", { reason });
    options.onDidFail?.(reason);
  }
  return undefined;
}
