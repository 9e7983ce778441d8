import type { AgentSettings, SessionInfo } from "@patchbay/core";
import { nls } from "@theia/core/lib/common/nls";
import { preferenceNames } from "../../common/preferences.ts";
import { visibleText } from "../../common/visible-text.ts";
import type { WindowState } from "../../common/protocol.ts";

/** Everything a diagnosis is made from; gathered beforehand, so that judging it needs no Theia. */
export interface DiagnosisFacts {
  readonly state: WindowState;
  /** Absolute paths of the window's folders. */
  readonly roots: readonly string[];
  readonly sessions: readonly SessionInfo[];
  readonly trusted: boolean | undefined;
  readonly sharing: boolean;
  readonly terminalEnvironment: boolean;
  readonly agents: readonly AgentSettings[];
}

/** One thing that was looked at. */
export interface Finding {
  readonly mark: "good" | "hint" | "problem";
  /** A whole sentence. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

const signs: Readonly<Record<Finding["mark"], string>> = { good: "✓", hint: "•", problem: "✗" };

/** The page that the user reads. */
export function diagnosisText(facts: DiagnosisFacts): string {
  // Paths, versions and settings stand in the sentences: none of them makes a line of its own.
  const lines = diagnose(facts).map(({ mark, found, advice }) => {
    const line = `${signs[mark]} ${visibleText(found)}`;
    return advice === undefined ? line : `${line}\n  ${visibleText(advice)}`;
  });
  return [nls.localize("patchbay/diagnosis/title", "Patchbay: Diagnosis"), ...lines, ""].join("\n\n");
}

/** Looks at everything an agent needs to connect and to ask for reviews, in the order in which it needs it. */
export function diagnose(facts: DiagnosisFacts): readonly Finding[] {
  return [
    ...aboutListening(facts.state),
    ...aboutFolders(facts.roots),
    ...aboutTrust(facts.trusted),
    ...aboutSettings(facts),
    ...aboutSessions(facts.sessions),
    ...facts.agents
      .filter(({ isUsed }) => isUsed)
      .flatMap((one) => [...aboutLooking(one), ...aboutContainer(one), ...aboutChanges(one), aboutMode(one)]),
  ];
}

function aboutListening(state: WindowState): readonly Finding[] {
  switch (state.kind) {
    case "listening":
      return [
        {
          mark: "good",
          found: nls.localize(
            "patchbay/diagnosis/listening",
            "Patchbay is listening for agents on 127.0.0.1, port {0}.",
            state.port,
          ),
        },
        ...state.warnings.map((warning): Finding => ({ mark: "problem", found: warning })),
      ];
    case "failed":
      return [
        {
          mark: "problem",
          found: state.message,
          advice: nls.localize(
            "patchbay/diagnosis/failed",
            "Reload the window. If it fails again, run Patchbay: Show Log for details.",
          ),
        },
      ];
    case "starting":
    case "stopped":
      return [
        {
          mark: "problem",
          found: nls.localize("patchbay/diagnosis/starting", "Patchbay is still starting."),
          advice: nls.localize("patchbay/diagnosis/tryAgain", "Try again in a moment."),
        },
      ];
    case "no-folder":
      return [];
  }
}

function aboutFolders(roots: readonly string[]): readonly Finding[] {
  if (roots.length > 0) {
    const found = nls.localize(
      "patchbay/diagnosis/folders",
      "Agents started in {0} or below find this window.",
      roots.join(", "),
    );
    return [{ mark: "good", found }];
  }
  return [
    {
      mark: "problem",
      found: nls.localize("patchbay/diagnosis/noFolder", "No folder is open in this window."),
      advice: nls.localize(
        "patchbay/diagnosis/openFolder",
        "Agents choose a window by its folders. Open the folder in which you start the agent.",
      ),
    },
  ];
}

function aboutTrust(trusted: boolean | undefined): readonly Finding[] {
  if (trusted !== false) return [];
  return [
    {
      mark: "hint",
      found: nls.localize("patchbay/diagnosis/untrusted", "This workspace is untrusted."),
      advice: nls.localize(
        "patchbay/diagnosis/trust",
        "Some agents restrict themselves. You can start agents from here once you trust it.",
      ),
    },
  ];
}

function aboutSettings({ sharing, terminalEnvironment }: DiagnosisFacts): readonly Finding[] {
  const findings: Finding[] = [];
  if (!sharing) {
    findings.push({
      mark: "hint",
      found: nls.localize(
        "patchbay/diagnosis/paused",
        "Sharing is off. Agents do not see your open files or selection.",
      ),
      advice: nls.localize("patchbay/diagnosis/resume", "Run Patchbay: Resume Sharing to turn it on."),
    });
  }
  if (!terminalEnvironment) {
    findings.push({
      mark: "hint",
      found: nls.localize(
        "patchbay/diagnosis/noEnvironment",
        "The preference {0} is off.",
        preferenceNames.terminalEnvironment,
      ),
      advice: nls.localize(
        "patchbay/diagnosis/byFolder",
        "Agents in this window's terminals then choose among all windows by folder only.",
      ),
    });
  }
  return findings;
}

function aboutContainer({ agentName, looksOnContainerHost }: AgentSettings): readonly Finding[] {
  if (!looksOnContainerHost) return [];
  return [
    {
      // Theia's own terminals have the variable.
      mark: "hint",
      found: nls.localize(
        "patchbay/diagnosis/container",
        "In this container, {0} looks for its editor on the container's host, except in Theia's terminals.",
        agentName,
      ),
      advice: nls.localize(
        "patchbay/diagnosis/stayHere",
        'Set REMOTE_CONTAINERS to "true" in the environment of the container, or type export REMOTE_CONTAINERS=true there before you start it.',
      ),
    },
  ];
}

function aboutSessions(sessions: readonly SessionInfo[]): readonly Finding[] {
  const connected = sessions.filter(({ state }) => state === "connected");
  if (connected.length > 0) {
    return connected.map(({ agentName, version }) => ({
      mark: "good",
      found: nls.localize(
        "patchbay/diagnosis/connected",
        "{0} is connected.",
        version === undefined ? agentName : `${agentName} ${version}`,
      ),
    }));
  }
  return [
    {
      mark: "hint",
      found: nls.localize("patchbay/diagnosis/noAgent", "No agent is connected."),
      advice: nls.localize(
        "patchbay/diagnosis/startOne",
        "Agents look for a window when they start. Start the agent in a new terminal of this window, or type /ide in a running one. For a terminal outside Theia, run Patchbay: Copy Terminal Environment first.",
      ),
    },
  ];
}

function aboutLooking({ agentName, looksForEditor }: AgentSettings): readonly Finding[] {
  if (looksForEditor === "yes") return [];
  return [
    {
      mark: "problem",
      found: nls.localize("patchbay/diagnosis/ideModeOff", "{0}: IDE mode is not enabled in its settings.", agentName),
      advice: nls.localize(
        "patchbay/diagnosis/ideEnable",
        "Type /ide enable in {0} once. If it offers to install an extension, decline: Patchbay does not need one.",
        agentName,
      ),
    },
  ];
}

function aboutChanges({ agentName, showsChanges }: AgentSettings): readonly Finding[] {
  if (showsChanges) return [];
  return [
    {
      mark: "problem",
      found: nls.localize("patchbay/diagnosis/terminalOnly", "{0} shows its changes only in the terminal.", agentName),
      advice: nls.localize(
        "patchbay/diagnosis/diffTool",
        "Type /config in {0} and set its diff tool to auto.",
        agentName,
      ),
    },
  ];
}

/** Agents may write without asking, some by default: then there is nothing to review. */
function aboutMode(one: AgentSettings): Finding {
  const { agentName, asks, mode, defaultMode, modeSetting, askingCommand } = one;
  if (asks) {
    return {
      mark: "good",
      found: nls.localize("patchbay/diagnosis/asks", "{0} asks before it writes.", agentName),
    };
  }
  return {
    mark: "problem",
    found:
      mode === undefined
        ? nls.localize(
            "patchbay/diagnosis/modeUnset",
            "{0}: {1} is not set; newer versions default to {2}.",
            agentName,
            modeSetting,
            defaultMode,
          )
        : nls.localize("patchbay/diagnosis/mode", "{0}: {1} is {2}.", agentName, modeSetting, mode),
    advice: nls.localize(
      "patchbay/diagnosis/mayNotAsk",
      "In this mode it may write without asking, so no proposals are shown. Set {0} to default in its settings, start it with {1}, or use Patchbay: Run {2}.",
      modeSetting,
      askingCommand,
      agentName,
    ),
  };
}
