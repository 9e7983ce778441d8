import type { EditorHost } from "../editor-host.ts";
import type { Platform } from "../platform/platform.ts";
import { readAgentSettings } from "./examine-editor.ts";
import { findWeakenedReviews } from "./weakened-reviews.ts";

/**
 * Warns of what the agents' settings do to whoever starts them in these folders, of each file once: it cannot be used, or it is the folder's
 * and takes reviews away. Rejects where that cannot be shown.
 */
export async function warnOfSettings(
  host: Pick<EditorHost, "messages">,
  platform: Platform,
  { folders, told }: { readonly folders: readonly string[]; readonly told: Set<string> },
): Promise<void> {
  // One that nobody closes is in no other's way.
  const shown: Promise<unknown>[] = [];
  for (const folder of folders) {
    for (const one of await readAgentSettings(platform, folder)) {
      for (const file of one.isUsed ? (one.invalidFiles ?? []) : []) {
        if (told.has(file)) continue;
        told.add(file);
        const agent = one.agentName;
        const text = `${file} is not valid JSON, so ${agent} cannot use it. Correct it.`;
        const values = { agent, file };
        shown.push(host.messages.show({ code: "settings-not-json", severity: "warning", text, actions: [], values }));
      }
    }
    for (const { agentName: agent, setting, file, isOfFolder } of await findWeakenedReviews(platform, folder)) {
      if (!isOfFolder || told.has(file)) continue;
      told.add(file);
      const text = `${agent} runs no hooks in this folder, because ${file} says so (${setting}). In modes that do not ask, its changes are not reviewed here.`;
      const values = { agent, file, setting };
      shown.push(host.messages.show({ code: "hooks-off", severity: "warning", text, actions: [], values }));
    }
  }
  await Promise.all(shown);
}
