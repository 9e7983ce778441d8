import {
  type AgentId,
  agentOf,
  type Companion,
  createNodePlatform,
  type EditorFinding,
  type FindingLevel,
} from "@patchbay/core";
import {
  examineAgents,
  examineEditor,
  explainFinding,
  explanationMarkdown,
  readAgentSettings,
} from "@patchbay/core/diagnosis";
import { env, extensions, workspace } from "vscode";
import type { Settings, Sharing } from "./settings.ts";
import { l10n, textsInUse } from "@patchbay/languages/spoken";
import { markdownText } from "./surfaces/texts.ts";

// What is wrong and how much it matters is found by core; here it is put into words and on a page.

/** What a diagnosis is made from. */
export interface Diagnosed {
  readonly companion: Companion;
  readonly settings: Settings;
  readonly sharing: Pick<Sharing, "paused">;
}

/** What is said of a finding. */
export interface FindingWords {
  /** A whole sentence. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

const signs: Readonly<Record<FindingLevel, string>> = { ok: "✓", hint: "•", problem: "✗" };

/** Looks at everything an agent needs to connect and to ask for reviews; the answer is Markdown. */
export async function writeDiagnosis({ companion, settings, sharing }: Diagnosed): Promise<string> {
  const folders = (workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === "file" ? [uri.fsPath] : []));
  const own = examineEditor({
    state: companion.state,
    folders,
    trusted: workspace.isTrusted,
    sharing: !sharing.paused,
    terminalEnvironment: settings.terminalEnvironment,
    sessions: companion.sessions,
  });
  const agents = examineAgents(await readAgentSettings(createNodePlatform(), folders[0]));
  const inOwnLanguage = textsInUse().findings;
  const explained = new Map<string, string>();
  const pageLine = async (finding: EditorFinding): Promise<string | undefined> => {
    const line = lineOf(finding.level, wordsOf(finding, settings));
    const isExplained = line !== undefined && finding.level !== "ok";
    const explanation = isExplained ? await explainFinding(finding.code, inOwnLanguage) : undefined;
    if (explanation === undefined) return line;
    const { title } = explanation;
    // The headings of several would have one and the same place on the page.
    explained.set(title, `## ${title}\n\n${explanationMarkdown(explanation).replaceAll(/^## (.+)$/gmu, "**$1**")}`);
    return `${line} [${l10n.t("Explain")}](#${placeOf(title)})`;
  };
  const lines = [
    ...(await Promise.all(own.map(pageLine))),
    ...installedCompanions().map((name) => lineOf("hint", wordsOfOther(name))),
    ...(await Promise.all(agents.map(pageLine))),
  ];
  const explanations = explained.size === 0 ? [] : ["---", ...explained.values()];
  return [`# ${l10n.t("Patchbay: Diagnosis")}`, ...lines.filter((line) => line !== undefined), ...explanations].join(
    "\n\n",
  );
}

function lineOf(level: FindingLevel, words: FindingWords | undefined): string | undefined {
  if (words === undefined) return undefined;
  const { found, advice } = words;
  return advice === undefined
    ? `${signs[level]} ${markdownText(found)}`
    : `${signs[level]} **${markdownText(found)}** ${markdownText(advice)}`;
}

/** Where VS Code's preview puts a heading. */
function placeOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}_\s-]/gu, "")
    .replaceAll(/\s/gu, "-");
}

/** The words for a finding; undefined where it is not shown here. */
export function wordsOf(finding: EditorFinding, settings: Pick<Settings, "share">): FindingWords | undefined {
  const agent = finding.agents.map((id) => agentOf(id).agentName).join(", ");
  switch (finding.code) {
    case "listening":
      return { found: l10n.t("Patchbay is listening for agents on 127.0.0.1, port {0}.", finding.values.port) };
    case "listening-but":
      return { found: finding.values.sentence };
    case "failed":
      return {
        found: finding.values.sentence,
        advice: l10n.t("Reload the window. If it fails again, run Patchbay: Show Log for details."),
      };
    case "not-yet-listening":
    case "stopped":
      return { found: l10n.t("Patchbay is still starting."), advice: l10n.t("Try again in a moment.") };
    case "folders-open": {
      const list = finding.values.folders.join(", ");
      return { found: l10n.t("Agents started in {0} or below find this window.", list) };
    }
    case "no-folder-open":
      return {
        found: l10n.t("No folder is open in this window."),
        advice: l10n.t("Agents choose a window by its folders. Open the folder in which you start the agent."),
      };
    case "workspace-untrusted":
      return {
        found: l10n.t("This workspace is untrusted."),
        advice: l10n.t("Some agents restrict themselves, and Patchbay starts none until you trust it."),
      };
    case "sharing-off":
      return {
        found: settings.share
          ? l10n.t("Sharing is paused. Agents do not see your open files or selection.")
          : l10n.t("Sharing is off in the settings. Agents do not see your open files or selection."),
      };
    case "terminal-environment-off":
      return {
        found: l10n.t("The setting patchbay.terminal.environment is off."),
        advice: l10n.t("Agents in this window's terminals then choose among all windows by folder only."),
      };
    case "session": {
      const { agentName, state, version } = finding.values.session;
      if (state !== "connected") return undefined;
      return { found: l10n.t("{0} is connected.", version === undefined ? agentName : `${agentName} ${version}`) };
    }
    case "no-agent-connected":
      return {
        found: l10n.t("No agent is connected."),
        advice: l10n.t(
          "Agents look for a window when they start. Start the agent in a new terminal of this window, or type /ide in a running one. For a terminal outside {0}, run Patchbay: Copy Terminal Environment first.",
          env.appName,
        ),
      };
    case "editor-mode-off":
    case "editor-mode-not-chosen":
      return {
        found: l10n.t("{0}: IDE mode is not enabled in its settings.", agent),
        advice: finding.agents.map(wordsOfConnecting).join(" "),
      };
    case "looks-on-container-host":
      return {
        found: l10n.t(
          "In this container, {0} looks for its editor on the container's host, except in this window's terminals.",
          agent,
        ),
        advice: l10n.t(
          "Type export REMOTE_CONTAINERS=true there before you start the agent, or set this variable in the container's environment.",
        ),
      };
    case "shows-changes-in-terminal":
      return {
        found: l10n.t("{0} shows its changes only in the terminal.", agent),
        advice: l10n.t("Type /config in {0} and set its diff tool to auto.", agent),
      };
    case "hook-installed":
      return { found: l10n.t("You review the changes of {0} in every mode, because its hook is installed.", agent) };
    case "hook-broken":
      return {
        found: l10n.t("The hook of {0} in {1} is incomplete, or what it runs is gone.", agent, finding.values.file),
        advice: l10n.t("Install it again."),
      };
    case "hook-not-installed":
      return {
        found: l10n.t("Changes by {0} are not shown in an editor, because its hook is not installed.", agent),
        advice: l10n.t("Install it."),
      };
    case "hook-off":
      return {
        found: l10n.t("Hooks are switched off in {0}, so its hook reviews nothing.", agent),
        advice: l10n.t("Change {0} in {1}.", finding.values.setting, finding.values.file),
      };
    case "hook-needs-trust":
      return { found: l10n.t("The hook of {0} runs only if you trust this folder in {0}.", agent) };
    case "hook-untrusted":
      return {
        found: l10n.t(
          "{0} asks at its next start whether you trust this hook, and does not run it until you do.",
          agent,
        ),
      };
    case "settings-not-json":
      return {
        found: l10n.t("{0} is not valid JSON, so {1} cannot use it.", finding.values.file, agent),
        advice: l10n.t("Correct it."),
      };
    case "asks":
      return { found: l10n.t("{0} asks before it writes.", agent) };
    case "never-asks": {
      const { file, mode, setting, command } = finding.values;
      return {
        found:
          file === undefined
            ? l10n.t("{0}: {1} is not set; newer versions default to {2}.", agent, setting, mode)
            : l10n.t("{0}: {1} is {2}.", agent, setting, mode),
        advice: l10n.t(
          "In this mode it may write without asking, so no proposals are shown. Set {0} to default in its settings, start it with {1}, or use Patchbay: Run {2}.",
          setting,
          command,
          agent,
        ),
      };
    }
  }
}

function wordsOfConnecting(id: AgentId): string {
  const { agentName, connecting, offersExtension } = agentOf(id);
  const typed = connecting?.input ?? "";
  return offersExtension
    ? l10n.t(
        "Type {1} in {0} once. If it offers to install an extension, decline: Patchbay does not need one.",
        agentName,
        typed,
      )
    : l10n.t("Type {1} in {0} once.", agentName, typed);
}

function wordsOfOther(name: string): FindingWords {
  return {
    found: l10n.t("{0} is installed too.", name),
    advice: l10n.t("Its agent may connect to it instead of Patchbay. Disable it to keep all agents in one place."),
  };
}

const companionsOfOthers = [
  "google.gemini-cli-vscode-ide-companion",
  "qwenlm.qwen-code-vscode-ide-companion",
  "anthropic.claude-code",
] as const;

/** Other companions that are installed too: an agent then connects to whichever announced itself last. */
function installedCompanions(): readonly string[] {
  return companionsOfOthers.flatMap((id) => {
    const extension = extensions.getExtension(id);
    if (extension === undefined) return [];
    const manifest: unknown = extension.packageJSON;
    const named = typeof manifest === "object" && manifest !== null && "displayName" in manifest;
    return [named && typeof manifest.displayName === "string" ? manifest.displayName : id];
  });
}
