import { joinPath } from "../../storage/private-directory.ts";
import { isInContainer, type Platform } from "../../platform/platform.ts";
import {
  type AgentSettings,
  chosenDirectory,
  inFolder,
  SettingsLayers,
  type SettingsPlace,
  systemFile,
} from "../settings.ts";

/** With one of these set Gemini CLI stays on the container's own loopback (docs/protocols/gemini.md). */
const stayHereVariables = ["REMOTE_CONTAINERS", "VSCODE_REMOTE_CONTAINERS_SESSION", "SSH_CONNECTION"];

export async function readGeminiSettings(
  place: SettingsPlace,
): Promise<Omit<AgentSettings, "agent" | "agentName" | "isUsed">> {
  const { platform } = place;
  // The variable names what takes the place of the home, not of the directory in it.
  const home = chosenDirectory(place, "GEMINI_CLI_HOME") ?? platform.process.homeDirectory;
  const settingsFile = joinPath(platform, joinPath(platform, home, ".gemini"), "settings.json");
  const settings = await SettingsLayers.read(place, [
    settingsFile,
    ...inFolder(place, ".gemini", "settings.json"),
    systemFile(place, "GEMINI_CLI_SYSTEM_SETTINGS_PATH", {
      linux: "gemini-cli",
      darwin: "GeminiCli",
      win32: "gemini-cli",
    }),
  ]);
  const enabled = settings.flag("ide", "enabled");
  const isTold = enabled !== undefined || settings.flag("ide", "hasSeenNudge") === true;
  const mode = settings.text("general", "defaultApprovalMode");
  return {
    looksForEditor: enabled === true ? "yes" : isTold ? "no" : "not-yet",
    looksOnContainerHost: await looksOnContainerHost(platform),
    showsChanges: true,
    asks: mode === undefined || mode === "default",
    mode,
    defaultMode: "default",
    modeSetting: "general.defaultApprovalMode",
    settingsFile,
    decidedBy: {
      looksForEditor: settings.fileOf("boolean", "ide", "enabled"),
      showsChanges: undefined,
      mode: settings.fileOf("string", "general", "defaultApprovalMode"),
    },
    askingCommand: "gemini --approval-mode default",
    askingInput: undefined,
  };
}

async function looksOnContainerHost(platform: Platform): Promise<boolean> {
  if (stayHereVariables.some((name) => (platform.process.environment(name) ?? "") !== "")) return false;
  return await isInContainer(platform);
}
