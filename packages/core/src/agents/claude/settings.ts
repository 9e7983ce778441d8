import { joinPath } from "../../storage/private-directory.ts";
import {
  type AgentSettings,
  chosenDirectory,
  inFolder,
  jsonFilesIn,
  managedDirectory,
  SettingsLayers,
  type SettingsPlace,
} from "../settings.ts";

/** The tools that write; rules of the user may have each of them asked about in any mode. */
const writingTools = ["Edit", "Write"];

export async function readClaudeSettings(
  place: SettingsPlace,
): Promise<Omit<AgentSettings, "agent" | "agentName" | "isUsed">> {
  const { platform } = place;
  const { homeDirectory } = platform.process;
  const chosen = chosenDirectory(place, "CLAUDE_CONFIG_DIR");
  const settingsFile = joinPath(platform, chosen ?? joinPath(platform, homeDirectory, ".claude"), "settings.json");
  const administrators = await administratorFiles(place);
  const settings = await SettingsLayers.read(place, [
    // What its own dialogs keep stands in the home, beside the directory, or in the one that the variable names.
    joinPath(platform, chosen ?? homeDirectory, ".claude.json"),
    settingsFile,
    ...inFolder(place, ".claude", "settings.json", "settings.local.json"),
    ...administrators,
  ]);
  const managed = settings.only(administrators);
  const mode = settings.text("permissions", "defaultMode");
  const rules = managed.flag("allowManagedPermissionRulesOnly") === true ? managed : settings;
  const asked = rules.texts("permissions", "ask");
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

/** The administrator's file and those beside it, each of which wins over the one before (docs/protocols/claude.md). */
async function administratorFiles(place: SettingsPlace): Promise<readonly string[]> {
  const { platform } = place;
  const directory = managedDirectory(place, { linux: "claude-code", darwin: "ClaudeCode", win32: "ClaudeCode" });
  const beside = await jsonFilesIn(place, joinPath(platform, directory, "managed-settings.d"));
  return [joinPath(platform, directory, "managed-settings.json"), ...beside];
}
