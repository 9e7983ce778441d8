import type { Platform, ProcessFacts } from "../platform/platform.ts";
import { joinPath, type PrivateDirectoryRequest, splitPath } from "./private-directory.ts";

type Surroundings = Pick<ProcessFacts, "environment" | "homeDirectory" | "platform">;

/** What is ours below the directory for state, and for settings. */
const ownName = "patchbay";

/**
 * Where what we keep from run to run lies: below XDG_STATE_HOME, ~/.local/state or %LOCALAPPDATA%, the same for every editor and for
 * the terminal, so that each finds what the others have left.
 */
export function stateDirectory(process: Surroundings, names: readonly string[]): string {
  const variable = process.platform === "win32" ? "LOCALAPPDATA" : "XDG_STATE_HOME";
  return below(process, baseDirectory(process, variable, [".local", "state"]), [ownName, ...names]);
}

/** Where the user's own settings for programs without an editor lie: below XDG_CONFIG_HOME, ~/.config or %APPDATA%. */
export function configDirectory(process: Surroundings): string {
  const variable = process.platform === "win32" ? "APPDATA" : "XDG_CONFIG_HOME";
  return below(process, baseDirectory(process, variable, [".config"]), [ownName]);
}

/** Where the turns of a workspace are kept. `folders`: absolute, in the editor's order. */
export function turnsDirectory(
  { process, random }: Pick<Platform, "process" | "random">,
  folders: readonly string[],
): string {
  return stateDirectory(process, ["turns", random.mac("turns", folders.join("\n")).slice(0, 22)]);
}

/**
 * What a variable names, or else the usual place in the home. A relative path is no value, as the XDG base directory specification has
 * it: it would put secrets into whatever folder a program was started in.
 */
export function baseDirectory(process: Surroundings, variable: string, usual: readonly string[]): string {
  const named = process.environment(variable) ?? "";
  const absolute = process.platform === "win32" ? /^(?:[a-z]:|[\\/])[\\/]/iu : /^\//u;
  return absolute.test(named) ? named : below(process, process.homeDirectory, usual);
}

function below(process: Surroundings, directory: string, names: readonly string[]): string {
  return names.reduce((path, name) => joinPath({ process }, path, name), directory);
}

/**
 * From where on the levels of a directory for what we keep are ours to make and to check. Below the directory for state that is all from
 * `patchbay` on, whoever made it; of one that an editor gave us, what is not there yet, and the last: what is above is the editor's affair.
 */
export async function storageLevels(
  platform: Pick<Platform, "files" | "process">,
  directory: string,
): Promise<Pick<PrivateDirectoryRequest, "root" | "levels">> {
  const own = joinPath(platform, stateDirectory(platform.process, []), "");
  const levels: string[] = [];
  let root = directory;
  do {
    const { parent, name } = splitPath(platform, root);
    if (parent === root) break;
    levels.unshift(name);
    root = parent;
  } while (joinPath(platform, root, "").startsWith(own) || (await platform.files.lstat(root)) === undefined);
  return { root, levels };
}
