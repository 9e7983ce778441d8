import type { Platform } from "../../platform/platform.ts";
import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, holds, isAtMost, type ReadRecord, realPlace, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import { ancestorsOf, variableOf } from "../surroundings.ts";
import {
  chosenDirectory,
  inFolder,
  jsonFilesIn,
  managedDirectory,
  type OwnSettings,
  SettingsLayers,
  type SettingsPlace,
  toldVariables,
  withVariables,
} from "../settings.ts";
import {
  type AgentHook,
  argumentsOf,
  beginsWithReturns,
  type HookChange,
  hookEntries,
  type HookMoments,
  type HookReading,
  memberOf,
  type NamedFile,
  oneOrNone,
  type PathPlace,
  relativePath,
  replaced,
  type Replacement,
  replacementFor,
  type SeenFile,
  readEvent,
  seenFile,
  textOf,
  type ToolArguments,
  withLineEnd,
} from "../hook.ts";

const portVariable = "CLAUDE_CODE_SSE_PORT";

/** With `false` it connects only to what its user chooses by `/ide`; with `true` also where nothing else has it connect. */
const lookingVariable = "CLAUDE_CODE_AUTO_CONNECT_IDE";

/** Claude Code's side of a diagnosis: docs/protocols/claude.md. */
export const claudeChecks: AgentChecks = {
  start: {
    modeOptions: ["--permission-mode"],
    askingModes: ["default", "manual", "plan"],
    unaskingOptions: ["--dangerously-skip-permissions"],
    onceOptions: ["-p", "--print"],
    argumentIsOnce: false,
    hooklessOptions: ["--bare", "--safe-mode"],
    variables: { [lookingVariable]: "true" },
    plainPort: portVariable,
  },
  readSettings,
  choose,
  readPort,
  neededVersion,
  difference: (theirs, ours) => ({ of: "home", theirs: theirs.homeDirectory, ours: ours.homeDirectory }),
};

/**
 * An exponent counts, and so do groups of three digits. What follows the digits of any other number is nothing to it: a hexadecimal port is 0.
 */
function readPort(text: string): number | undefined {
  const written = text.trim();
  const isExponential = written.length <= 32 && /^[+-]?(?:\d+\.?\d*|\.\d+)e[+-]?\d+$/iu.test(written);
  const isGrouped =
    written.length <= 32 && /^[+-]?\d{1,3}(?<mark>[_,\u00A0\u202F ])\d{3}(?:\k<mark>\d{3})*$/u.test(written);
  const port = isExponential
    ? Number(written)
    : Number.parseInt(isGrouped ? written.replaceAll(/[^\d+-]/gu, "") : written, 10);
  return Number.isInteger(port) ? port : undefined;
}

/** The first one that reads an exponent in its port variable (docs/protocols/claude.md). */
const exponentVersion = "2.1.232";

/** An older one reads the digits at the beginning, which are 0: of what the port decides it is left alone with the records. */
async function neededVersion(
  version: string,
  records: readonly ReadRecord[],
  facts: ChoiceFacts,
): Promise<string | undefined> {
  const { namedPort, platform } = facts;
  if (namedPort === undefined || !isAtMost(version, [2, 1, 231])) return undefined;
  const read = Number.parseInt(variableOf(platform.process, portVariable) ?? "", 10);
  const chosen = portOf(await choose(records, facts));
  const found = portOf(await choose(records, { ...facts, namedPort: Number.isNaN(read) ? undefined : read }));
  return chosen === undefined || chosen === found ? undefined : exponentVersion;
}

/** Of the editor to which it connects by itself. */
function portOf(choice: Choice<ReadRecord>): number | undefined {
  return choice.kind === "takes" ? choice.ranked[0]?.record.port : undefined;
}

async function choose<Read extends ReadRecord>(all: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>> {
  const { platform, folder, namedPort, connectsByItself, editorTerminal } = facts;
  const alive = all.filter(({ pid }) => pid === undefined || platform.process.isAlive(pid));
  const named = alive.find((record) => record.port === namedPort);
  // Whatever its folders are.
  if (named !== undefined) return takes([{ record: named, because: "port-variable" }], "first");
  // Links in a record's folders are not followed, and the agent's own directory has none: the system tells it without.
  const here = await realPlace(platform, folder);
  const fitting = alive.filter(({ folders }) => folders.some((root) => holds(root, here)));
  // Nor does `--ide` have it connect to another editor than its terminal's.
  const ancestors = editorTerminal === undefined ? undefined : await ancestorsOf(platform);
  const records = fitting.filter(
    ({ pid }) => ancestors === undefined || (pid !== undefined && ancestors.includes(pid)),
  );
  const [first] = records;
  const [other] = fitting;
  if (first === undefined) {
    return other === undefined || editorTerminal === undefined
      ? { kind: "none" }
      : { kind: "other-terminal", record: other, variable: editorTerminal };
  }
  if (records.length > 1) return { kind: "undecided", records };
  // Any port variable, also one of an editor that is gone, has it connect by itself.
  return namedPort === undefined && connectsByItself !== true && editorTerminal === undefined
    ? { kind: "waits", record: first }
    : takes([{ record: first, because: "only" }], "first");
}

/** The tools that write; rules of the user may have each of them asked about in any mode. */
const writingTools = ["Edit", "Write"];

async function readSettings(place: SettingsPlace): Promise<OwnSettings> {
  const { platform } = place;
  const { homeDirectory } = platform.process;
  const chosen = chosenDirectory(place, "CLAUDE_CONFIG_DIR");
  const settingsFile = settingsFileOf(place);
  const administrators = await administratorFiles(place);
  const settings = await SettingsLayers.read(place, [
    // What its own dialogs keep stands in the home, beside the directory, or in the one that the variable names.
    joinPath(platform, chosen ?? homeDirectory, ".claude.json"),
    settingsFile,
    ...inFolder(place, ".claude", "settings.json", "settings.local.json"),
    ...administrators,
  ]);
  const managed = settings.only(administrators);
  // What stands in settings takes the place of what the terminal has.
  const found = toldVariables(settings.members("env"));
  const told = withVariables(platform, found.variables).process.environment(lookingVariable)?.toLowerCase();
  const isOff = told !== undefined && ["0", "false", "no", "off"].includes(told);
  const mode = settings.text("permissions", "defaultMode");
  const rules = managed.flag("allowManagedPermissionRulesOnly") === true ? managed : settings;
  const asked = rules.texts("permissions", "ask");
  return {
    looksForEditor: isOff ? "no" : "yes",
    lookingVariable,
    connectsByItself: ["1", "true", "yes", "on"].includes(told ?? "") || settings.flag("autoConnectIde") === true,
    editorTerminal: editorTerminalIn(platform),
    ...found,
    invalidFiles: settings.invalid,
    looksOnContainerHost: false,
    showsChanges: settings.text("diffTool") !== "terminal",
    asks: mode === "default" || mode === "manual" || writingTools.every((tool) => asked.includes(tool)),
    mode,
    defaultMode: "auto",
    modeSetting: "permissions.defaultMode",
    askingMode: "default",
    settingsFile,
    decidedBy: {
      looksForEditor: isOff ? settings.fileOf("string", "env", lookingVariable) : undefined,
      showsChanges: settings.fileOf("string", "diffTool"),
      mode: settings.fileOf("string", "permissions", "defaultMode"),
    },
    traces: [joinPath(platform, homeDirectory, ".claude.json")],
    hooksOff: settings.flagged(true, "disableAllHooks"),
    askingInput: undefined,
  };
}

/** What makes Claude Code take its terminal for an editor's own, whichever editor that is (docs/protocols/claude.md). */
const editorTerminals: readonly (readonly [variable: string, value: RegExp])[] = [
  ["TERM_PROGRAM", /^(?:vscode|cursor|windsurf|devin)$/u],
  ["TERMINAL_EMULATOR", /^JetBrains-JediTerm$/u],
  ["CURSOR_TRACE_ID", /./u],
  ["VSCODE_GIT_ASKPASS_MAIN", /\.(?:cursor|windsurf)-server|\/Cursor\.app\//u],
  ["FORCE_CODE_TERMINAL", /./u],
];

function editorTerminalIn({ process }: Platform): string | undefined {
  return editorTerminals.find(([variable, value]) => value.test(process.environment(variable) ?? ""))?.[0];
}

function settingsFileOf(place: SettingsPlace): string {
  const { platform } = place;
  const chosen = chosenDirectory(place, "CLAUDE_CONFIG_DIR");
  return joinPath(platform, chosen ?? joinPath(platform, platform.process.homeDirectory, ".claude"), "settings.json");
}

/** The administrator's file and those beside it, each of which wins over the one before (docs/protocols/claude.md). */
async function administratorFiles(place: SettingsPlace): Promise<readonly string[]> {
  const { platform } = place;
  const directory = managedDirectory(place, { linux: "claude-code", darwin: "ClaudeCode", win32: "ClaudeCode" });
  const beside = await jsonFilesIn(place, joinPath(platform, directory, "managed-settings.d"));
  return [joinPath(platform, directory, "managed-settings.json"), ...beside];
}

const moments: HookMoments = {
  beforeTool: "PreToolUse",
  afterTool: "PostToolUse",
  turnBegins: "UserPromptSubmit",
  turnEnds: "Stop",
};

const commandTool = "Bash";

const reading: HookReading = {
  moments,
  command: (event) => {
    const command = textOf(event, "tool_name") === commandTool ? textOf(argumentsOf(event), "command") : undefined;
    // A yes of the hook's is all that it needs, in every mode.
    return command === undefined ? undefined : { asks: false, command, directory: undefined };
  },
  changes: (event) => oneOrNone(changeOf(textOf(event, "tool_name"), argumentsOf(event))),
  asksBeforeWrite: (event) => textOf(event, "permission_mode") === "default",
};

/** Claude Code's hooks: docs/protocols/claude.md, "Hooks". */
export const claudeHook: AgentHook = {
  settings: {
    file: (place, scope) => {
      // Of the files in a folder, the one that is the user's own: the command is a path of this machine.
      const [own] = inFolder(place, ".claude", "settings.local.json");
      return scope === "project" && own !== undefined ? own : settingsFileOf(place);
    },
    entries: hookEntries(moments, { matcher: "Write|Edit|MultiEdit|NotebookEdit", commandTool }, 1),
    isStrict: true,
    shell: "powershell",
    consent: "none",
  },
  read: (event) => readEvent(event, reading),
  encodeNote: (note) =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: note } }),
  encode: (verdict) => {
    if (verdict.kind === "told") {
      return JSON.stringify({
        hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: verdict.note },
      });
    }
    const decision = verdict.kind === "deny" ? "deny" : "allow";
    return JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: decision,
        ...(verdict.kind === "deny" ? { permissionDecisionReason: verdict.reason } : {}),
        // Without the note the model believes that its own text was written.
        ...(verdict.kind === "allow-changed"
          ? { updatedInput: verdict.arguments, additionalContext: verdict.note }
          : {}),
      },
    });
  },
};

/**
 * Claude Code takes `.`, `..` and double slashes out of a path before it looks at any link (seen, 2.1.328), and says the result to its
 * hook. Of a path that it has not cleaned yet the same is made here.
 */
async function openedByClaude(path: string, { cwd, homeDirectory, words }: PathPlace): Promise<string> {
  const { isAbsolute, join, resolve } = words;
  const trimmed = path.trim();
  const named = trimmed === "~" || trimmed.startsWith("~/") ? join(homeDirectory, trimmed.slice(1)) : trimmed;
  if (cwd === undefined && !isAbsolute(named)) throw relativePath();
  return resolve(cwd ?? "/", named).normalize("NFC");
}

function changeOf(tool: string | undefined, input: ToolArguments): HookChange | undefined {
  const path = textOf(input, "file_path") ?? textOf(input, "notebook_path");
  if (path === undefined) return undefined;
  const opened = (place: PathPlace): Promise<string> => openedByClaude(path, place);
  switch (tool) {
    case "Write":
      return {
        path,
        opened,
        isDelicate: false,
        textAfter: (before) => textAfterWrite(input, before),
        argumentsFor: (before, wanted) =>
          checked({ ...input, content: wanted }, wanted, (changed) => textAfterWrite(changed, before)),
      };
    case "Edit":
    case "MultiEdit":
      return editOf({ path, opened }, tool, input);
    // Cells are not shown yet: whoever wants every write reviewed is told of the file by its name.
    case "NotebookEdit":
      return { path, opened, isDelicate: false, textAfter: () => undefined, argumentsFor: () => undefined };
    default:
      return undefined;
  }
}

/** The content is written as it is, but a byte order mark that the file has stays. */
function textAfterWrite(input: ToolArguments, before: string | undefined): string | undefined {
  const content = textOf(input, "content");
  if (content === undefined) return undefined;
  return before?.startsWith("\ufeff") === true && !content.startsWith("\ufeff") ? `\ufeff${content}` : content;
}

function editOf(file: NamedFile, tool: "Edit" | "MultiEdit", input: ToolArguments): HookChange {
  const edits = editsIn(tool, input);
  const [only, ...others] = edits ?? [];
  const kept = others.length === 0 && only?.isForAll === false ? only.from : undefined;
  return {
    ...file,
    // With an empty new text it also takes the end of the line away.
    isDelicate: edits?.some(({ to }) => to === "") === true,
    textAfter: (before) => textAfterEdits(edits, before),
    argumentsFor: (before, wanted) => {
      const one = replacementIn(before, wanted, kept);
      if (one === undefined || textAfterEdits([one], before) !== wanted) return undefined;
      const edit = { old_string: one.from, new_string: one.to, replace_all: false };
      return tool === "Edit" ? { ...input, ...edit } : { ...input, edits: [edit] };
    },
  };
}

function replacementIn(before: string | undefined, wanted: string, kept: string | undefined): Replacement | undefined {
  const seen = seenByClaude(before ?? "");
  const target = seenByClaude(wanted).text;
  // An empty old text means a new or an empty file; equal texts are refused.
  if (seen.text === target) return undefined;
  return seen.text === "" ? { from: "", to: target, isForAll: false } : replacementFor(seen.text, target, kept);
}

function textAfterEdits(edits: readonly Replacement[] | undefined, before: string | undefined): string | undefined {
  const [first] = edits ?? [];
  if (edits === undefined || first === undefined) return undefined;
  if (first.from === "") {
    const isNew = edits.length === 1 && (before === undefined || before === "");
    return isNew ? first.to : undefined;
  }
  if (before === undefined) return undefined;
  const seen = seenByClaude(before);
  const after = replaced(
    seen.text,
    edits.map((edit) => withLineEnd(edit, seen)),
  );
  return after === undefined ? undefined : seen.written(after);
}

function seenByClaude(file: string): SeenFile {
  return seenFile(file, beginsWithReturns);
}

function editsIn(tool: "Edit" | "MultiEdit", input: ToolArguments): readonly Replacement[] | undefined {
  const edits = tool === "Edit" ? [input] : memberOf(input, "edits");
  if (!Array.isArray(edits)) return undefined;
  const found: Replacement[] = [];
  for (const edit of edits) {
    const [from, to] = [textOf(edit, "old_string"), textOf(edit, "new_string")];
    if (from === undefined || to === undefined) return undefined;
    found.push({ from, to, isForAll: memberOf(edit, "replace_all") === true });
  }
  return found;
}

function checked(
  input: ToolArguments,
  wanted: string,
  after: (input: ToolArguments) => string | undefined,
): ToolArguments | undefined {
  return after(input) === wanted ? input : undefined;
}
