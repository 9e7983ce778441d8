import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, holds, rank, type ReadRecord, realPlace, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import { type AgentHook, argumentsOf, type HookReading, readEvent, textOf } from "../hook.ts";
import { pluginFile } from "../plugin.ts";
import { inFolder, type OwnSettings, SettingsLayers, type SettingsPlace } from "../settings.ts";
import { type Surroundings, variableOf } from "../surroundings.ts";
import type { FamilyAgent } from "./family.ts";
import { moments } from "./names.ts";
import { inBase, inConfiguration } from "./places.ts";
import { changesOf, commandOf } from "./tools.ts";

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
      hooklessOptions: ["--pure"],
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
  const settingsFile = inConfiguration(place, id, `${id}.json`);
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

const fileName = "patchbay.js";

const reading: HookReading = {
  moments,
  command: (event) => commandOf(textOf(event, "tool_name"), argumentsOf(event)),
  changes: (event) => changesOf(textOf(event, "tool_name"), argumentsOf(event)),
  // Its question comes after the plugin, which answers it.
  asksBeforeWrite: () => false,
};

/** A member's events, as its plugin tells of them, and verdicts as it takes them: docs/protocols/opencode.md. */
export function familyHook({ id, agentName }: Pick<FamilyAgent<string>, "id" | "agentName">): AgentHook {
  return {
    settings: {
      file: (place, scope) => {
        const [own] = inFolder(place, joinPath(place.platform, `.${id}`, "plugin"), fileName);
        return scope === "project" && own !== undefined ? own : inConfiguration(place, id, "plugin", fileName);
      },
      entries: [],
      isStrict: false,
      shell: undefined,
      consent: "none",
      plugin: pluginFile({
        id,
        agentName,
        kind: "plugin",
        body: [
          "export default async function patchbay(host) {",
          "  try {",
          '    const program = join(homedir(), ".patchbay", "patchbay-hook.cjs");',
          "    // An earlier one can only be run: loaded here, it would read what you type.",
          '    if (!readFileSync(program, "utf8").includes("attachToAgent")) return {};',
          `    return createRequire(program)(program).attachToAgent("${id}", host) ?? {};`,
          "  } catch {",
          `    // ${agentName} goes on as if this file were not there.`,
          "    return {};",
          "  }",
          "}",
        ],
      }),
    },
    read: (event) => readEvent(event, reading),
    encode: (verdict) => JSON.stringify(verdict),
    encodeNote: (note) => JSON.stringify({ kind: "told", note }),
    asksAhead: true,
  };
}
