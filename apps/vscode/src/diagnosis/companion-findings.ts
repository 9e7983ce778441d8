import { env, l10n, workspace } from "vscode";
import type { Companion, SessionInfo } from "@patchbay/core";
import type { Settings } from "../settings/settings.ts";
import type { Finding } from "./finding.ts";
import { installedCompanions } from "./installed-companions.ts";

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
