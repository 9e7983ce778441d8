import type { Dialect } from "@patchbay/core";
import { agents, askingCommand } from "@patchbay/core/agents";
import { nls } from "@theia/core/lib/common/nls";
import type { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import {
  PreferenceContribution,
  type PreferenceDataProperty,
  type PreferenceSchema,
} from "@theia/core/lib/common/preferences/preference-schema";
import { PreferenceScope } from "@theia/core/lib/common/preferences/preference-scope";
import type { interfaces } from "@theia/core/shared/inversify";

/** Names of our preferences: those of our VS Code extension, so that one word means one thing wherever the user is. */
export const preferenceNames = {
  sharing: "patchbay.context.share",
  shareSelection: "patchbay.context.shareSelection",
  exclude: "patchbay.context.exclude",
  reviews: "patchbay.reviews",
  notify: "patchbay.notify",
  openReviews: "patchbay.openReviews",
  agentChanges: "patchbay.agentChanges",
  placement: "patchbay.diff.viewColumn",
  terminalEnvironment: "patchbay.terminal.environment",
  panelAgents: "patchbay.panel.agents",
  panelPlace: "patchbay.panel.place",
  panelSendWith: "patchbay.panel.sendWith",
  panelNotify: "patchbay.panel.notify",
  panelAutosave: "patchbay.panel.autosave",
  panelRespectIgnoreFiles: "patchbay.panel.respectIgnoreFiles",
} as const;

type PreferenceName = (typeof preferenceNames)[keyof typeof preferenceNames];

/** The preference that holds the command line of an agent. */
export function commandPreferenceOf<Id extends string>({ id }: { readonly id: Id }): `patchbay.agents.${Id}.command` {
  return `patchbay.agents.${id}.command`;
}

/** Where a proposal's tab opens. */
export type DiffPlacement = "active" | "beside";

/** The names of earlier builds. What stands under them counts until the user writes the new ones. */
const earlierNames: Readonly<Record<string, string>> = {
  [preferenceNames.sharing]: "patchbay.theia.context.enabled",
  [preferenceNames.shareSelection]: "patchbay.theia.context.shareSelection",
  [preferenceNames.exclude]: "patchbay.theia.context.exclude",
  [preferenceNames.reviews]: "patchbay.theia.reviews",
  [preferenceNames.notify]: "patchbay.theia.notify",
  [preferenceNames.placement]: "patchbay.theia.diff.placement",
  [preferenceNames.terminalEnvironment]: "patchbay.theia.terminal.environment",
  ...Object.fromEntries(
    agents.map((agent) => [commandPreferenceOf(agent), `patchbay.theia.agents.${agent.id}.command`]),
  ),
};

type Preferences = Pick<PreferenceService, "get" | "inspect">;

/** What the user wants. `folder`: the URI of the folder that the question is about. */
export function preferenceOf<T>(
  preferences: Preferences,
  name: PreferenceName | ReturnType<typeof commandPreferenceOf>,
  fallback: T,
  folder?: string,
): T {
  const earlier = earlierNames[name];
  const counts = earlier === undefined || isSet(preferences, name, folder) || !isSet(preferences, earlier, folder);
  return preferences.get<T>(counts ? name : earlier, fallback, folder);
}

/** What stands in the user's own settings alone: a folder's settings come with a repository. */
export function ownPreferenceOf(preferences: Preferences, name: PreferenceName): unknown {
  const own = preferences.inspect(name)?.globalValue;
  const earlier = earlierNames[name];
  return own === undefined && earlier !== undefined ? preferences.inspect(earlier)?.globalValue : own;
}

/** Whether a change of a preference is one of those named, under whichever name. */
export function isAbout(changed: string, names: readonly PreferenceName[]): boolean {
  return names.some((name) => changed === name || changed === earlierNames[name]);
}

function isSet(preferences: Preferences, name: string, folder: string | undefined): boolean {
  const found = preferences.inspect(name, folder);
  return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some((value) => value !== undefined);
}

/** What Theia knows of them. */
export const preferenceSchema: PreferenceSchema = {
  scope: PreferenceScope.Folder,
  title: "Patchbay",
  properties: {
    [preferenceNames.sharing]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/sharing",
        "Share open files, cursor position and selection with connected agents. Reviews work either way.",
      ),
    },
    [preferenceNames.shareSelection]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/shareSelection",
        "Share selected text with agents. The text of files that hold secrets, such as .env and private keys, is never shared.",
      ),
    },
    [preferenceNames.exclude]: {
      type: "array",
      items: { type: "string" },
      default: [],
      description: nls.localize(
        "patchbay/preferences/exclude",
        "Glob patterns of files that are never shared with agents: neither their names nor their text.",
      ),
    },
    [preferenceNames.reviews]: {
      type: "object",
      // What comes with a folder could loosen it.
      scope: PreferenceScope.User,
      default: {},
      additionalProperties: true,
      description: nls.localize(
        "patchbay/preferences/reviews",
        'Which files an agent with a hook (Patchbay: Install Hook) may write only after your review, by the agent\'s id (gemini, qwen, claude) or "*" for all others: "always" (the default), "asks-itself" (the agent asks in the modes that ask), "never", or {"paths": ["migrations/**"]}. "folders" has the same for single folders. "commands": {"*": "ask"} asks you before each shell command, too. A repository can only tighten this, in its file .patchbay.json.',
      ),
    },
    [preferenceNames.openReviews]: {
      type: "string",
      enum: ["always", "whenIdle", "onDemand"],
      enumDescriptions: [
        nls.localize("patchbay/preferences/openAlways", "As soon as an agent asks. It takes no focus."),
        nls.localize("patchbay/preferences/openWhenIdle", "When you have not typed or moved the cursor for 3 seconds."),
        nls.localize(
          "patchbay/preferences/openOnDemand",
          "Never by themselves: the Review view has them, with a count.",
        ),
      ],
      default: "always",
      description: nls.localize("patchbay/preferences/openReviews", "When reviews open by themselves."),
    },
    [preferenceNames.agentChanges]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/agentChanges",
        "List what agents changed in the Review view, turn by turn, to keep or undo it.",
      ),
    },
    [preferenceNames.notify]: {
      type: "string",
      enum: ["never", "hiddenTerminal"],
      enumDescriptions: [
        nls.localize("patchbay/preferences/notifyNever", "Never: the status bar and the list show it."),
        nls.localize("patchbay/preferences/notifyHidden", "Only while you do not see its terminal."),
      ],
      default: "never",
      description: nls.localize(
        "patchbay/preferences/notify",
        "Whether to notify you when an agent waits for you or has finished.",
      ),
    },
    [preferenceNames.placement]: {
      type: "string",
      enum: ["active", "beside"],
      enumDescriptions: [
        nls.localize("patchbay/preferences/placementActive", "In a tab of the group of editors in use."),
        nls.localize("patchbay/preferences/placementBeside", "Beside the current editor."),
      ],
      default: "active",
      description: nls.localize("patchbay/preferences/placement", "Where proposals open."),
    },
    [preferenceNames.terminalEnvironment]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/terminalEnvironment",
        "Set environment variables in new terminals so that agents started there find this window.",
      ),
    },
    [preferenceNames.panelPlace]: {
      type: "string",
      enum: ["sideBar", "secondarySideBar", "tab"],
      enumDescriptions: [
        nls.localize("patchbay/preferences/panelLeft", "In the left side bar."),
        nls.localize("patchbay/preferences/panelRight", "In the right side bar."),
        nls.localize("patchbay/preferences/panelTab", "In a tab of the main area."),
      ],
      default: "secondarySideBar",
      description: nls.localize("patchbay/preferences/panelPlace", "Where the conversation panel opens."),
    },
    [preferenceNames.panelSendWith]: {
      type: "string",
      enum: ["enter", "ctrl-enter"],
      enumDescriptions: [
        nls.localize("patchbay/preferences/sendEnter", "Enter sends; Shift+Enter starts a new line."),
        nls.localize("patchbay/preferences/sendCtrlEnter", "Ctrl+Enter (Cmd+Enter) sends; Enter starts a new line."),
      ],
      default: "enter",
      description: nls.localize(
        "patchbay/preferences/sendWith",
        "Which key sends your message in the conversation panel.",
      ),
    },
    [preferenceNames.panelNotify]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/panelNotify",
        "Notify when an agent waits for your answer or has finished while its conversation is not visible.",
      ),
    },
    [preferenceNames.panelAutosave]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/panelAutosave",
        "Save unsaved changes before an agent reads or writes the file.",
      ),
    },
    [preferenceNames.panelRespectIgnoreFiles]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/panelIgnore",
        "Leave out files that Git ignores when you mention files with @.",
      ),
    },
    [preferenceNames.panelAgents]: {
      type: "object",
      // It names programs, which no repository may.
      scope: PreferenceScope.User,
      default: {},
      additionalProperties: true,
      description: nls.localize(
        "patchbay/preferences/panelAgents",
        "How the conversation panel starts agents, by their ids: program, args, environment, wrapper, model and mode. Any other id with a program adds an agent that speaks the Agent Client Protocol.",
      ),
    },
    ...Object.fromEntries(agents.map((agent) => [commandPreferenceOf(agent), commandLine(agent)])),
    ...Object.fromEntries(Object.entries(earlierNames).map(([name, earlier]) => [earlier, earlierPreference(name)])),
  },
};

/** Still read, and marked in the settings as what to replace. */
function earlierPreference(name: string): PreferenceDataProperty {
  return {
    deprecationMessage: nls.localize("patchbay/preferences/earlier", "Use {0} instead.", name),
    // As narrow as the preference in its place: a folder must not loosen what only the user may.
    ...(name === preferenceNames.reviews ? { scope: PreferenceScope.User } : {}),
  };
}

function commandLine(agent: Pick<Dialect, "agentName" | "program" | "asking">): PreferenceDataProperty {
  return {
    type: "string",
    // Some agents may write without asking by their own defaults, and then there is nothing to review.
    default: agent.asking?.isDefault === true ? agent.program.command : askingCommand(agent),
    description: nls.localize(
      "patchbay/preferences/command",
      "The command line that starts {0} in a terminal.",
      agent.agentName,
    ),
  };
}

/** Makes the preferences known; both sides of Theia need to know them. */
export function bindPreferences(bind: interfaces.Bind): void {
  bind(PreferenceContribution).toConstantValue({ schema: preferenceSchema });
}
