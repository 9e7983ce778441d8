import { l10n, workspace } from "vscode";
import { type AgentSettings, createNodePlatform, readAgentSettings } from "@patchbay/core";
import type { Finding } from "./finding.ts";

/** What the agents' own settings say about asking for reviews in the first folder of this window. */
export async function findAgentSettings(): Promise<Finding[]> {
  const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  const all = await readAgentSettings(createNodePlatform(), folder?.uri.fsPath);
  return all.filter(({ isUsed }) => isUsed).flatMap(describeSettings);
}

/** What one agent's settings mean for reviews. */
export function describeSettings(one: AgentSettings): Finding[] {
  return [...connecting(one), ...reviewing(one)];
}

function connecting({ agentName, looksForEditor, looksOnContainerHost }: AgentSettings): Finding[] {
  const findings: Finding[] = [];
  if (looksForEditor !== "yes") {
    findings.push({
      mark: "problem",
      found: l10n.t("{0}: its IDE mode is not switched on in its settings.", agentName),
      advice: l10n.t(
        "Type /ide enable in {0} once. Its own offer to install an extension is not needed with Patchbay.",
        agentName,
      ),
    });
  }
  if (looksOnContainerHost) {
    findings.push({
      // This window's own terminals have the variable.
      mark: "hint",
      found: l10n.t(
        "This is a container, and outside of this window's terminals {0} looks for its editor on the container's host.",
        agentName,
      ),
      advice: l10n.t(
        "Type export REMOTE_CONTAINERS=true there before you start it, or set that variable in the environment of the container.",
      ),
    });
  }
  return findings;
}

function reviewing(one: AgentSettings): Finding[] {
  const { agentName, showsChanges, asks, mode, modeSetting, askingCommand } = one;
  const findings: Finding[] = [];
  if (!showsChanges) {
    findings.push({
      mark: "problem",
      found: l10n.t("{0}: it shows its changes in the terminal only.", agentName),
      advice: l10n.t("Type /config in {0} and set its diff tool to auto.", agentName),
    });
  }
  if (asks) findings.push({ mark: "good", found: l10n.t("{0}: it asks before it writes.", agentName) });
  else {
    findings.push({
      mark: "problem",
      found:
        mode === undefined
          ? l10n.t(
              "{0}: {1} is not set, and the default of newer versions is {2}.",
              agentName,
              modeSetting,
              one.defaultMode,
            )
          : l10n.t("{0}: {1} is {2}.", agentName, modeSetting, mode),
      advice: l10n.t(
        "In this mode it may write without asking, and then no proposal is shown. Set {0} to default in its settings, start it with {1}, or use Patchbay: Run {2}.",
        modeSetting,
        askingCommand,
        agentName,
      ),
    });
  }
  return findings;
}
