import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, matching, rank, type ReadRecord, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import { defaultsFile } from "../start.ts";
import {
  chosenDirectory,
  inFolder,
  type OwnSettings,
  SettingsLayers,
  type SettingsPlace,
  systemFile,
} from "../settings.ts";
import { variableOf } from "../surroundings.ts";

/** Qwen Code's side of a diagnosis: docs/protocols/qwen.md. */
export const qwenChecks: AgentChecks = {
  start: {
    modeOptions: ["--approval-mode"],
    askingModes: ["default", "plan"],
    unaskingOptions: ["-y", "--yolo"],
    onceOptions: ["-p", "--prompt"],
    argumentIsOnce: true,
    defaults: {
      variable: "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
      file: (place) => defaultsFile(place, "QWEN_CODE_SYSTEM_DEFAULTS_PATH", administratorFile(place)),
      settings: { ide: { enabled: true, hasSeenNudge: true } },
    },
  },
  readSettings,
  choose,
  difference: (theirs, ours) => {
    const variable = "QWEN_HOME";
    const homes = { theirs: variableOf(theirs, variable), ours: variableOf(ours, variable) };
    return homes.theirs === homes.ours
      ? { of: "home", theirs: theirs.homeDirectory, ours: ours.homeDirectory }
      : { of: "variable", variable, ...homes };
  },
};

/** A port where nobody answers makes it go on to the next. */
async function choose<Read extends ReadRecord>(all: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>> {
  const { platform, namedPort } = facts;
  // It deletes those of dead processes instead of reading them.
  const alive = all.filter(({ pid }) => pid === undefined || platform.process.isAlive(pid));
  return takes(
    rank(await matching(alive, facts), [
      ["port-variable", (record) => Number(record.port === namedPort)],
      ["newest", (record) => record.modifiedMs],
    ]),
    "all",
  );
}

async function readSettings(place: SettingsPlace): Promise<OwnSettings> {
  const { platform } = place;
  const directory = chosenDirectory(place, "QWEN_HOME") ?? joinPath(platform, platform.process.homeDirectory, ".qwen");
  const settingsFile = joinPath(platform, directory, "settings.json");
  const settings = await SettingsLayers.read(place, [
    settingsFile,
    ...inFolder(place, ".qwen", "settings.json"),
    administratorFile(place),
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
    askingMode: "default",
    settingsFile,
    decidedBy: {
      looksForEditor: settings.fileOf("boolean", "ide", "enabled"),
      showsChanges: undefined,
      mode: settings.fileOf("string", "tools", "approvalMode"),
    },
    traces: [],
    hooksOff: settings.flagged(true, "disableAllHooks"),
    askingInput: "/approval-mode default",
  };
}

function administratorFile(place: Pick<SettingsPlace, "platform">): string {
  return systemFile(place, "QWEN_CODE_SYSTEM_SETTINGS_PATH", {
    linux: "qwen-code",
    darwin: "QwenCode",
    win32: "qwen-code",
  });
}
