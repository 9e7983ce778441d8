import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, holds, type ReadRecord, realPlace, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import {
  chosenDirectory,
  inFolder,
  jsonFilesIn,
  managedDirectory,
  type OwnSettings,
  SettingsLayers,
  type SettingsPlace,
} from "../settings.ts";

/** Claude Code's side of a diagnosis: docs/protocols/claude.md. */
export const claudeChecks: AgentChecks = {
  start: {
    modeOptions: ["--permission-mode"],
    askingModes: ["default", "manual", "plan"],
    unaskingOptions: ["--dangerously-skip-permissions"],
    onceOptions: ["-p", "--print"],
    argumentIsOnce: false,
  },
  readSettings,
  choose,
  difference: (theirs, ours) => ({ of: "home", theirs: theirs.homeDirectory, ours: ours.homeDirectory }),
};

async function choose<Read extends ReadRecord>(all: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>> {
  const { platform, folder, namedPort } = facts;
  const alive = all.filter(({ pid }) => pid === undefined || platform.process.isAlive(pid));
  const named = alive.find((record) => record.port === namedPort);
  // Whatever its folders are.
  if (named !== undefined) return takes([{ record: named, because: "port-variable" }], "first");
  // Links in a record's folders are not followed, and the agent's own directory has none: the system tells it without.
  const here = await realPlace(platform, folder);
  const records = alive.filter(({ folders }) => folders.some((root) => holds(root, here)));
  const [first] = records;
  if (first === undefined) return { kind: "none" };
  if (records.length > 1) return { kind: "undecided", records };
  // Any port variable, also one of an editor that is gone, has it connect by itself.
  return namedPort === undefined
    ? { kind: "waits", record: first }
    : takes([{ record: first, because: "only" }], "first");
}

/** The tools that write; rules of the user may have each of them asked about in any mode. */
const writingTools = ["Edit", "Write"];

async function readSettings(place: SettingsPlace): Promise<OwnSettings> {
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
    askingMode: "default",
    settingsFile,
    decidedBy: {
      looksForEditor: undefined,
      showsChanges: settings.fileOf("string", "diffTool"),
      mode: settings.fileOf("string", "permissions", "defaultMode"),
    },
    traces: [joinPath(platform, homeDirectory, ".claude.json")],
    hooksOff: settings.flagged(true, "disableAllHooks"),
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
