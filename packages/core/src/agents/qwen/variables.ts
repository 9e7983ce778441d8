import { joinPath } from "../../storage/private-directory.ts";
import type { Platform } from "../../platform/platform.ts";
import { foldersUp, readEnvFile } from "../gemini-family/env-files.ts";
import { realPlace } from "../choice.ts";
import { chosenDirectory, type FoundVariable, type FoundVariables, type SettingsPlace } from "../settings.ts";
import { variableOf } from "../surroundings.ts";

/** They say where its own files are, and count from its user's own files only; the first two before any settings are read. */
const earlyPlaces = ["QWEN_HOME", "QWEN_CODE_TRUSTED_FOLDERS_PATH"] as const;
const ownPlaces: ReadonlySet<string> = new Set([
  ...earlyPlaces,
  "QWEN_CODE_SYSTEM_SETTINGS_PATH",
  "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
]);

/** Where Qwen Code keeps what is its user's. */
export function qwenDirectory({ platform }: Pick<SettingsPlace, "platform">): string {
  const chosen = chosenDirectory({ platform, folder: undefined }, "QWEN_HOME");
  return chosen ?? joinPath(platform, platform.process.homeDirectory, ".qwen");
}

/**
 * What Qwen Code takes from its user's `.env` files before it reads any settings: where these are (docs/protocols/qwen.md). A variable that
 * the terminal has counts here even if it is empty. Never rejects.
 */
export async function earlyVariables(platform: Platform): Promise<FoundVariables> {
  const { process } = platform;
  const found = new Map<string, FoundVariable>();
  const take = async (file: string): Promise<void> => {
    const read = await readEnvFile(platform, file);
    for (const name of earlyPlaces) {
      const value = read?.get(name) || undefined;
      if (value === undefined || process.environment(name) !== undefined || found.has(name)) continue;
      found.set(name, { value: withHome(platform, value), file });
    }
  };
  const directory = qwenDirectory({ platform });
  await take(joinPath(platform, directory, ".env"));
  if (variableOf(process, "QWEN_HOME") === undefined) await take(joinPath(platform, process.homeDirectory, ".env"));
  const chosen = found.get("QWEN_HOME")?.value;
  if (chosen !== undefined && chosen !== directory) await take(joinPath(platform, chosen, ".env"));
  return found;
}

/** What decides about a `.env` file and the members of `env` in settings. */
export interface VariableRules {
  /** Whether the files in a directory count: not before its user trusts it. */
  trusts(directory: string): Promise<boolean>;
  /** Names that do not count in a `.env` that stands in a folder itself. */
  readonly excluded: readonly string[];
  /** The `env` of its settings. */
  readonly settings: FoundVariables;
}

/**
 * What Qwen Code takes from files once it has read its settings: from the nearest `.env` of the folder and those above it, then from its
 * user's own, then from its settings. The first one counts, and none where the terminal has more than an empty text. Never rejects.
 */
export async function fileVariables(place: SettingsPlace, rules: VariableRules): Promise<FoundVariables> {
  const { platform } = place;
  const { homeDirectory } = platform.process;
  const found = new Map<string, FoundVariable>();
  const take = (name: string, value: string, file: string): void => {
    if (value === "" || found.has(name) || variableOf(platform.process, name) !== undefined) return;
    found.set(name, { value: ownPlaces.has(name) ? withHome(platform, value) : value, file });
  };
  const nearest = await nearestFile(place, rules);
  for (const [name, value] of nearest?.variables ?? []) {
    if (ownPlaces.has(name) || (!nearest?.isOwn && rules.excluded.includes(name))) continue;
    take(name, value, nearest?.path ?? "");
  }
  const usual = joinPath(platform, homeDirectory, ".qwen");
  for (const directory of new Set([qwenDirectory(place), usual, homeDirectory])) {
    const path = joinPath(platform, directory, ".env");
    for (const [name, value] of (await readEnvFile(platform, path)) ?? []) take(name, value, path);
  }
  for (const [name, { value, file }] of rules.settings) if (!ownPlaces.has(name)) take(name, value, file);
  return found;
}

interface NearestFile {
  readonly path: string;
  readonly variables: ReadonlyMap<string, string>;
  /** It stands in a directory of Qwen Code's own. */
  readonly isOwn: boolean;
}

/** The one from the folder up that it finds first; in the home and above it does not look. */
async function nearestFile(
  { platform, folder }: SettingsPlace,
  { trusts }: VariableRules,
): Promise<NearestFile | undefined> {
  if (folder === undefined) return undefined;
  const home = platform.process.homeDirectory;
  for (const directory of foldersUp(platform, await realPlace(platform, folder))) {
    if (directory === home) return undefined;
    for (const [path, isOwn] of [
      [joinPath(platform, joinPath(platform, directory, ".qwen"), ".env"), true],
      [joinPath(platform, directory, ".env"), false],
    ] as const) {
      const variables = await readEnvFile(platform, path);
      if (variables !== undefined && (await trusts(directory))) return { path, variables, isOwn };
    }
  }
  return undefined;
}

/** No shell has taken the tilde out. */
function withHome(platform: Platform, path: string): string {
  if (path === "~") return platform.process.homeDirectory;
  return path.startsWith("~/") ? joinPath(platform, platform.process.homeDirectory, path.slice(2)) : path;
}
