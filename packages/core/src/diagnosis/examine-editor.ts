import * as z from "zod";
import { type AgentId, agentOf, agents, askingCommand } from "../agents/catalogue.ts";
import type { CompanionState, SessionInfo } from "../companion.ts";
import { projectFileName, readProjectPolicies } from "../hooks/policy.ts";
import type { Platform } from "../platform/platform.ts";
import { joinPath, splitPath } from "../storage/private-directory.ts";
import { type Finding, type FindingLevel, findingOf, type FindingValues } from "./finding.ts";
import type { Dialect } from "../agents/dialect.ts";
import { type OwnSettings, parseLooseJson } from "../agents/settings.ts";
import { variableOf } from "../agents/surroundings.ts";
import { type HookState, inspectHook } from "../hook-settings/inspect.ts";

/** What an editor knows of itself when its user asks for a diagnosis. */
export interface EditorFacts {
  /** Undefined: nothing is started for want of a folder. */
  readonly state: CompanionState | undefined;
  /** Absolute. */
  readonly folders: readonly string[];
  readonly trusted: boolean;
  /** Whether open files and selections are shared, by the settings and by the user. */
  readonly sharing: boolean;
  /** Whether new terminals get the variables by which agents find this editor. */
  readonly terminalEnvironment: boolean;
  readonly sessions: readonly SessionInfo[];
}

type Nothing = Readonly<Record<string, never>>;

/** What each finding of an editor about itself says beside its agents. Paths and names are as found: whoever shows them escapes them. */
export interface EditorFindingValues extends Pick<FindingValues, SettingsFinding["code"]> {
  readonly listening: { readonly port: number };
  /** Listens with a restriction, which core has put into words. */
  readonly "listening-but": { readonly sentence: string };
  readonly "not-yet-listening": Nothing;
  readonly stopped: Nothing;
  /** Could not be started; core has put into words why. */
  readonly failed: { readonly sentence: string };
  /** Agents that are started in these folders or below find the editor. */
  readonly "folders-open": { readonly folders: readonly string[] };
  readonly "no-folder-open": Nothing;
  readonly "workspace-untrusted": Nothing;
  readonly "sharing-off": Nothing;
  readonly "terminal-environment-off": Nothing;
  /** One for each session. */
  readonly session: { readonly session: SessionInfo };
  readonly "no-agent-connected": Nothing;
  /** By its own settings the agent asks before it writes. */
  readonly asks: Nothing;
}

export type EditorFindingCode = keyof EditorFindingValues;

/** One thing that an editor sees about itself or an agent's settings, without words: editions say it in theirs. */
export interface EditorFindingOf<Code extends EditorFindingCode> {
  readonly code: Code;
  readonly level: FindingLevel;
  /** Whom it is about; empty: no one agent. */
  readonly agents: readonly AgentId[];
  readonly values: EditorFindingValues[Code];
}

export type EditorFinding = { readonly [Code in EditorFindingCode]: EditorFindingOf<Code> }[EditorFindingCode];

/** What the editor itself does or leaves undone so that agents connect and see what is open, in the order in which an agent needs it. */
export function examineEditor(facts: EditorFacts): readonly EditorFinding[] {
  const { state, folders, trusted, sharing, terminalEnvironment, sessions } = facts;
  return [
    ...(state === undefined ? [] : examineState(state)),
    folders.length > 0 ? found("folders-open", "ok", { folders }) : found("no-folder-open", "problem", {}),
    ...(trusted ? [] : [found("workspace-untrusted", "hint", {})]),
    ...(sharing ? [] : [found("sharing-off", "hint", {})]),
    ...(terminalEnvironment ? [] : [found("terminal-environment-off", "hint", {})]),
    ...sessions.map((session) => found("session", session.state === "connected" ? "ok" : "hint", { session })),
    ...(sessions.some(({ state: of }) => of === "connected") ? [] : [found("no-agent-connected", "hint", {})]),
  ];
}

/** What the settings of the agents that are used here mean for an editor and its own terminals. */
export function examineAgents(all: readonly AgentSettings[]): readonly EditorFinding[] {
  return all
    .filter(({ isUsed }) => isUsed)
    .flatMap((one): readonly EditorFinding[] => {
      // What an agent would make of settings that it cannot read is nothing to tell.
      const invalid = examineFiles(one);
      if (invalid.length > 0) return invalid;
      return [
        ...examineConnecting(one).map(inOwnTerminals),
        ...examineAsking(one),
        ...(one.asks ? [{ ...found("asks", "ok", {}), agents: [one.agent] }] : []),
      ];
    });
}

function examineState(state: CompanionState): readonly EditorFinding[] {
  switch (state.kind) {
    case "listening":
      return [
        found("listening", "ok", { port: state.port }),
        ...state.warnings.map((sentence) => found("listening-but", "problem", { sentence })),
      ];
    case "failed":
      return [found("failed", "problem", { sentence: state.message })];
    case "starting":
      return [found("not-yet-listening", "hint", {})];
    case "stopped":
      return [found("stopped", "problem", {})];
  }
}

/** The variable that keeps an agent from looking on the container's host is set in the editor's own terminals. */
function inOwnTerminals(finding: SettingsFinding): SettingsFinding {
  return finding.code === "looks-on-container-host" ? { ...finding, level: "hint" } : finding;
}

function found<Code extends EditorFindingCode>(
  code: Code,
  level: FindingLevel,
  values: EditorFindingValues[Code],
): EditorFindingOf<Code> {
  return { code, level, agents: [], values };
}

/** What the folder wants to have reviewed, and who may come between a review and its file. */
export async function examineReviews(
  platform: Platform,
  folder: string,
  all: readonly AgentSettings[],
): Promise<readonly Finding[]> {
  const others = all.flatMap(({ agent, hook }): readonly Finding[] => {
    if (hook.kind !== "installed" || hook.others.length === 0) return [];
    return [findingOf("hook-beside-others", "hint", agent, { file: hook.file, commands: hook.others })];
  });
  const file = joinPath(platform, folder, projectFileName);
  const policies = await readProjectPolicies(platform.files, file);
  if (policies === undefined) return [...others, findingOf("policy-unclear", "problem", undefined, { file })];
  const unmet = all.filter((one) => {
    const wanted = policies.reviews[one.agent] ?? policies.reviews["*"];
    return !isHooked(one) && (wanted === "always" || typeof wanted === "object");
  });
  return [
    ...others,
    ...unmet.map(({ agent, asks }) => findingOf("policy-without-hook", asks ? "hint" : "problem", agent, { file })),
  ];
}

/** What an agent's own settings say about working with an editor, and whether it is used here. */
export interface AgentSettings extends OwnSettings {
  readonly agent: AgentId;
  readonly agentName: string;
  /** Its program is on the PATH of this process, or it has left settings in the home. */
  readonly isUsed: boolean;
  /** What becomes of our hook in it. */
  readonly hook: HookState;
  /** What starts it so that it asks before it writes, whatever these settings say. */
  readonly askingCommand: string;
}

/**
 * What the agents' own settings say about working with an editor, for a diagnosis: whether they look for one, and whether
 * they ask before they write. `folder` is where they would be started. Never rejects.
 */
export async function readAgentSettings(platform: Platform, folder?: string): Promise<readonly AgentSettings[]> {
  return await Promise.all(
    agents.map(async (agent): Promise<AgentSettings> => {
      const place = { platform, folder };
      const read = await (await agent.loadChecks()).readSettings(place);
      const hook = await agent.loadHook?.();
      const { id, agentName } = agent;
      return {
        agent: id,
        agentName,
        askingCommand: askingCommand(agent),
        isUsed: await isUsed(platform, agent, read),
        hook: hook === undefined ? { kind: "absent" } : await inspectHook(place, hook.settings),
        ...read,
      };
    }),
  );
}

/** Whether an agent is on the PATH, or has left settings of its own, as it does where it has been started. */
async function isUsed(
  platform: Platform,
  { program }: Pick<Dialect, "program">,
  { settingsFile, traces }: OwnSettings,
): Promise<boolean> {
  if (await isInstalled(platform, program.command)) return true;
  const left = [settingsFile, ...traces].map((path) => platform.files.lstat(path).catch(() => undefined));
  return (await Promise.all(left)).some((facts) => facts !== undefined);
}

/** Whether a program of that name is on this terminal's PATH. True where there is no PATH to look at. */
export async function isInstalled(platform: Platform, command: string): Promise<boolean> {
  return variableOf(platform.process, "PATH") === undefined || (await programOf(platform, command)) !== undefined;
}

/** More directories than there are between a program and its package. */
const mostParents = 8;

/**
 * The version of a program on the PATH, links followed: the one in its package, or the one that its own installer has named it by, as in
 * `~/.local/share/claude/versions/2.1.328`. Undefined where it cannot be told. Nothing is run.
 */
export async function installedVersion(
  platform: Platform,
  program: { readonly command: string; readonly package: string },
): Promise<string | undefined> {
  let path = await programOf(platform, program.command);
  const named = /[/\\](?<command>[^/\\]+)[/\\]versions[/\\](?<version>\d+\.\d+\.\d+)(?:\.exe)?$/u.exec(
    path ?? "",
  )?.groups;
  if (named?.["command"] === program.command) return named["version"];
  for (let level = 0; path !== undefined && level < mostParents; level += 1) {
    const { parent } = splitPath(platform, path);
    if (parent === path) return undefined;
    path = parent;
    const text = await platform.files
      .readText(joinPath(platform, path, "package.json"), 1_048_576)
      .catch(() => undefined);
    const read = z.object({ name: z.string(), version: z.string() }).safeParse(parseLooseJson(text ?? ""));
    if (read.data?.name === program.package) return read.data.version;
  }
  return undefined;
}

/** The file that is run for a name, links followed. */
async function programOf({ process, files }: Platform, command: string): Promise<string | undefined> {
  const path = variableOf(process, "PATH");
  const isWindows = process.platform === "win32";
  const endings = isWindows ? ["", ".exe", ".cmd", ".bat", ".ps1"] : [""];
  const directories = (path ?? "").split(isWindows ? ";" : ":").filter((directory) => directory !== "");
  const candidates = directories.flatMap((directory) =>
    endings.map((ending) => joinPath({ process }, directory, command + ending)),
  );
  const found = await Promise.all(
    candidates.map(async (candidate) => {
      // Package managers put links there.
      const real = await files.realPath(candidate).catch(() => undefined);
      const facts = real === undefined ? undefined : await files.lstat(real).catch(() => undefined);
      return facts?.kind === "file" && (isWindows || (facts.mode & 0o111) !== 0) ? real : undefined;
    }),
  );
  return found.find((real) => real !== undefined);
}

/** What an agent's own settings may be found to say. */
export type SettingsFinding = Extract<
  Finding,
  {
    readonly code:
      | "editor-mode-off"
      | "editor-mode-not-chosen"
      | "looks-on-container-host"
      | "hook-broken"
      | "hook-installed"
      | "hook-needs-trust"
      | "hook-not-installed"
      | "hook-off"
      | "hook-untrusted"
      | "never-asks"
      | "settings-not-json"
      | "shows-changes-in-terminal";
  }
>;

/** Can the agent use the files of its settings? Where it cannot, it does not come so far as to look for an editor. */
export function examineFiles({ agent, invalidFiles = [] }: AgentSettings): readonly SettingsFinding[] {
  return invalidFiles.map((file) => findingOf("settings-not-json", "problem", agent, { file }));
}

/** Do the agent's own settings let it look for an editor beside it? */
export function examineConnecting(settings: AgentSettings): readonly SettingsFinding[] {
  const { agent, looksForEditor, lookingVariable, looksOnContainerHost, settingsFile: userFile, decidedBy } = settings;
  const findings: SettingsFinding[] = [];
  if (looksForEditor === "no") {
    const file = decidedBy.looksForEditor;
    findings.push(findingOf("editor-mode-off", "problem", agent, { file, userFile, variable: lookingVariable }));
  }
  if (looksForEditor === "not-yet") findings.push(findingOf("editor-mode-not-chosen", "problem", agent, {}));
  if (looksOnContainerHost) findings.push(findingOf("looks-on-container-host", "problem", agent, {}));
  return findings;
}

/** Whether an agent knows no editor, and has nothing but its hook to ask by. */
export function needsHook(agent: AgentId): boolean {
  return agentOf(agent).transport === "hook";
}

/** Whether an agent that has no protocol for editors asks, and is answered in them by its own service. */
export function isServed({ agent, asks }: Pick<AgentSettings, "agent" | "asks">): boolean {
  return needsHook(agent) && asks;
}

/** Whether an editor sees an agent's changes by nothing but its hook. */
export function showsByHookAlone(agent: AgentId): boolean {
  return needsHook(agent) || agentOf(agent).contextOnly === true;
}

/** Whether our hook has every change reviewed, in whatever mode the agent is. */
export function isHooked({ hook, hooksOff }: Pick<AgentSettings, "hook" | "hooksOff">): boolean {
  return hook.kind === "installed" && hook.isTrusted && hooksOff === undefined;
}

/** What becomes of our hook, where it has been installed? */
export function examineHook(settings: AgentSettings): readonly SettingsFinding[] {
  const { agent, hook, hooksOff } = settings;
  switch (hook.kind) {
    case "absent":
    case "unreadable":
      if (!showsByHookAlone(agent) || isServed(settings)) return [];
      return [findingOf("hook-not-installed", needsHook(agent) ? "problem" : "hint", agent, {})];
    case "broken":
      return [findingOf("hook-broken", "problem", agent, { file: hook.file, missing: hook.missing })];
    case "partly":
      return [findingOf("hook-broken", "problem", agent, { file: hook.file, missing: undefined })];
    case "installed":
      if (hooksOff !== undefined) return [findingOf("hook-off", "problem", agent, hooksOff)];
      if (!hook.isTrusted) return [findingOf("hook-untrusted", "problem", agent, { file: hook.file })];
      return hook.scope === "project"
        ? [findingOf("hook-needs-trust", "hint", agent, { file: hook.file })]
        : [findingOf("hook-installed", "ok", agent, { file: hook.file })];
  }
}

/** Do the agent's own settings have changes shown? In a mode in which it never asks only its hook has them shown. */
export function examineAsking(settings: AgentSettings): readonly SettingsFinding[] {
  const { agent, showsChanges, asks, mode, defaultMode, modeSetting, askingMode, settingsFile, decidedBy } = settings;
  const findings: SettingsFinding[] = [...examineHook(settings)];
  if (isHooked(settings) || (needsHook(agent) && mode === undefined)) return findings;
  if (!asks) {
    findings.push(
      findingOf("never-asks", "problem", agent, {
        mode: mode ?? defaultMode,
        setting: modeSetting,
        asking: askingMode,
        file: decidedBy.mode,
        userFile: settingsFile,
        command: settings.askingCommand,
        input: settings.askingInput,
      }),
    );
  }
  if (!showsChanges) {
    findings.push(findingOf("shows-changes-in-terminal", "problem", agent, { file: decidedBy.showsChanges }));
  }
  return findings;
}
