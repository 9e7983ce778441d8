import type { Platform } from "../platform/platform.ts";
import { joinPath } from "./private-directory.ts";

/**
 * Where the turns of a workspace are kept: below XDG_STATE_HOME, ~/.local/state or %LOCALAPPDATA%, the same for every editor and for the
 * terminal, so that each finds what agents did in the others. `folders`: absolute, in the editor's order.
 */
export function turnsDirectory(platform: Pick<Platform, "process" | "random">, folders: readonly string[]): string {
  const { process, random } = platform;
  const configured = process.environment(process.platform === "win32" ? "LOCALAPPDATA" : "XDG_STATE_HOME") ?? "";
  const name = random.mac("turns", folders.join("\n")).slice(0, 22);
  const below = (base: string, names: readonly string[]): string =>
    names.reduce((path, part) => joinPath(platform, path, part), base);
  const state = configured === "" ? below(process.homeDirectory, [".local", "state"]) : configured;
  return below(state, ["patchbay", "turns", name]);
}
