import { joinPath, splitPath } from "../../storage/private-directory.ts";
import type { Platform } from "../../platform/platform.ts";
import { holds, realPlace } from "../choice.ts";
import { parseLooseJson, type SettingsPlace } from "../settings.ts";

/** Whether the user trusts a folder in an agent; `unknown`: they have not been asked, and it goes on as if they did not. */
export type FolderTrust = "trusted" | "untrusted" | "unknown";

const largestFileBytes = 1_048_576;

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

async function readText({ files }: Platform, path: string): Promise<string | undefined> {
  try {
    const real = await files.realPath(path);
    return real === undefined ? undefined : await files.readText(real, largestFileBytes);
  } catch {
    return undefined;
  }
}

async function readObject(platform: Platform, path: string): Promise<object | undefined> {
  const text = await readText(platform, path);
  const value = text === undefined ? undefined : parseLooseJson(text);
  return typeof value === "object" && value !== null ? value : undefined;
}

/**
 * What Gemini CLI takes from a `.env` in a folder that is trusted: the first one that it finds counts, from the folder up, and then in
 * the home; in each directory that in `.gemini` comes first. Never rejects.
 */
export async function envVariables(
  { platform, folder }: SettingsPlace,
  home: string,
  excluded: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const directories: string[] = [];
  for (let at = folder; at !== undefined; ) {
    directories.push(at);
    const { parent } = splitPath(platform, at);
    at = parent === at || parent === "" ? undefined : parent;
  }
  for (const directory of [...directories, home]) {
    const own = joinPath(platform, joinPath(platform, directory, ".gemini"), ".env");
    for (const path of [own, joinPath(platform, directory, ".env")]) {
      const text = await readText(platform, path);
      if (text === undefined) continue;
      const found = Array.from(parseEnv(text)).filter(([name]) => path === own || !excluded.includes(name));
      // What the terminal has counts, even where it is empty.
      return Object.fromEntries(found.filter(([name]) => platform.process.environment(name) === undefined));
    }
  }
  return {};
}

const line =
  /^\s*(?:export\s+)?(?<name>[\w.-]+)(?:\s*=\s*?|:\s+?)(?<value>\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gmu;

function parseEnv(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { groups } of text.matchAll(line)) {
    const value = (groups?.["value"] ?? "").trim();
    if (groups?.["name"] !== undefined) found.set(groups["name"], value.replace(/^(['"`])([^]*)\1$/u, "$2"));
  }
  return found;
}
