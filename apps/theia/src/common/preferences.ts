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
  placement: "patchbay.theia.diff.placement",
  terminalEnvironment: "patchbay.theia.terminal.environment",
  geminiCommand: "patchbay.theia.agents.gemini.command",
  qwenCommand: "patchbay.theia.agents.qwen.command",
  claudeCommand: "patchbay.theia.agents.claude.command",
} as const;

/** Where a proposal's tab opens. */
export type DiffPlacement = "tab" | "beside";

export const preferenceSchema: PreferenceSchema = {
  scope: PreferenceScope.Folder,
  title: "Patchbay",
  properties: {
    [preferenceNames.sharing]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/sharing",
        "Tell connected agents which files are open, where the cursor is and what is selected. Reviewing proposals works either way.",
      ),
    },
    [preferenceNames.shareSelection]: {
      type: "boolean",
      default: true,
      description: nls.localize("patchbay/preferences/shareSelection", "Share the text of the selection with agents."),
    },
    [preferenceNames.exclude]: {
      type: "array",
      items: { type: "string" },
      default: [],
      description: nls.localize(
        "patchbay/preferences/exclude",
        "Glob patterns of files that agents are never told about, neither their names nor their text. The text of files that hold secrets by convention is never shared in any case.",
      ),
    },
    [preferenceNames.placement]: {
      type: "string",
      enum: ["tab", "beside"],
      enumDescriptions: [
        nls.localize("patchbay/preferences/placementTab", "In a tab of the editors' area."),
        nls.localize("patchbay/preferences/placementBeside", "Beside the editor you are in."),
      ],
      default: "tab",
      description: nls.localize("patchbay/preferences/placement", "Where a proposal opens."),
    },
    [preferenceNames.terminalEnvironment]: {
      type: "boolean",
      default: true,
      description: nls.localize(
        "patchbay/preferences/terminalEnvironment",
        "Set the variables by which agents find this window in new terminals.",
      ),
    },
    [preferenceNames.geminiCommand]: commandLine("Gemini CLI", "gemini"),
    // By their own defaults these two may write without asking, and then there is nothing to review.
    [preferenceNames.qwenCommand]: commandLine("Qwen Code", "qwen --approval-mode default"),
    [preferenceNames.claudeCommand]: commandLine("Claude Code", "claude --permission-mode manual"),
  },
};

function commandLine(agentName: string, command: string): PreferenceDataProperty {
  return {
    type: "string",
    default: command,
    description: nls.localize(
      "patchbay/preferences/command",
      "The command line that starts {0} in a terminal.",
      agentName,
    ),
  };
}

/** Makes the preferences known; both sides of Theia need to know them. */
export function bindPreferences(bind: interfaces.Bind): void {
  bind(PreferenceContribution).toConstantValue({ schema: preferenceSchema });
}
