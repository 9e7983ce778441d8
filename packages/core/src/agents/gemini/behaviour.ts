import { isInContainer, type Platform } from "../../platform/platform.ts";
import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, matching, rank, type ReadRecord, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import {
  chosenDirectory,
  defaultsFile,
  inFolder,
  type OwnSettings,
  SettingsLayers,
  type SettingsPlace,
  systemFile,
  toldVariables,
  withVariables,
} from "../settings.ts";
import { ancestorsOf, readKernel, variableOf } from "../surroundings.ts";
import { type AgentHook, type HookMoments, type PathPlace, readEvent, relativePath } from "../hook.ts";
import { pathRefused } from "../../support/errors.ts";
import { envVariables } from "../gemini-family/env-files.ts";
import { folderTrust, type FolderTrust } from "../gemini-family/trust.ts";
import { familyEntries, familyReading, type WritingRules } from "../gemini-family/hook-changes.ts";

/** Gemini CLI's side of a diagnosis: docs/protocols/gemini.md. */
export const geminiChecks: AgentChecks = {
  start: {
    modeOptions: ["--approval-mode"],
    askingModes: ["default", "plan"],
    unaskingOptions: ["-y", "--yolo"],
    onceOptions: ["-p", "--prompt"],
    argumentIsOnce: false,
    // No option turns its IDE mode on, and of files only those of root, or its user's settings (0.61.0): it is told as its user would.
    connecting: { arguments: ["-i", "/ide enable"], promptOptions: ["-i", "--prompt-interactive", "-p", "--prompt"] },
  },
  readSettings,
  choose,
  neededVersion,
  difference: (theirs, ours) => ({
    of: "temporary-directory",
    theirs: theirs.temporaryDirectory,
    ours: ours.temporaryDirectory,
  }),
};

/** Of several matches only the best is tried. */
async function choose<Read extends ReadRecord>(all: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>> {
  const { platform, namedPort } = facts;
  const records = await matching(all, facts);
  const own = records.length > 1 ? await editorProcessOf(platform) : undefined;
  return takes(
    rank(records, [
      ["port-variable", (record) => Number(record.port === namedPort)],
      ["own-process", (record) => Number(record.pid !== undefined && record.pid === own)],
      ["largest-process", (record) => Number(record.pid !== undefined && platform.process.isAlive(record.pid))],
      ["largest-process", (record) => record.pid ?? 0],
    ]),
    "first",
  );
}

/** From this one on it takes any record that fits. */
const freeVersion = [0, 31] as const;

/** An older one takes only the record of the process that it takes for its editor, and says that it supports no other terminal. */
async function neededVersion(
  version: string,
  records: readonly ReadRecord[],
  facts: ChoiceFacts,
): Promise<string | undefined> {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > freeVersion[0] || minor >= freeVersion[1]) return undefined;
  const own = await editorProcessOf(facts.platform, { isTold: false });
  const fitting = await matching(records, facts);
  const isFound = fitting.some(({ pid }) => pid !== undefined && pid === own);
  return fitting.length === 0 || isFound ? undefined : `${freeVersion.join(".")}.0`;
}

const shells: ReadonlySet<string> = new Set(["zsh", "bash", "sh", "tcsh", "csh", "ksh", "fish", "dash"]);

/**
 * The process that Gemini CLI, started here, takes for its editor: the grandparent of its first ancestor that is a shell,
 * else that shell's parent (docs/protocols/gemini.md). Undefined where the names of processes cannot be told.
 */
export async function editorProcessOf(
  platform: Platform,
  { isTold = true }: { readonly isTold?: boolean } = {},
): Promise<number | undefined> {
  const told = Number(variableOf(platform.process, "GEMINI_CLI_IDE_PID"));
  if (isTold && Number.isInteger(told) && told > 0) return told;
  const ancestors = await ancestorsOf(platform);
  for (const [index, pid] of ancestors.entries()) {
    const name = await readKernel(platform, pid, "comm");
    if (name === undefined || !shells.has(name.trim().replace(/^-/u, ""))) continue;
    const grandparent = ancestors[index + 2];
    return grandparent !== undefined && grandparent > 1 ? grandparent : ancestors[index + 1];
  }
  return undefined;
}

/** With one of these set Gemini CLI stays on the container's own loopback (docs/protocols/gemini.md). */
const stayHereVariables = ["REMOTE_CONTAINERS", "VSCODE_REMOTE_CONTAINERS_SESSION", "SSH_CONNECTION"];

async function readSettings(place: SettingsPlace): Promise<OwnSettings> {
  const { platform } = place;
  const settingsFile = settingsFileOf(place);
  const administrators = systemFile(place, "GEMINI_CLI_SYSTEM_SETTINGS_PATH", {
    linux: "gemini-cli",
    darwin: "GeminiCli",
    win32: "gemini-cli",
  });
  const defaults = defaultsFile(place, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH", administrators);
  const ownFiles = [defaults, settingsFile, administrators];
  const folderFiles = inFolder(place, ".gemini", "settings.json");
  const all = await SettingsLayers.read(place, [defaults, settingsFile, ...folderFiles, administrators], {
    isStrict: true,
  });
  const own = all.only(ownFiles);
  const trust = await trustOf(place, own.flag("security", "folderTrust", "enabled") !== false);
  // Until the user trusts the folder its settings do not count.
  const settings = trust === "trusted" ? all : own;
  const told = toldVariables(
    trust === "trusted" && settings.flag("advanced", "ignoreLocalEnv") !== true
      ? await envVariables(place, homeOf(place), settings.texts("advanced", "excludedEnvVars"))
      : new Map(),
  );
  const enabled = settings.flag("ide", "enabled");
  const isTold = enabled !== undefined || settings.flag("ide", "hasSeenNudge") === true;
  const mode = settings.text("general", "defaultApprovalMode");
  return {
    looksForEditor: enabled === true ? "yes" : isTold ? "no" : "not-yet",
    ...told,
    invalidFiles: all.invalid,
    looksOnContainerHost: await looksOnContainerHost(withVariables(platform, told.variables)),
    showsChanges: true,
    asks: mode === undefined || mode === "default",
    mode,
    defaultMode: "default",
    modeSetting: "general.defaultApprovalMode",
    askingMode: "default",
    settingsFile,
    decidedBy: {
      looksForEditor: settings.fileOf("boolean", "ide", "enabled"),
      showsChanges: undefined,
      mode: settings.fileOf("string", "general", "defaultApprovalMode"),
    },
    traces: [],
    // Who is asked whether to trust the folder, and says yes, has its hooks off from then on.
    hooksOff: hooksOff(trust === "untrusted" ? own : all),
    askingInput: undefined,
  };
}

/** All of them, or ours by its command. */
function hooksOff(settings: SettingsLayers): OwnSettings["hooksOff"] {
  const keys = ["hooksConfig", "disabled"];
  const file = settings.fileNaming("patchbay-hook", ...keys);
  return (
    settings.flagged(false, "hooksConfig", "enabled") ??
    (file === undefined ? undefined : { setting: keys.join("."), file })
  );
}

function settingsFileOf(place: SettingsPlace): string {
  return inOwnDirectory(place, "settings.json");
}

function inOwnDirectory(place: SettingsPlace, name: string): string {
  const { platform } = place;
  return joinPath(platform, joinPath(platform, homeOf(place), ".gemini"), name);
}

/** The variable names what takes the place of the home, not of the directory in it. */
function homeOf(place: SettingsPlace): string {
  return chosenDirectory(place, "GEMINI_CLI_HOME") ?? place.platform.process.homeDirectory;
}

/** By its variables, else by the user's list; an editor is asked only once it is connected. */
async function trustOf(place: SettingsPlace, isAsked: boolean): Promise<FolderTrust> {
  const { process } = place.platform;
  const told = process.environment("GEMINI_CLI_TRUST_WORKSPACE");
  if (process.environment("GEMINI_RESTRICTED_MODE") === "true" || told === "false") return "untrusted";
  if (told === "true" || !isAsked) return "trusted";
  const file =
    chosenDirectory(place, "GEMINI_CLI_TRUSTED_FOLDERS_PATH") ?? inOwnDirectory(place, "trustedFolders.json");
  return await folderTrust(place, file);
}

async function looksOnContainerHost(platform: Platform): Promise<boolean> {
  if (stayHereVariables.some((name) => (platform.process.environment(name) ?? "") !== "")) return false;
  return await isInContainer(platform);
}

/**
 * The file that a tool of Gemini CLI's opens (seen, 0.61.0): without NULs and without the `@` of a mention, percent signs decoded, `..` taken
 * for the name before it, and only then the links. In the mode that plans, relative paths are in a folder of its own.
 */
async function openedByGemini(
  path: string,
  place: PathPlace,
  { isEdit }: { readonly isEdit: boolean },
): Promise<string> {
  const { cwd, isWindows } = place;
  const { isAbsolute, join, resolve } = place.words;
  if (cwd === undefined && !isAbsolute(path)) throw relativePath();
  const folder = cwd ?? "/";
  const clean = path.replaceAll("\0", "");
  const named = isEdit && isAbsolute(path) ? clean : await withoutMention(clean, folder, place);
  if (isEdit && !isAbsolute(path) && !(await isThere(join(folder, named), place)))
    throw pathRefused("The path is relative, and no such file is in the folder where you work.");
  const opened = resolve(decoded(resolve(folder, named)));
  const real = isWindows ? opened : await realInGemini(opened, place);
  if (decoded(real) !== real) throw pathRefused("The path holds percent signs that are decoded more than once.");
  return real;
}

/** A path with an `@` before it means the one without, unless there is such a file, or such a first folder. */
async function withoutMention(path: string, folder: string, place: PathPlace): Promise<string> {
  const { resolve } = place.words;
  if (!path.startsWith("@") || (await isThere(resolve(folder, path), place))) return path;
  const bare = path.slice(1).replace(/^[\\/]+/u, "");
  if (bare === "") return path;
  if (/^@[\\/]/u.test(path)) return bare;
  const [first = ""] = bare.split(/[\\/]/u);
  return first === "" || (await isThere(resolve(folder, `@${first}`), place)) ? path : bare;
}

async function isThere(path: string, { follow }: PathPlace): Promise<boolean> {
  const followed = await follow(path).catch(() => undefined);
  return followed?.facts !== undefined;
}

/** All of it, or nothing where a percent sign stands for none. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** With links resolved, as far as it exists; a link that leads nowhere is resolved from where it was named, and not from where it is. */
async function realInGemini(path: string, { files, follow, words }: PathPlace): Promise<string> {
  const { dirname, join, resolve } = words;
  const seen = new Set<string>();
  for (let named = path; !seen.has(named); ) {
    seen.add(named);
    const names = named.split("/").filter((name) => name !== "");
    let found = "/";
    let target: string | undefined;
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const entry = join(found, name);
      const kind = (await files.lstat(entry))?.kind;
      if (kind === undefined) return join((await follow(found, "by-name")).real, name, ...names);
      found = entry;
      if (kind !== "link" || (await follow(entry, "by-name")).facts !== undefined) continue;
      target = await files.readLink(entry);
      break;
    }
    if (target === undefined) return (await follow(found, "by-name")).real;
    named = resolve(dirname(found), target, ...names);
  }
  throw pathRefused("The path leads through links that cannot be followed.");
}

/** Gemini CLI's tools, as seen with 0.61.0. */
const rules: WritingRules = {
  editTool: "replace",
  notebookTool: undefined,
  forAll: "allow_multiple",
  keepsMark: false,
  keepsFinalEnd: true,
  emptyTakesLine: false,
  takesArguments: true,
  opened: openedByGemini,
};

const moments: HookMoments = {
  beforeTool: "BeforeTool",
  afterTool: "AfterTool",
  turnBegins: "BeforeAgent",
  turnEnds: "AfterAgent",
};

const reading = familyReading(moments, rules, {
  // In the modes in which it asks it does so all the same, but it does not say in which it is.
  beforeCommand: () => false,
  beforeWrite: () => undefined,
});

/** Gemini CLI's hooks: docs/protocols/gemini.md, "Hooks". It does not say in which mode it is. */
export const geminiHook: AgentHook = {
  settings: {
    file: (place, scope) => {
      const [shared] = inFolder(place, ".gemini", "settings.json");
      return scope === "project" && shared !== undefined ? shared : settingsFileOf(place);
    },
    entries: familyEntries(moments, rules),
    isStrict: false,
    shell: undefined,
    consent: "trusted-folder",
  },
  read: (event) => readEvent(event, reading),
  encodeNote: (note) => JSON.stringify({ hookSpecificOutput: { hookEventName: "AfterTool", additionalContext: note } }),
  encode: (verdict) => {
    switch (verdict.kind) {
      case "allow":
        return JSON.stringify({ decision: "allow" });
      case "allow-changed":
        return JSON.stringify({
          decision: "allow",
          hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: verdict.arguments },
        });
      case "deny":
        return JSON.stringify({ decision: "deny", reason: verdict.reason });
      case "told":
        return JSON.stringify({
          hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: verdict.note },
        });
    }
  },
};
