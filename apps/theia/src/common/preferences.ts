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
