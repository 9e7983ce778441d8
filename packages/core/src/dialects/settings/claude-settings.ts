import { joinPath } from "../../discovery/join-path.ts";
import type { AgentSettings, SettingsPlace } from "./agent-settings.ts";
import { chosenDirectory, inFolder, SettingsLayers } from "./settings-layers.ts";

/** The tools that write; rules of the user may have each of them asked about in any mode. */
const writingTools = ["Edit", "Write"];

export async function readClaudeSettings(
  place: SettingsPlace,
): Promise<Omit<AgentSettings, "agent" | "agentName" | "isUsed">> {
  const { platform } = place;
  const { homeDirectory } = platform.process;
  const chosen = chosenDirectory(place, "CLAUDE_CONFIG_DIR");
  const settingsFile = joinPath(platform, chosen ?? joinPath(platform, homeDirectory, ".claude"), "settings.json");
  const settings = await SettingsLayers.read(place, [
    // What its own dialogs keep stands in the home, beside the directory, or in the one that the variable names.
    joinPath(platform, chosen ?? homeDirectory, ".claude.json"),
    settingsFile,
    ...inFolder(place, ".claude", "settings.json", "settings.local.json"),
  ]);
  const mode = settings.text("permissions", "defaultMode");
  const asked = settings.texts("permissions", "ask");
  return {
    looksForEditor: "yes",
    looksOnContainerHost: false,
    showsChanges: settings.text("diffTool") !== "terminal",
    asks: mode === "default" || mode === "manual" || writingTools.every((tool) => asked.includes(tool)),
    mode,
    defaultMode: "auto",
    modeSetting: "permissions.defaultMode",
    settingsFile,
    decidedBy: {
      looksForEditor: undefined,
      showsChanges: settings.fileOf("string", "diffTool"),
      mode: settings.fileOf("string", "permissions", "defaultMode"),
    },
    askingCommand: "claude --permission-mode manual",
    askingInput: undefined,
  };
}
