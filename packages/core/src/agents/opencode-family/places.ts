import { joinPath } from "../../storage/private-directory.ts";
import { chosenDirectory, type SettingsPlace } from "../settings.ts";

/** Below a base directory of the system's, which a variable may name. */
export function inBase(
  place: SettingsPlace,
  variable: string,
  usual: readonly string[],
  ...names: readonly string[]
): string {
  const { platform } = place;
  const join = (path: string, name: string): string => joinPath(platform, path, name);
  const base = chosenDirectory(place, variable) ?? usual.reduce(join, platform.process.homeDirectory);
  return names.reduce(join, base);
}

/** Where a member has what its user wrote for it. */
export function inConfiguration(place: SettingsPlace, id: string, ...names: readonly string[]): string {
  return inBase(place, "XDG_CONFIG_HOME", [".config"], id, ...names);
}
