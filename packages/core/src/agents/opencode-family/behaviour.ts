import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, holds, rank, type ReadRecord, realPlace, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import { chosenDirectory, type OwnSettings, SettingsLayers, type SettingsPlace } from "../settings.ts";
import { type Surroundings, variableOf } from "../surroundings.ts";

/** A member's side of a diagnosis, by its id, which its folders and its variables begin with: docs/protocols/opencode.md. */
export function familyChecks(id: string): AgentChecks {
  return {
    start: {
      modeOptions: [],
      askingModes: [],
      unaskingOptions: [],
      onceOptions: [],
      // A first word is a command, or a folder.
      argumentIsOnce: false,
    },
    readSettings: async (place) => await readSettings(place, id),
    choose,
    portWithoutToken: (surroundings) => portWithoutToken(surroundings, id),
    difference: (theirs, ours) => ({ of: "home", theirs: theirs.homeDirectory, ours: ours.homeDirectory }),
  };
}

/** The longest folder wins, then the newest record; whether anybody lives behind it is not asked. Links in it are not followed. */
async function choose<Read extends ReadRecord>(
  all: readonly Read[],
  { platform, folder }: ChoiceFacts,
): Promise<Choice<Read>> {
  const here = await realPlace(platform, folder);
  const nearest = (record: Read): number =>
    Math.max(0, ...record.folders.filter((root) => holds(root, here)).map((root) => root.length));
  return takes(
    rank(
      all.filter((record) => nearest(record) > 0),
      [
        ["nearest-folder", nearest],
        ["newest", ({ modifiedMs }) => modifiedMs],
      ],
    ),
    "first",
  );
}

/** The variable whose port it dials, and shows no token there; undefined: it looks for records. */
function portWithoutToken(surroundings: Pick<Surroundings, "environment">, id: string): string | undefined {
  const variable = ["CLAUDE_CODE_SSE_PORT", `${id.toUpperCase()}_EDITOR_SSE_PORT`].find(
    (name) => variableOf(surroundings, name) !== undefined,
  );
  // As the client reads it: of a port with an exponent, or in hexadecimal, it reads the 0 at the beginning.
  const port = Number.parseInt(variable === undefined ? "" : (variableOf(surroundings, variable) ?? ""), 10);
  return port > 0 && port <= 65_535 ? variable : undefined;
}

async function readSettings(place: SettingsPlace, id: string): Promise<OwnSettings> {
  const state = inBase(place, "XDG_STATE_HOME", [".local", "state"], id, "kv.json");
  const settingsFile = inBase(place, "XDG_CONFIG_HOME", [".config"], id, `${id}.json`);
  const kept = await SettingsLayers.read(place, [state]);
  const isOff = kept.flag("file_context_enabled") === false;
  return {
    looksForEditor: "yes",
    looksOnContainerHost: false,
    // Neither its settings nor its command line have a say in what an editor shows: its protocol carries no changes.
    showsChanges: true,
    asks: true,
    mode: undefined,
    defaultMode: "",
    modeSetting: "permission.edit",
    askingMode: "ask",
    settingsFile,
    decidedBy: { looksForEditor: undefined, showsChanges: undefined, mode: undefined },
    contextOff: isOff ? state : undefined,
    traces: [state],
    hooksOff: undefined,
    askingInput: undefined,
  };
}

/** Below a base directory of the system's, which a variable may name. */
function inBase(place: SettingsPlace, variable: string, usual: readonly string[], ...names: readonly string[]): string {
  const { platform } = place;
  const join = (path: string, name: string): string => joinPath(platform, path, name);
  const base = chosenDirectory(place, variable) ?? usual.reduce(join, platform.process.homeDirectory);
  return names.reduce(join, base);
}
