import {
  type AgentSettings,
  type Companion,
  createNodePlatform,
  readAgentSettings,
  type SessionInfo,
} from "@patchbay/core";
import { env, extensions, l10n, workspace } from "vscode";
import type { Settings } from "./settings.ts";
import { markdownText } from "./surfaces/texts.ts";

const signs: Readonly<Record<Finding["mark"], string>> = { good: "✓", hint: "•", problem: "✗" };

/** Looks at everything an agent needs to connect and to ask for reviews; the answer is Markdown. */
export async function writeDiagnosis(companion: Companion, settings: Settings): Promise<string> {
  const findings = [...findCompanion(companion, settings), ...(await findAgentSettings())];
  const lines = findings.map(({ mark, found, advice }) =>
    advice === undefined
      ? `${signs[mark]} ${markdownText(found)}`
      : `${signs[mark]} **${markdownText(found)}** ${markdownText(advice)}`,
  );
  return [`# ${l10n.t("Patchbay: Diagnosis")}`, ...lines].join("\n\n");
}

/** One thing that was looked at. */
export interface Finding {
  readonly mark: "good" | "hint" | "problem";
  /** What was found: a whole sentence. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

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

/** What this window's own side looks like to an agent. */
export function findCompanion(companion: Companion, settings: Settings): Finding[] {
  return [
    ...listening(companion),
    ...folders(),
    ...sessions(companion.sessions),
    ...sharing(settings),
    ...terminals(settings),
    ...others(),
  ];
}

function listening({ state }: Companion): Finding[] {
  switch (state.kind) {
    case "listening":
      return [
        { mark: "good", found: l10n.t("Patchbay listens for agents on 127.0.0.1, port {0}.", state.port) },
        ...state.warnings.map((warning): Finding => ({ mark: "problem", found: warning })),
      ];
    case "failed": {
      const advice = l10n.t("Reload the window. If it fails again, the log tells more: run Patchbay: Show Log.");
      return [{ mark: "problem", found: state.message, advice }];
    }
    case "starting":
    case "stopped":
      return [
        { mark: "problem", found: l10n.t("Patchbay is not listening yet."), advice: l10n.t("Try again in a moment.") },
      ];
  }
}

function folders(): Finding[] {
  const open = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  if (open.length === 0) {
    return [
      {
        mark: "problem",
        found: l10n.t("No folder is open in this window."),
        advice: l10n.t("Agents choose a window by its folders: open the folder in which you start the agent."),
      },
    ];
  }
  const list = open.map(({ uri }) => uri.fsPath).join(", ");
  return [{ mark: "good", found: l10n.t("An agent finds this window when it is started in {0} or below.", list) }];
}

function sessions(all: readonly SessionInfo[]): Finding[] {
  const connected = all.filter(({ state }) => state === "connected");
  if (connected.length === 0) {
    return [
      {
        mark: "hint",
        found: l10n.t("No agent is connected."),
        advice: l10n.t(
          "Agents look for a window when they start: start the agent in a new terminal of this window, or type /ide in one that runs. For a terminal outside {0}, run Patchbay: Copy Terminal Environment first.",
          env.appName,
        ),
      },
    ];
  }
  return connected.map(({ agentName, version }) => ({
    mark: "good",
    found: l10n.t("{0} is connected.", version === undefined ? agentName : `${agentName} ${version}`),
  }));
}

function sharing(settings: Settings): Finding[] {
  if (settings.share) return [];
  return [{ mark: "hint", found: l10n.t("Sharing is off in the settings: agents see neither files nor selection.") }];
}

function terminals(settings: Settings): Finding[] {
  if (settings.terminalEnvironment) return [];
  const advice = l10n.t("Agents in terminals of this window then choose among all windows by folder alone.");
  return [{ mark: "hint", found: l10n.t("The setting patchbay.terminal.environment is off."), advice }];
}

function others(): Finding[] {
  return installedCompanions().map((name) => ({
    mark: "hint",
    found: l10n.t("{0} is installed too.", name),
    advice: l10n.t("Its agent may connect to it in place of Patchbay. Disable it to have all agents in one place."),
  }));
}

const companionsOfOthers = [
  "google.gemini-cli-vscode-ide-companion",
  "qwenlm.qwen-code-vscode-ide-companion",
  "anthropic.claude-code",
] as const;

/** Other companions that are installed too: an agent then connects to whichever announced itself last. */
export function installedCompanions(): readonly string[] {
  return companionsOfOthers.flatMap((id) => {
    const extension = extensions.getExtension(id);
    if (extension === undefined) return [];
    const manifest: unknown = extension.packageJSON;
    const named = typeof manifest === "object" && manifest !== null && "displayName" in manifest;
    return [named && typeof manifest.displayName === "string" ? manifest.displayName : id];
  });
}
