import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, matching, rank, type ReadRecord, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import { type AgentHook, argumentsOf, type HookMoments, type HookReading, readEvent, textOf } from "../hook.ts";
import { chosenDirectory, inFolder, type OwnSettings, SettingsLayers, type SettingsPlace } from "../settings.ts";
import { contextNote } from "../context-note.ts";
import { extension } from "./extension.ts";
import { commandTool } from "./names.ts";
import { changesOf } from "./tools.ts";

const fileName = "patchbay.js";

/** Pi's side of a diagnosis: docs/protocols/pi.md. */
export const piChecks: AgentChecks = {
  // It has no mode: it never asks.
  start: {
    modeOptions: [],
    askingModes: [],
    unaskingOptions: [],
    onceOptions: [],
    argumentIsOnce: false,
    hooklessOptions: ["--no-extensions", "-ne"],
  },
  readSettings,
  choose,
  difference: (theirs, ours) => ({ of: "home", theirs: theirs.homeDirectory, ours: ours.homeDirectory }),
};

/** As its extension does (`findCompanions`): the nearest folder, then the newest. */
async function choose<Read extends ReadRecord>(all: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>> {
  const records = await matching(all, facts);
  return takes(rank(records, [["newest", ({ modifiedMs }) => modifiedMs]]), "all");
}

async function readSettings(place: SettingsPlace): Promise<OwnSettings> {
  const settingsFile = inOwnDirectory(place, "settings.json");
  const settings = await SettingsLayers.read(place, [settingsFile]);
  return {
    // Its extension does, where it is installed.
    looksForEditor: "yes",
    looksOnContainerHost: false,
    showsChanges: true,
    invalidFiles: settings.invalid,
    asks: false,
    mode: undefined,
    defaultMode: "",
    modeSetting: "",
    askingMode: "",
    settingsFile,
    decidedBy: { looksForEditor: undefined, showsChanges: undefined, mode: undefined },
    traces: [inOwnDirectory(place, "auth.json"), inOwnDirectory(place, "models.json")],
    hooksOff: await hooksOff(place),
    askingInput: undefined,
  };
}

/** The setting that keeps Pi from loading our extension, where it does so for all of ours that are there. Each folder's settings count for its own. */
async function hooksOff(place: SettingsPlace): Promise<OwnSettings["hooksOff"]> {
  const { platform, folder } = place;
  const folders = [inOwnDirectory(place), ...(folder === undefined ? [] : [joinPath(platform, folder, ".pi")])];
  let off: OwnSettings["hooksOff"];
  for (const directory of folders) {
    const extensionFile = joinPath(platform, joinPath(platform, directory, "extensions"), fileName);
    if ((await platform.files.lstat(extensionFile).catch(() => undefined)) === undefined) continue;
    const file = joinPath(platform, directory, "settings.json");
    const entries = (await SettingsLayers.read(place, [file])).texts("extensions");
    if (!isSwitchedOff(entries, extensionFile)) return undefined;
    off ??= { setting: "extensions", file };
  }
  return off;
}

/** As Pi reads its list (seen, 0.74.2): `!` with a pattern switches off, `+` with a path switches on, and `-` off again. */
function isSwitchedOff(entries: readonly string[], file: string): boolean {
  const paths = [`extensions/${fileName}`, file.replaceAll("\\", "/")];
  const named = (sign: string): boolean =>
    entries.some((entry) => entry.startsWith(sign) && paths.includes(withoutDot(entry.slice(1))));
  const isExcluded = entries.some((entry) => {
    const pattern = entry.startsWith("!") ? patternOf(entry.slice(1)) : undefined;
    return pattern !== undefined && [fileName, ...paths].some((path) => pattern.test(path));
  });
  return named("-") || (isExcluded && !named("+"));
}

function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/** The stars of a pattern; what else one may hold nobody needs to name a file. */
function patternOf(text: string): RegExp {
  const parts = text.split(/(\*+)/u).map((part) => {
    if (part.startsWith("*")) return part === "*" ? "[^/]*" : ".*";
    return part.replaceAll(/[\\^$.|?+()[\]{}]/gu, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join("")}$`, "u");
}

/** The variable names what takes the place of `~/.pi/agent`. */
function inOwnDirectory(place: SettingsPlace, ...names: readonly string[]): string {
  const { platform } = place;
  const { homeDirectory } = platform.process;
  const chosen = chosenDirectory(place, "PI_CODING_AGENT_DIR");
  const named = chosen === "~" || chosen?.startsWith("~/") === true ? homeDirectory + chosen.slice(1) : chosen;
  const own = named ?? joinPath(platform, joinPath(platform, homeDirectory, ".pi"), "agent");
  return names.reduce((path, name) => joinPath(platform, path, name), own);
}

/** The names under which its extension tells of its events. */
const moments: HookMoments = {
  beforeTool: "tool_call",
  afterTool: "tool_result",
  turnBegins: "before_agent_start",
  turnEnds: "agent_end",
};

const reading: HookReading = {
  moments,
  command: (event) => {
    const command = textOf(event, "tool_name") === commandTool ? textOf(argumentsOf(event), "command") : undefined;
    return command === undefined ? undefined : { asks: false, command, directory: undefined };
  },
  changes: (event) => changesOf(textOf(event, "tool_name"), argumentsOf(event)),
  asksBeforeWrite: () => false,
};

/** Pi's events, as its extension tells of them, and verdicts as it takes them: docs/protocols/pi.md. */
export const piHook: AgentHook = {
  settings: {
    file: (place, scope) => {
      const [own] = inFolder(place, joinPath(place.platform, ".pi", "extensions"), fileName);
      return scope === "project" && own !== undefined ? own : inOwnDirectory(place, "extensions", fileName);
    },
    entries: [],
    isStrict: false,
    shell: undefined,
    consent: "none",
    plugin: extension,
  },
  read: (event) => readEvent(event, reading),
  encode: (verdict) => JSON.stringify(verdict),
  encodeNote: (note) => JSON.stringify({ kind: "told", note }),
  contextNote,
  asksAhead: true,
};
