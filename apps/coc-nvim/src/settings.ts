import { agents, askingCommand, type CompanionSettings, excludePatternsOf } from "@patchbay/core";
import { effectiveKeys, type ReviewKey, reviewKeys, type ReviewSettings } from "./diff/review-settings.ts";

/** Reads one setting by its name below `patchbay.`; undefined where the user has not set it and it has no default. */
export type SettingReader = (name: string) => unknown;

/** Everything the user can configure, checked: a value of the wrong kind counts as not set. */
export interface ExtensionSettings {
  readonly enabled: boolean;
  readonly companion: CompanionSettings;
  readonly review: ReviewSettings;
  readonly agentChanges: boolean;
  readonly turnSigns: boolean;
  readonly statusItem: boolean;
  readonly notices: "all" | "problems" | "none";
  readonly notify: "never" | "hiddenTerminal";
  readonly terminalWindow: string;
  readonly agents: Readonly<Record<string, string>>;
  /** Of the conversation panel, as the user wrote it: `AgentEntries` of the panel. */
  readonly panelAgents: unknown;
}

/** The commands that start the agents so that they ask before they write: without that no proposal ever arrives. */
const defaultAgents: Readonly<Record<string, string>> = Object.fromEntries(
  agents.map((agent) => [agent.id, askingCommand(agent)]),
);

export function readSettings(read: SettingReader): ExtensionSettings {
  const flag = (name: string, fallback: boolean): boolean => {
    const value = read(name);
    return typeof value === "boolean" ? value : fallback;
  };
  const text = (name: string, fallback: string): string => {
    const value = read(name);
    return typeof value === "string" && value !== "" ? value : fallback;
  };
  return {
    enabled: flag("enabled", true),
    companion: {
      exclude: excludePatternsOf(read("share.exclude")),
      shareSelection: flag("share.selection", true),
      sharing: flag("share.enabled", true),
      reviews: read("reviews") ?? {},
      openReviews: oneOf(read("openReviews"), ["always", "whenIdle", "onDemand"]),
    },
    review: {
      layout: oneOf(read("review.layout"), ["tab", "vertical", "horizontal"]),
      focus: oneOf(read("review.focus"), ["auto", "never"]),
      unsavedChanges: oneOf(read("review.unsavedChanges"), ["compare", "terminal"]),
      hints: flag("review.hints", true),
      keys: effectiveKeys(flag("keys.enabled", true), readKeys(read)),
    },
    agentChanges: flag("agentChanges", true),
    turnSigns: flag("turnSigns", true),
    statusItem: flag("statusItem", true),
    notices: oneOf(read("notices"), ["all", "problems", "none"]),
    notify: oneOf(read("notify"), ["never", "hiddenTerminal"]),
    terminalWindow: text("terminal.window", "botright vertical new"),
    agents: { ...defaultAgents, ...textsByName(read("agents")) },
    panelAgents: read("panel.agents") ?? {},
  };
}

function readKeys(read: SettingReader): Readonly<Partial<Record<ReviewKey, string>>> {
  const keys: Partial<Record<ReviewKey, string>> = {};
  for (const name of reviewKeys) {
    const value = read(`keys.${name}`);
    if (typeof value === "string") keys[name] = value;
  }
  return keys;
}

/** The first is the default. */
function oneOf<const T extends string>(value: unknown, allowed: readonly [T, ...T[]]): T {
  return allowed.find((one) => one === value) ?? allowed[0];
}

function textsByName(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""),
  );
}
