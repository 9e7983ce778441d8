import { allDialects } from "./create-companion.ts";
import type { AgentSettings } from "./agents/settings.ts";
import { isUsed } from "./diagnosis/examine-places.ts";
import type { Platform } from "./platform/platform.ts";

/**
 * What the agents' own settings say about working with an editor, for a diagnosis: whether they look for one, and whether
 * they ask before they write. `folder` is where they would be started. Never rejects.
 */
export async function readAgentSettings(platform: Platform, folder?: string): Promise<readonly AgentSettings[]> {
  const all = allDialects.map(async ({ id, agentName, settings }): Promise<readonly AgentSettings[]> => {
    const read = await settings?.({ platform, folder });
    if (read === undefined) return [];
    return [{ agent: id, agentName, isUsed: await isUsed(platform, id, read.settingsFile), ...read }];
  });
  return (await Promise.all(all)).flat();
}
