import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, holds, rank, type ReadRecord, realPlace, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import {
  type AgentHook,
  argumentsOf,
  type HookChange,
  hookEntries,
  type HookMoments,
  type HookReading,
  memberOf,
  type PathPlace,
  readEvent,
  relativePath,
  replacementFor,
  textOf,
  type ToolArguments,
} from "../hook.ts";
import { patched, type PatchedFile, readPatch } from "../patch.ts";
import { chosenDirectory, inFolder, type OwnSettings, SettingsLayers, type SettingsPlace } from "../settings.ts";

/** Copilot CLI's side of a diagnosis: docs/protocols/copilot.md. */
export const copilotChecks: AgentChecks = {
  start: {
    modeOptions: ["--mode"],
    askingModes: ["interactive", "plan"],
    unaskingOptions: ["--allow-all-tools", "--allow-all", "--yolo", "--autopilot"],
    onceOptions: ["-p", "--prompt"],
    argumentIsOnce: false,
  },
  readSettings,
  choose,
  difference: (theirs, ours) => ({ of: "home", theirs: theirs.homeDirectory, ours: ours.homeDirectory }),
};

/** Of several matches one is taken; which, is not known, but the newest one's editor is there. */
async function choose<Read extends ReadRecord>(all: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>> {
  const here = await realPlace(facts.platform, facts.folder);
  const records = all.filter(({ folders }) => folders.some((root) => holds(root, here)));
  return takes(rank(records, [["newest", ({ modifiedMs }) => modifiedMs]]), "first");
}

async function readSettings(place: SettingsPlace): Promise<OwnSettings> {
  const settingsFile = inOwnDirectory(place, "settings.json");
  const settings = await SettingsLayers.read(place, [
    settingsFile,
    ...inFolder(place, joinPath(place.platform, ".github", "copilot"), "settings.json", "settings.local.json"),
  ]);
  const mode = settings.text("defaultPermissionMode");
  const connects = settings.flag("ide", "autoConnect") !== false;
  return {
    looksForEditor: connects ? "yes" : "no",
    looksOnContainerHost: false,
    showsChanges: settings.flag("ide", "openDiffOnEdit") !== false,
    invalidFiles: settings.invalid,
    asks: mode === undefined || mode === "manual",
    mode,
    defaultMode: "manual",
    modeSetting: "defaultPermissionMode",
    askingMode: "manual",
    settingsFile,
    decidedBy: {
      looksForEditor: settings.fileOf("boolean", "ide", "autoConnect"),
      showsChanges: settings.fileOf("boolean", "ide", "openDiffOnEdit"),
      mode: settings.fileOf("string", "defaultPermissionMode"),
    },
    traces: [inOwnDirectory(place, "config.json")],
    hooksOff: settings.flagged(true, "disableAllHooks"),
    askingInput: undefined,
  };
}

/** The variable names what takes the place of `~/.copilot`. */
function inOwnDirectory(place: SettingsPlace, ...names: readonly string[]): string {
  const { platform } = place;
  const own = chosenDirectory(place, "COPILOT_HOME") ?? joinPath(platform, platform.process.homeDirectory, ".copilot");
  return names.reduce((path, name) => joinPath(platform, path, name), own);
}

/** By these names it speaks as Claude Code does: with the names of tools and moments, and the members of events. */
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
    // A yes of the hook's is all that it needs.
    return command === undefined ? undefined : { asks: false, command, directory: undefined };
  },
  changes: (event) => changesOf(textOf(event, "tool_name"), memberOf(event, "tool_input")),
  // It does not say in which mode it is, and asks by itself whenever the hook has no opinion.
  asksBeforeWrite: () => undefined,
};

/** Copilot CLI's hooks: docs/protocols/copilot.md, "Hooks". */
export const copilotHook: AgentHook = {
  settings: {
    // For the user a file of our own beside others'; in a folder the one that is the user's.
    file: (place, scope) => {
      const [own] = inFolder(place, joinPath(place.platform, ".github", "copilot"), "settings.local.json");
      return scope === "project" && own !== undefined ? own : inOwnDirectory(place, "hooks", "patchbay.json");
    },
    entries: hookEntries(moments, { matcher: "Write|Edit", commandTool }, 1),
    isStrict: true,
    shell: undefined,
    consent: "none",
  },
  read: (event) => readEvent(event, reading),
  encodeNote: (note) => JSON.stringify({ additionalContext: note }),
  encode: (verdict) => {
    switch (verdict.kind) {
      case "allow":
        return JSON.stringify({ permissionDecision: "allow" });
      case "allow-changed":
        return JSON.stringify({
          permissionDecision: "allow",
          modifiedArgs: verdict.arguments,
          additionalContext: verdict.note,
        });
      case "deny":
        return JSON.stringify({ permissionDecision: "deny", permissionDecisionReason: verdict.reason });
      case "told":
        return JSON.stringify({ additionalContext: verdict.note });
    }
  },
};

function changesOf(tool: string | undefined, input: unknown): readonly HookChange[] {
  if (typeof input === "string") return tool === "Edit" ? patchChanges(input) : [];
  if (typeof input !== "object" || input === null) return [];
  const given: ToolArguments = { ...input };
  const path = textOf(given, "path");
  if (path === undefined) return [];
  const opened = (place: PathPlace): Promise<string> => openedByCopilot(path, place);
  if (tool === "Write") {
    return [
      {
        path,
        opened,
        isDelicate: false,
        // It makes new files only; what is there it leaves as it is.
        textAfter: (before) => (before === undefined ? textOf(given, "file_text") : before),
        argumentsFor: (before, wanted) => (before === undefined ? { ...given, file_text: wanted } : undefined),
      },
    ];
  }
  if (tool !== "Edit") return [];
  return [
    {
      path,
      opened,
      isDelicate: textOf(given, "new_str") === "",
      textAfter: (before) => textAfterEdit(given, before),
      argumentsFor: (before, wanted) => {
        if (before === undefined) return undefined;
        const seen = lineFeedsOf(withoutMark(before));
        const one = replacementFor(seen, lineFeedsOf(withoutMark(wanted)), textOf(given, "old_str"));
        if (one === undefined) return undefined;
        const changed = { ...given, old_str: one.from, new_str: one.to };
        return textAfterEdit(changed, before) === wanted ? changed : undefined;
      },
    },
  ];
}

/** A path is taken as it stands: `..` leads from where a link has led; a relative one by its letters. */
async function openedByCopilot(path: string, { cwd, words }: PathPlace): Promise<string> {
  if (words.isAbsolute(path)) return path;
  if (cwd === undefined) throw relativePath();
  return words.resolve(cwd, path);
}

function withoutMark(file: string): string {
  return file.startsWith("\ufeff") ? file.slice(1) : file;
}

function lineFeedsOf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/**
 * The one place of the old text gives way to the new one (seen, 1.0.102); line ends count as one, and what comes in has those that most
 * lines of the file have. Text that is only nearly the same is replaced, too: where nothing is the same nobody can tell.
 */
function textAfterEdit(given: ToolArguments, before: string | undefined): string | undefined {
  const [old, next] = [textOf(given, "old_str"), textOf(given, "new_str")];
  if (old === undefined || next === undefined || before === undefined) return undefined;
  // It refuses, and leaves the file alone.
  if (old === next) return before;
  const body = withoutMark(before);
  const seen = lineFeedsOf(body);
  const from = lineFeedsOf(old);
  // An empty old text fills an empty file.
  const start = from === "" ? (seen === "" ? 0 : -1) : seen.indexOf(from);
  if (start === -1 || seen.indexOf(from, start + 1) > start) return undefined;
  const end = start + from.length;
  // Whole lines that go take their end with them.
  const takesEnd = next === "" && from !== "" && isLineStart(seen, start) && !from.endsWith("\n") && seen[end] === "\n";
  const written = withEndsOf(body, lineFeedsOf(next));
  if (written === undefined) return undefined;
  const [rawStart, rawEnd] = [rawPlace(body, start), rawPlace(body, takesEnd ? end + 1 : end)];
  return before.slice(0, before.length - body.length) + body.slice(0, rawStart) + written + body.slice(rawEnd);
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n";
}

/** The place in a text with `\r\n` that has `at` units before it once these are one. */
function rawPlace(body: string, at: number): number {
  let left = at;
  let raw = 0;
  for (let next = body.indexOf("\r\n"); next !== -1 && next - raw < left; next = body.indexOf("\r\n", raw)) {
    left -= next - raw + 1;
    raw = next + 2;
  }
  return raw + left;
}

/** Undefined where half of the lines end in one way, and half in the other. */
function withEndsOf(body: string, text: string): string | undefined {
  const returns = body.split("\r\n").length - 1;
  const plain = body.split("\n").length - 1 - returns;
  if (returns === 0 || !text.includes("\n") || plain > returns) return text;
  return plain === returns ? undefined : text.replaceAll("\n", "\r\n");
}

/** A patch that nobody can read is of no file that anybody could name: it is left to the agent, which refuses it as well. */
function patchChanges(text: string): readonly HookChange[] {
  return (readPatch(text) ?? []).flatMap((file) => {
    const named = [file.path, ...(file.movedTo === undefined ? [] : [file.movedTo])];
    return named.map((path): HookChange => {
      const opened = (place: PathPlace): Promise<string> => openedByCopilot(path, place);
      const textAfter = (before: string | undefined): string | undefined => textAfterPatch(file, before);
      // Whole patches are not written anew yet, and a file that goes elsewhere is not shown.
      return { path, opened, isDelicate: false, textAfter, argumentsFor: () => undefined };
    });
  });
}

function textAfterPatch(file: PatchedFile, before: string | undefined): string | undefined {
  if (file.movedTo !== undefined) return undefined;
  if (file.kind === "add") return before === undefined ? file.added : undefined;
  if (before === undefined || before.includes("\r") || before.startsWith("\ufeff")) return undefined;
  return file.kind === "delete" ? "" : patched(before, file.hunks);
}
