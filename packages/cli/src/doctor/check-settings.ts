import type { AgentSettings } from "@patchbay/core";
import type { Finding } from "./finding.ts";

/** Do the agents' own settings let them look for an editor? */
export function checkConnecting(all: readonly AgentSettings[]): readonly Finding[] {
  return all.flatMap(({ agent, agentName, looksForEditor }): readonly Finding[] => {
    if (looksForEditor === "yes") return [];
    const text =
      looksForEditor === "no"
        ? `${agentName}'s IDE mode is off (ide.enabled), so it does not look for an editor.`
        : `${agentName} has not been told to use an editor yet. Its first-run question offers to install another extension; answer "No" and switch IDE mode on.`;
    return [{ level: "problem", agent, text, fix: `/ide enable   # typed in ${agentName}` }];
  });
}

/** Do the agents' own settings have changes shown? In a mode in which an agent never asks none ever is. */
export function checkAsking(all: readonly AgentSettings[]): readonly Finding[] {
  return all.flatMap((one) => [...checkMode(one), ...checkDiffs(one)]);
}

function checkMode(one: AgentSettings): readonly Finding[] {
  const { agent, agentName, asks, mode, defaultMode, modeSetting, settingsFile, askingCommand, askingInput } = one;
  if (asks) return [];
  const text = `${agentName}'s ${modeSetting} is "${mode ?? defaultMode}", with which it writes without asking: the editor is never shown a change.`;
  const now = askingInput === undefined ? `${askingCommand}   # ` : `${askingInput}   # typed in ${agentName}; `;
  return [{ level: "problem", agent, text, fix: `${now}for good: "default" in ${settingsFile}` }];
}

function checkDiffs({ agent, agentName, showsChanges }: AgentSettings): readonly Finding[] {
  if (showsChanges) return [];
  const text = `${agentName}'s diffTool is "terminal": changes are never shown in the editor.`;
  return [{ level: "problem", agent, text, fix: `/config   # typed in ${agentName}: set the diff tool to auto` }];
}

/** In a container one agent looks for the editor on the host, and not beside itself. */
export function checkContainer(all: readonly AgentSettings[]): readonly Finding[] {
  return all.flatMap(({ agent, agentName, looksOnContainerHost }): readonly Finding[] => {
    if (!looksOnContainerHost) return [];
    const text = `This is a container, in which ${agentName} dials host.docker.internal only and not the editor beside it.`;
    return [{ level: "problem", agent, text, fix: "export REMOTE_CONTAINERS=true" }];
  });
}
