import { isInContainer, type Platform } from "../../platform/platform.ts";
import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, isAtMost, matching, rank, type ReadRecord, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import {
  chosenDirectory,
  defaultsFile,
  type FoundVariables,
  inFolder,
  type OwnSettings,
  SettingsLayers,
  type SettingsPlace,
  systemFile,
  toldVariables,
  withVariables,
} from "../settings.ts";
import { variableOf } from "../surroundings.ts";
import { type AgentHook, type HookMoments, type PathPlace, readEvent, relativePath, textOf } from "../hook.ts";
import { pathRefused } from "../../support/errors.ts";
import { folderTrust, type FolderTrust } from "../gemini-family/trust.ts";
import { earlyVariables, fileVariables, qwenDirectory } from "./variables.ts";
import { familyEntries, familyReading, type WritingRules } from "../gemini-family/hook-changes.ts";

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
  neededVersion,
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

/** The first one that was seen to find an editor by its records alone; of those between it and the older ones nothing is known. */
const freeVersion = "0.12.0";

/**
 * Up to 0.10.1 it takes only the record that its port variable names, and in a container dials the container's host; up to 0.5.2 it reads
 * none of these records.
 */
async function neededVersion(
  version: string,
  records: readonly ReadRecord[],
  facts: ChoiceFacts,
): Promise<string | undefined> {
  if (!isAtMost(version, [0, 10, 1])) return undefined;
  const fitting = await matching(records, facts);
  if (fitting.length === 0) return undefined;
  const isNamed = fitting.some(({ port }) => port === facts.namedPort);
  const isFound = isNamed && !isAtMost(version, [0, 5, 2]) && !(await isInContainer(facts.platform));
  return isFound ? undefined : freeVersion;
}

async function readSettings({ platform, folder }: SettingsPlace): Promise<OwnSettings> {
  const early = await earlyVariables(platform);
  const first = { platform: withFound(platform, early), folder };
  const layers = await readLayers(first);
  const found = await fileVariables(first, {
    trusts: async (directory) => {
      const level = layers.isAsked ? await folderTrust({ ...first, folder: directory }, trustFile(first)) : "trusted";
      return layers.trust === "trusted" && level !== "untrusted";
    },
    excluded: layers.settings.texts("advanced", "excludedEnvVars"),
    settings: layers.settings.members("env"),
  });
  const all = new Map([...found, ...early]);
  const restarted = { platform: withFound(platform, all), folder };
  // It starts itself once more with what it has found, and then reads its settings where that says.
  const isRestarted = variableOf(restarted.platform.process, "QWEN_CODE_NO_RELAUNCH") === undefined;
  const place = isRestarted ? restarted : first;
  const { settings, trust, own, files } = await readLayers(place);
  const mode = settings.text("tools", "approvalMode");
  return {
    looksForEditor: settings.flag("ide", "enabled") === false ? "no" : "yes",
    ...toldVariables(all),
    invalidFiles: files.invalid,
    looksOnContainerHost: false,
    showsChanges: true,
    asks: mode === "default",
    mode,
    defaultMode: "auto",
    modeSetting: "tools.approvalMode",
    askingMode: "default",
    settingsFile: settingsFileOf(place),
    decidedBy: {
      looksForEditor: settings.fileOf("boolean", "ide", "enabled"),
      showsChanges: undefined,
      mode: settings.fileOf("string", "tools", "approvalMode"),
    },
    traces: [],
    hooksOff: (trust === "untrusted" ? own : files).flagged(true, "disableAllHooks"),
    askingInput: "/approval-mode default",
  };
}

interface ReadLayers {
  /** All files that are there. */
  readonly files: SettingsLayers;
  /** Those that are not the folder's. */
  readonly own: SettingsLayers;
  readonly isAsked: boolean;
  readonly trust: FolderTrust;
  /** Those that count. */
  readonly settings: SettingsLayers;
}

async function readLayers(place: SettingsPlace): Promise<ReadLayers> {
  const settingsFile = settingsFileOf(place);
  const administrators = administratorFile(place);
  const defaults = defaultsFile(place, "QWEN_CODE_SYSTEM_DEFAULTS_PATH", administrators);
  const folderFiles = inFolder(place, ".qwen", "settings.json");
  const files = await SettingsLayers.read(place, [defaults, settingsFile, ...folderFiles, administrators], {
    isStrict: true,
    putAside: folderFiles,
  });
  const own = files.only([defaults, settingsFile, administrators]);
  // It asks for trust only where the user has said so.
  const isAsked = own.flag("security", "folderTrust", "enabled") === true;
  const trust = isAsked ? await folderTrust(place, trustFile(place)) : "trusted";
  return { files, own, isAsked, trust, settings: trust === "trusted" ? files : own };
}

function trustFile(place: SettingsPlace): string {
  return chosenDirectory(place, "QWEN_CODE_TRUSTED_FOLDERS_PATH") ?? inOwnDirectory(place, "trustedFolders.json");
}

function withFound(platform: Platform, found: FoundVariables): Platform {
  return withVariables(platform, toldVariables(found).variables);
}

function settingsFileOf(place: SettingsPlace): string {
  return inOwnDirectory(place, "settings.json");
}

function inOwnDirectory(place: SettingsPlace, name: string): string {
  return joinPath(place.platform, qwenDirectory(place), name);
}

function administratorFile(place: Pick<SettingsPlace, "platform">): string {
  return systemFile(place, "QWEN_CODE_SYSTEM_SETTINGS_PATH", {
    linux: "qwen-code",
    darwin: "QwenCode",
    win32: "qwen-code",
  });
}

/** Links one behind the other that it follows. */
const mostLinks = 40;

/**
 * Qwen Code opens what its hook is told (it has trimmed it by then, and taken shell escapes out), so that the system resolves it; links at
 * its end it follows by itself, and takes `..` in a relative one for the name that stands before it (seen, 0.24.4).
 */
async function openedByQwen(path: string, { isWindows, words, files, follow }: PathPlace): Promise<string> {
  const { basename, dirname, isAbsolute, join, resolve } = words;
  // Its tools refuse a relative one.
  if (!isAbsolute(path)) throw relativePath();
  if (isWindows) return path;
  let opened = path;
  for (let links = 0; links < mostLinks; links += 1) {
    // The system decides whether that can be a file.
    if (["", ".", ".."].includes(opened.slice(opened.lastIndexOf("/") + 1))) return opened;
    const directory = (await follow(dirname(opened))).real;
    opened = join(directory, basename(opened));
    const target = (await files.lstat(opened))?.kind === "link" ? await files.readLink(opened) : undefined;
    if (target === undefined) return opened;
    opened = isAbsolute(target) ? target : resolve(directory, target);
  }
  throw pathRefused("The path leads through too many links.");
}

/** Qwen Code's tools, as seen with 0.24.4. */
const rules: WritingRules = {
  editTool: "edit",
  notebookTool: "notebook_edit",
  forAll: "replace_all",
  keepsMark: true,
  keepsFinalEnd: false,
  emptyTakesLine: true,
  // Whatever a hook says, its tools are run with the model's own.
  takesArguments: false,
  opened: openedByQwen,
};

const moments: HookMoments = {
  beforeTool: "PreToolUse",
  afterTool: "PostToolUse",
  // Said before every request to the model, with an empty prompt but for the first one.
  turnBegins: "UserPromptSubmit",
  turnEnds: "Stop",
};

/** The hook runs after the agent's own question. */
const asks = (event: unknown): boolean => textOf(event, "permission_mode") === "default";

const reading = familyReading(moments, rules, { beforeCommand: asks, beforeWrite: asks });

/** Qwen Code's hooks: docs/protocols/qwen.md, "Hooks". */
export const qwenHook: AgentHook = {
  settings: {
    file: (place, scope) => {
      const [shared] = inFolder(place, ".qwen", "settings.json");
      return scope === "project" && shared !== undefined ? shared : settingsFileOf(place);
    },
    entries: familyEntries(moments, rules),
    isStrict: false,
    shell: "powershell",
    consent: "trusted-folder",
  },
  read: (event) => readEvent(event, reading),
  encodeNote: (note) =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: note } }),
  encode: (verdict) =>
    JSON.stringify({
      hookSpecificOutput:
        verdict.kind === "told"
          ? { hookEventName: "UserPromptSubmit", additionalContext: verdict.note }
          : {
              hookEventName: "PreToolUse",
              permissionDecision: verdict.kind === "deny" ? "deny" : "allow",
              ...(verdict.kind === "deny" ? { permissionDecisionReason: verdict.reason } : {}),
            },
    }),
};
