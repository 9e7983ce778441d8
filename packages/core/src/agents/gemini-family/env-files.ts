import type { Platform } from "../../platform/platform.ts";
import { joinPath, splitPath } from "../../storage/private-directory.ts";
import { type FoundVariables, readSettingsText, type SettingsPlace } from "../settings.ts";

/**
 * What Gemini CLI takes from a `.env` in a folder that is trusted: the first one that it finds counts, from the folder up, and then in
 * the home; in each directory that in `.gemini` comes first. Never rejects.
 */
export async function envVariables(
  { platform, folder }: SettingsPlace,
  home: string,
  excluded: readonly string[],
): Promise<FoundVariables> {
  for (const directory of [...foldersUp(platform, folder), home]) {
    const own = joinPath(platform, joinPath(platform, directory, ".gemini"), ".env");
    for (const path of [own, joinPath(platform, directory, ".env")]) {
      const read = await readEnvFile(platform, path);
      if (read === undefined) continue;
      const found = Array.from(read).filter(([name]) => path === own || !excluded.includes(name));
      // What the terminal has counts, even where it is empty.
      const counting = found.filter(([name]) => platform.process.environment(name) === undefined);
      return new Map(counting.map(([name, value]) => [name, { value, file: path }]));
    }
  }
  return new Map();
}

/** A folder and those above it, the nearest first. */
export function foldersUp(platform: Platform, folder: string | undefined): readonly string[] {
  const directories: string[] = [];
  for (let at = folder; at !== undefined; ) {
    directories.push(at);
    const { parent } = splitPath(platform, at);
    at = parent === at || parent === "" ? undefined : parent;
  }
  return directories;
}

/** The variables in a `.env`; undefined where there is none that can be read. */
export async function readEnvFile(platform: Platform, path: string): Promise<ReadonlyMap<string, string> | undefined> {
  const text = await readSettingsText(platform, path);
  return text === undefined ? undefined : parseEnv(text);
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
