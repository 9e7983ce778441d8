import {
  type Choice,
  type ChoiceFacts,
  matching,
  rank,
  type ReadRecord,
  takes,
} from "../../../../packages/core/src/agents/choice.ts";
import type { AgentChecks } from "../../../../packages/core/src/agents/dialect.ts";
import {
  chosenDirectory,
  inFolder,
  type OwnSettings,
  SettingsLayers,
  type SettingsPlace,
} from "../../../../packages/core/src/agents/settings.ts";
import { joinPath } from "../../../../packages/core/src/storage/private-directory.ts";

/** Nova's side of a diagnosis. */
export const novaChecks: AgentChecks = {
  start: { modeOptions: [], askingModes: [], unaskingOptions: [], onceOptions: [], argumentIsOnce: false },
  readSettings,
  choose,
  difference: (theirs, ours) => ({ of: "home", theirs: theirs.homeDirectory, ours: ours.homeDirectory }),
};

async function choose<Read extends ReadRecord>(all: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>> {
  const records = await matching(all, facts);
  return takes(
    rank(records, [
      ["port-variable", (record) => Number(record.port === facts.namedPort)],
      ["newest", (record) => record.modifiedMs],
    ]),
    "all",
  );
}

async function readSettings(place: SettingsPlace): Promise<OwnSettings> {
  const { platform } = place;
  const directory = chosenDirectory(place, "NOVA_HOME") ?? joinPath(platform, platform.process.homeDirectory, ".nova");
  const settingsFile = joinPath(platform, directory, "settings.json");
  const settings = await SettingsLayers.read(place, [settingsFile, ...inFolder(place, ".nova", "settings.json")]);
  const mode = settings.text("approval");
  return {
    looksForEditor: settings.flag("editor") === false ? "no" : "yes",
    looksOnContainerHost: false,
    showsChanges: true,
    asks: mode === "ask",
    mode,
    defaultMode: "auto",
    modeSetting: "approval",
    askingMode: "ask",
    settingsFile,
    decidedBy: {
      looksForEditor: settings.fileOf("boolean", "editor"),
      showsChanges: undefined,
      mode: settings.fileOf("string", "approval"),
    },
    traces: [],
    hooksOff: undefined,
    askingInput: undefined,
  };
}
