import type { Dialect } from "@patchbay/core";
import { agents, askingCommand } from "@patchbay/core/agents";
import { nls } from "@theia/core/lib/common/nls";
import {
  PreferenceContribution,
  type PreferenceDataProperty,
  type PreferenceSchema,
} from "@theia/core/lib/common/preferences/preference-schema";
import { PreferenceScope } from "@theia/core/lib/common/preferences/preference-scope";
import type { interfaces } from "@theia/core/shared/inversify";

/** Names of our preferences. They differ from those of our VS Code extension, which may run as a plugin in the same Theia. */
export const preferenceNames = {
  sharing: "patchbay.theia.context.enabled",
  shareSelection: "patchbay.theia.context.shareSelection",
  exclude: "patchbay.theia.context.exclude",
  reviews: "patchbay.theia.reviews",
  notify: "patchbay.theia.notify",
  placement: "patchbay.theia.diff.placement",
  terminalEnvironment: "patchbay.theia.terminal.environment",
} as const;

/** The preference that holds the command line of an agent. */
export function commandPreferenceOf({ id }: Pick<Dialect, "id">): string {
  return `patchbay.theia.agents.${id}.command`;
}

/** Where a proposal's tab opens. */
export type DiffPlacement = "tab" | "beside";

const preferenceSchema: PreferenceSchema = {
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
        'Which files an agent with a hook (Patchbay: Install Hook) may write only after your review, by the agent\'s id (gemini, qwen, claude) or "*" for all others: "always" (also without an entry), "asks-itself" (the agent asks in the modes that ask), "never", or {"paths": ["migrations/**"]}. "folders" has the same for single folders. "commands": {"*": "ask"} has you asked before each shell command, too. A repository can only tighten this, in its file .patchbay.json.',
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
      enum: ["tab", "beside"],
      enumDescriptions: [
        nls.localize("patchbay/preferences/placementTab", "In a tab of the editor area."),
        nls.localize("patchbay/preferences/placementBeside", "Beside the current editor."),
      ],
      default: "tab",
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
    ...Object.fromEntries(agents.map((agent) => [commandPreferenceOf(agent), commandLine(agent)])),
  },
};

function commandLine(agent: Pick<Dialect, "agentName" | "program" | "asking">): PreferenceDataProperty {
  return {
    type: "string",
    // Some agents may write without asking by their own defaults, and then there is nothing to review.
    default: agent.asking.isDefault ? agent.program.command : askingCommand(agent),
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
