import { messageOf } from "./errors.ts";
import type { Logger } from "./logger.ts";

/** Does work for which nobody waits; `lacking`: what there is not where it fails. Never rejects. */
export type InBackground = (work: () => Promise<unknown>, lacking: string) => Promise<void>;

/**
 * For work that loads its code first: where the editor's extension was updated meanwhile, that code is no longer on the disk. What is
 * lacking then stands in the log, once however often it is tried, and everything else goes on.
 */
export function inBackground(logger: Logger): InBackground {
  const told = new Set<string>();
  return async (work, lacking) => {
    try {
      await work();
    } catch (error) {
      if (!told.has(lacking)) logger.warn(lacking, { reason: messageOf(error) });
      told.add(lacking);
    }
  };
}
