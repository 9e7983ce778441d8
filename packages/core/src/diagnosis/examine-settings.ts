import type { AgentSettings } from "../dialects/settings/agent-settings.ts";
import { type DiagnosedAgent, diagnosedAgents, type Finding, findingOf } from "./finding.ts";

/** Do the agent's own settings let it look for an editor beside it? */
export function examineConnecting(settings: AgentSettings): readonly Finding[] {
  const agent = diagnosedAgent(settings);
  const { looksForEditor, looksOnContainerHost, settingsFile: userFile, decidedBy } = settings;
  const findings: Finding[] = [];
  if (looksForEditor === "no") {
    findings.push(findingOf("editor-mode-off", "problem", agent, { file: decidedBy.looksForEditor, userFile }));
  }
  if (looksForEditor === "not-yet") findings.push(findingOf("editor-mode-not-chosen", "problem", agent, {}));
  if (looksOnContainerHost) findings.push(findingOf("looks-on-container-host", "problem", agent, {}));
  return findings;
}

/** Do the agent's own settings have changes shown? In a mode in which it never asks none ever is. */
export function examineAsking(settings: AgentSettings): readonly Finding[] {
  const agent = diagnosedAgent(settings);
  const { showsChanges, asks, mode, defaultMode, modeSetting, settingsFile, decidedBy } = settings;
  const findings: Finding[] = [];
  if (!asks) {
    findings.push(
      findingOf("never-asks", "problem", agent, {
        mode: mode ?? defaultMode,
        setting: modeSetting,
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

function diagnosedAgent({ agent }: AgentSettings): DiagnosedAgent | undefined {
  return diagnosedAgents.find((id) => id === agent);
}
