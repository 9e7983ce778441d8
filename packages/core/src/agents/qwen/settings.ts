import { joinPath } from "../../storage/private-directory.ts";
import {
  type AgentSettings,
  chosenDirectory,
  inFolder,
  SettingsLayers,
  type SettingsPlace,
  systemFile,
} from "../settings.ts";

export async function readQwenSettings(
  place: SettingsPlace,
): Promise<Omit<AgentSettings, "agent" | "agentName" | "isUsed">> {
  const { platform } = place;
  const directory = chosenDirectory(place, "QWEN_HOME") ?? joinPath(platform, platform.process.homeDirectory, ".qwen");
  const settingsFile = joinPath(platform, directory, "settings.json");
  const settings = await SettingsLayers.read(place, [
    settingsFile,
    ...inFolder(place, ".qwen", "settings.json"),
    systemFile(place, "QWEN_CODE_SYSTEM_SETTINGS_PATH", { linux: "qwen-code", darwin: "QwenCode", win32: "qwen-code" }),
  ]);
  const mode = settings.text("tools", "approvalMode");
  return {
    looksForEditor: settings.flag("ide", "enabled") === false ? "no" : "yes",
    looksOnContainerHost: false,
    showsChanges: true,
    asks: mode === "default",
    mode,
    defaultMode: "auto",
    modeSetting: "tools.approvalMode",
    settingsFile,
    decidedBy: {
      looksForEditor: settings.fileOf("boolean", "ide", "enabled"),
      showsChanges: undefined,
      mode: settings.fileOf("string", "tools", "approvalMode"),
    },
    askingCommand: "qwen --approval-mode default",
    askingInput: "/approval-mode default",
  };
}
