import { joinPath } from "../../storage/private-directory.ts";
import { type Choice, type ChoiceFacts, matching, rank, type ReadRecord, takes } from "../choice.ts";
import type { AgentChecks } from "../dialect.ts";
import {
  type AgentHook,
  argumentsOf,
  hookEntries,
  type HookEvent,
  type HookMoments,
  type HookReading,
  readEvent,
  sourceOf,
  textOf,
} from "../hook.ts";
import { contextNote } from "../context-note.ts";
import { chosenDirectory, inFolder, type OwnSettings, readSettingsText, type SettingsPlace } from "../settings.ts";
import { areTrusted } from "./hook-trust.ts";
import { commandTool, type PatchCall, patchCallOf, patchTool } from "./tools.ts";

/** Codex CLI's side of a diagnosis: docs/protocols/codex.md. */
export const codexChecks: AgentChecks = {
  // Its hook asks in every mode, and it asks by itself in some.
  start: { modeOptions: [], askingModes: [], unaskingOptions: [], onceOptions: [], argumentIsOnce: false },
  readSettings,
  choose,
  difference: (theirs, ours) => ({ of: "home", theirs: theirs.homeDirectory, ours: ours.homeDirectory }),
};

/** As its hook does (`findCompanions`): the nearest folder, then the newest. */
async function choose<Read extends ReadRecord>(all: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>> {
  const records = await matching(all, facts);
  return takes(rank(records, [["newest", ({ modifiedMs }) => modifiedMs]]), "all");
}

/** What has it ask before it writes. */
const [sandbox, policy] = [
  { setting: "sandbox_mode", asking: "read-only" },
  { setting: "approval_policy", asking: "on-request" },
];

/** By which of its settings it writes and asks nobody; where neither is set that depends on the folder. */
function silentBy(values: ReadonlyMap<string, string>): typeof sandbox | undefined {
  const mode = values.get(sandbox.setting);
  if (mode !== undefined) return mode === sandbox.asking ? undefined : sandbox;
  return values.get(policy.setting) === "never" ? policy : undefined;
}

/** Its own settings, which are TOML. Without its hook changes are shown where it asks, and its service runs. */
async function readSettings(place: SettingsPlace): Promise<OwnSettings> {
  const settingsFile = inOwnDirectory(place, "config.toml");
  const values = tomlValues((await readSettingsText(place.platform, settingsFile)) ?? "");
  const off = (setting: string) => (values.get(setting) === "false" ? { setting, file: settingsFile } : undefined);
  const serviceOff = off("features.daemon_auto_start");
  const isServed = serviceOff === undefined && place.platform.process.platform !== "win32";
  const silent = silentBy(values);
  return {
    looksForEditor: "yes",
    looksOnContainerHost: false,
    showsChanges: true,
    invalidFiles: [],
    asks: isServed && values.get(sandbox.setting) === sandbox.asking && values.get(policy.setting) !== "never",
    mode: isServed && silent !== undefined ? values.get(silent.setting) : undefined,
    defaultMode: "",
    modeSetting: silent?.setting ?? "",
    askingMode: silent?.asking ?? "",
    askingCommand: `codex --sandbox ${sandbox.asking} --ask-for-approval ${policy.asking}`,
    serviceOff,
    settingsFile,
    decidedBy: {
      looksForEditor: undefined,
      showsChanges: undefined,
      mode: silent === undefined ? undefined : settingsFile,
    },
    traces: [settingsFile, inOwnDirectory(place, "auth.json")],
    hooksOff: off("features.hooks"),
    askingInput: undefined,
  };
}

/** What it is set to, by whole names: words and plain strings of one line, as it writes them. */
function tomlValues(toml: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let table = "";
  for (const line of toml.split("\n")) {
    table = /^\s*\[\s*([^\]]+?)\s*\]\s*(?:#.*)?$/u.exec(line)?.[1] ?? table;
    const [, key, word, text] = /^\s*([\w. ]+?)\s*=\s*(?:(\w+)|["']([\w-]*)["'])\s*(?:#.*)?$/u.exec(line) ?? [];
    const value = word ?? text;
    if (key !== undefined && value !== undefined)
      values.set([table, key].filter((part) => part !== "").join("."), value);
  }
  return values;
}

/** The variable names what takes the place of `~/.codex`. */
function inOwnDirectory(place: SettingsPlace, name: string): string {
  const { platform } = place;
  const own = chosenDirectory(place, "CODEX_HOME") ?? joinPath(platform, platform.process.homeDirectory, ".codex");
  return joinPath(platform, own, name);
}

const moments: HookMoments = {
  beforeTool: "PreToolUse",
  afterTool: "PostToolUse",
  turnBegins: "UserPromptSubmit",
  turnEnds: "Stop",
};

function callOf(event: unknown): PatchCall | undefined {
  return patchCallOf(textOf(event, "tool_name"), textOf(argumentsOf(event), "command") ?? "");
}

const reading: HookReading = {
  moments,
  command: (event) => {
    const command = textOf(event, "tool_name") === commandTool ? textOf(argumentsOf(event), "command") : undefined;
    if (command === undefined || callOf(event) !== undefined) return undefined;
    return { asks: false, command, directory: undefined };
  },
  changes: (event) => callOf(event)?.changes ?? [],
  // Where it asks by itself nobody else is asked, and its own question has no editor.
  asksBeforeWrite: () => false,
};

/** With what the user wants of all files at once. */
function read(event: unknown): HookEvent | undefined {
  if (textOf(event, "hook_event_name") === permissionEvent) {
    const [source, call] = [sourceOf(event), patchIn(event)];
    return source === undefined || call === undefined ? undefined : { ...source, kind: "asks", call };
  }
  const patch = callOf(event);
  const told = readEvent(event, { ...reading, changes: () => patch?.changes ?? [] });
  if (told?.kind !== "write" || patch === undefined) return told;
  return {
    ...told,
    argumentsForAll: patch.argumentsForAll,
    callOf: (replaced) => patchIn(replaced === undefined ? event : { ...Object(event), tool_input: replaced }),
  };
}

/** Before it asks its user by itself, as its sandbox or its policy has it. */
const permissionEvent = "PermissionRequest";

/** The whole patch of its own tool. A shell's command may be asked about for other reasons. */
function patchIn(event: unknown): string | undefined {
  return textOf(event, "tool_name") === patchTool ? textOf(argumentsOf(event), "command") : undefined;
}

/** Nobody is asked, s. */
const permissionSeconds = 10;

/** Longer ones of the end of a session it does not allow, s. */
const longestEnd = 3;

/** Codex CLI's hooks: docs/protocols/codex.md, "Hooks". */
export const codexHook: AgentHook = {
  settings: {
    file: (place, scope) => {
      const [own] = inFolder(place, ".codex", "hooks.json");
      return scope === "project" && own !== undefined ? own : inOwnDirectory(place, "hooks.json");
    },
    entries: [
      ...hookEntries(moments, { matcher: patchTool, commandTool }, 1).map((entry) =>
        entry.event === "SessionEnd" ? { ...entry, timeout: longestEnd } : entry,
      ),
      { event: permissionEvent, matcher: patchTool, timeout: permissionSeconds },
    ],
    isStrict: true,
    shell: undefined,
    consent: "at-next-start",
    isTrusted: async (place, file, isOwn) => {
      const [hooks, config] = await Promise.all(
        [file, inOwnDirectory(place, "config.toml")].map((path) => readSettingsText(place.platform, path)),
      );
      return await areTrusted(place, { hooks: hooks ?? "", config: config ?? "", file }, isOwn);
    },
  },
  read,
  encodeConsent: () => encoded(permissionEvent, { decision: { behavior: "allow" } }),
  encodeNote: (note) => encoded("PostToolUse", { additionalContext: note }),
  encode: (verdict) => {
    switch (verdict.kind) {
      case "allow":
        // A yes without other arguments is a failure of the hook to it (seen, 0.171.0): to say nothing is a yes.
        return encoded("PreToolUse", {});
      case "allow-changed":
        return encoded("PreToolUse", {
          permissionDecision: "allow",
          updatedInput: verdict.arguments,
          additionalContext: verdict.note,
        });
      case "deny":
        return encoded("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: verdict.reason });
      case "told":
        return encoded("UserPromptSubmit", { additionalContext: verdict.note });
    }
  },
  contextNote,
};

function encoded(hookEventName: string, members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, ...members } });
}
