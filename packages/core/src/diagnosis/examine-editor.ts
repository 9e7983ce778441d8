import type { AgentId } from "../agents/catalogue.ts";
import type { CompanionState, SessionInfo } from "../companion.ts";
import { projectFileName, readProjectPolicies } from "../hooks/policy.ts";
import type { Platform } from "../platform/platform.ts";
import { joinPath } from "../storage/private-directory.ts";
import {
  type AgentSettings,
  examineAsking,
  examineConnecting,
  isHooked,
  type SettingsFinding,
} from "./agent-settings.ts";
import { type Finding, type FindingLevel, findingOf, type FindingValues } from "./finding.ts";

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
    .flatMap((one): readonly EditorFinding[] => [
      ...examineConnecting(one).map(inOwnTerminals),
      ...examineAsking(one),
      ...(one.asks ? [{ ...found("asks", "ok", {}), agents: [one.agent] }] : []),
    ]);
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
