import { splitPath } from "../../storage/private-directory.ts";
import type { Platform } from "../../platform/platform.ts";
import { holds, realPlace } from "../choice.ts";
import { parseLooseJson, readSettingsText, type SettingsPlace } from "../settings.ts";

/** Whether the user trusts a folder in an agent; `unknown`: they have not been asked, and it goes on as if they did not. */
export type FolderTrust = "trusted" | "untrusted" | "unknown";

/** What a file of trusted folders says of this one: the rule with the longest path counts (docs/protocols/gemini.md). Never rejects. */
export async function folderTrust({ platform, folder }: SettingsPlace, file: string): Promise<FolderTrust> {
  if (folder === undefined) return "unknown";
  const rules = await readObject(platform, file);
  const here = await realPlace(platform, folder);
  let [longest, found]: [number, unknown] = [-1, undefined];
  for (const [path, level] of Object.entries(rules ?? {})) {
    const root = level === "TRUST_PARENT" ? splitPath(platform, path).parent : path;
    if (path.length > longest && holds(await realPlace(platform, root), here)) [longest, found] = [path.length, level];
  }
  if (found === "DO_NOT_TRUST") return "untrusted";
  return found === "TRUST_FOLDER" || found === "TRUST_PARENT" ? "trusted" : "unknown";
}

async function readObject(platform: Platform, path: string): Promise<object | undefined> {
  const text = await readSettingsText(platform, path);
  const value = text === undefined ? undefined : parseLooseJson(text);
  return typeof value === "object" && value !== null ? value : undefined;
}
