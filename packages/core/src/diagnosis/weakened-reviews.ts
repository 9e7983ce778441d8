import { type AgentId, agents } from "../agents/catalogue.ts";
import { holds } from "../agents/choice.ts";
import { inspectHook } from "../hook-settings/inspect.ts";
import type { Platform } from "../platform/platform.ts";

/** A setting that keeps an agent's hook, which is installed, from reviewing anything. */
export interface WeakenedReviews {
  readonly agent: AgentId;
  readonly agentName: string;
  readonly setting: string;
  readonly file: string;
  /** It stands in the folder, and so is whoever's the folder is. */
  readonly isOfFolder: boolean;
}

/** What weakens reviews of agents that are started in a folder (docs/security.md). Never rejects. */
export async function findWeakenedReviews(platform: Platform, folder: string): Promise<readonly WeakenedReviews[]> {
  const place = { platform, folder };
  const found = agents.map(async ({ id, agentName, loadHook, loadChecks }): Promise<readonly WeakenedReviews[]> => {
    const hook = await loadHook?.();
    if (hook === undefined || (await inspectHook(place, hook.settings)).kind !== "installed") return [];
    const { hooksOff } = await (await loadChecks()).readSettings(place);
    if (hooksOff === undefined) return [];
    return [{ agent: id, agentName, ...hooksOff, isOfFolder: holds(folder, hooksOff.file) }];
  });
  return (await Promise.all(found)).flat();
}
