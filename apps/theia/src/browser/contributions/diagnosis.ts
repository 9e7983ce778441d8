import type { AgentId, EditorFinding, FindingLevel } from "@patchbay/core";
import { agentOf } from "@patchbay/core/agents";
import type { Command } from "@theia/core/lib/common/command";
import { nls } from "@theia/core/lib/common/nls";
import { preferenceNames } from "../../common/preferences.ts";
import { visibleText } from "../../common/visible-text.ts";
import { agentLaunches, patchbayCommands } from "./patchbay-commands.ts";

// What is wrong and how much it matters is found by core, in the backend; here it is put into words and on a page.

/** What is said of a finding. */
interface FindingWords {
  /** A whole sentence. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

const signs: Readonly<Record<FindingLevel, string>> = { ok: "✓", hint: "•", problem: "✗" };

/** Where a finding leads: to one of our commands, or to a settings file. */
export type DiagnosisLink =
  | { readonly label: string; readonly command: string }
  | { readonly label: string; readonly file: string };

/** A finding in words that are safe to be shown. */
export interface DiagnosisLine {
  readonly level: FindingLevel;
  readonly found: string;
  readonly advice: string | undefined;
  readonly links: readonly DiagnosisLink[];
  /** The finding, where more can be said of it. */
  readonly code: string | undefined;
}

/** What was found of one agent, or of the window. */
export interface DiagnosisGroup {
  readonly title: string;
  readonly lines: readonly DiagnosisLine[];
}

const levels: readonly FindingLevel[] = ["problem", "hint", "ok"];

/** The page that the user reads: the window first, then each agent, the worst first. */
export function diagnosisGroups(findings: readonly EditorFinding[]): readonly DiagnosisGroup[] {
  const groups = new Map<string, DiagnosisLine[]>([[nls.localize("patchbay/diagnosis/window", "This window"), []]]);
  for (const finding of findings) {
    const words = wordsOf(finding);
    if (words === undefined) continue;
    const isOfWindow = finding.agents.length === 0 || finding.code === "session";
    const titles = isOfWindow ? [""] : finding.agents.map((id) => agentOf(id).agentName);
    const line = {
      level: finding.level,
      found: visibleText(words.found),
      advice: words.advice === undefined ? undefined : visibleText(words.advice),
      links: linksOf(finding),
      code: finding.level === "ok" ? undefined : finding.code,
    };
    for (const title of titles) {
      const name = title === "" ? nls.localize("patchbay/diagnosis/window", "This window") : title;
      groups.set(name, [...(groups.get(name) ?? []), line]);
    }
  }
  return Array.from(groups, ([title, lines]) => ({
    title,
    lines: lines.toSorted((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level)),
  })).filter(({ lines }) => lines.length > 0);
}

/** What can be done about it from here. */
function linksOf(finding: EditorFinding): readonly DiagnosisLink[] {
  const to = ({ id, label }: Command): DiagnosisLink => ({ label: label ?? id, command: id });
  const runs = agentLaunches.filter(({ id }) => finding.agents.includes(id)).map(({ command }) => to(command));
  const files = "file" in finding.values && finding.values.file !== undefined ? [finding.values.file] : [];
  const opens = files.map((file) => ({
    label: nls.localize("patchbay/diagnosis/openFile", "Open {0}", visibleText(file)),
    file,
  }));
  switch (finding.code) {
    case "failed":
    case "listening-but":
      return [to(patchbayCommands.showLog)];
    case "sharing-off":
      return [to(patchbayCommands.resumeSharing)];
    case "no-agent-connected":
      return [...agentLaunches.map(({ command }) => to(command)), to(patchbayCommands.copyEnvironment)];
    case "editor-mode-off":
    case "editor-mode-not-chosen":
    case "never-asks":
      return [...runs, ...opens];
    case "hook-broken":
    case "hook-not-installed":
      return [to(patchbayCommands.installHook), ...opens];
    default:
      return opens;
  }
}

/** The same as plain text, to be sent to somebody. */
export function diagnosisText(findings: readonly EditorFinding[]): string {
  // Paths, versions and settings stand in the sentences: none of them makes a line of its own.
  const lines = findings.flatMap((finding) => {
    const words = wordsOf(finding);
    if (words === undefined) return [];
    const line = `${signs[finding.level]} ${visibleText(words.found)}`;
    return [words.advice === undefined ? line : `${line}\n  ${visibleText(words.advice)}`];
  });
  return [nls.localize("patchbay/diagnosis/title", "Patchbay: Diagnosis"), ...lines, ""].join("\n\n");
}

/** The words for a finding; undefined where it is not shown here. */
function wordsOf(finding: EditorFinding): FindingWords | undefined {
  const agent = finding.agents.map((id) => agentOf(id).agentName).join(", ");
  switch (finding.code) {
    case "listening":
      return {
        found: nls.localize(
          "patchbay/diagnosis/listening",
          "Patchbay is listening for agents on 127.0.0.1, port {0}.",
          finding.values.port,
        ),
      };
    case "listening-but":
      return { found: finding.values.sentence };
    case "failed":
      return {
        found: finding.values.sentence,
        advice: nls.localize(
          "patchbay/diagnosis/failed",
          "Reload the window. If it fails again, run Patchbay: Show Log for details.",
        ),
      };
    case "not-yet-listening":
    case "stopped":
      return {
        found: nls.localize("patchbay/diagnosis/starting", "Patchbay is still starting."),
        advice: nls.localize("patchbay/diagnosis/tryAgain", "Try again in a moment."),
      };
    case "folders-open":
      return {
        found: nls.localize(
          "patchbay/diagnosis/folders",
          "Agents started in {0} or below find this window.",
          finding.values.folders.join(", "),
        ),
      };
    case "no-folder-open":
      return {
        found: nls.localize("patchbay/diagnosis/noFolder", "No folder is open in this window."),
        advice: nls.localize(
          "patchbay/diagnosis/openFolder",
          "Agents choose a window by its folders. Open the folder in which you start the agent.",
        ),
      };
    case "workspace-untrusted":
      return {
        found: nls.localize("patchbay/diagnosis/untrusted", "This workspace is untrusted."),
        advice: nls.localize(
          "patchbay/diagnosis/trust",
          "Some agents restrict themselves. You can start agents from here once you trust it.",
        ),
      };
    case "sharing-off":
      return {
        found: nls.localize(
          "patchbay/diagnosis/paused",
          "Sharing is off. Agents do not see your open files or selection.",
        ),
        advice: nls.localize("patchbay/diagnosis/resume", "Run Patchbay: Resume Sharing to turn it on."),
      };
    case "terminal-environment-off":
      return {
        found: nls.localize(
          "patchbay/diagnosis/noEnvironment",
          "The preference {0} is off.",
          preferenceNames.terminalEnvironment,
        ),
        advice: nls.localize(
          "patchbay/diagnosis/byFolder",
          "Agents in this window's terminals then choose among all windows by folder only.",
        ),
      };
    case "session": {
      const { agentName, state, version } = finding.values.session;
      if (state !== "connected") return undefined;
      const name = version === undefined ? agentName : `${agentName} ${version}`;
      return { found: nls.localize("patchbay/diagnosis/connected", "{0} is connected.", name) };
    }
    case "no-agent-connected":
      return {
        found: nls.localize("patchbay/diagnosis/noAgent", "No agent is connected."),
        advice: nls.localize(
          "patchbay/diagnosis/startOne",
          "Agents look for a window when they start. Start the agent in a new terminal of this window, or type /ide in a running one. For a terminal outside Theia, run Patchbay: Copy Terminal Environment first.",
        ),
      };
    case "editor-mode-off":
    case "editor-mode-not-chosen":
      return {
        found: nls.localize("patchbay/diagnosis/ideModeOff", "{0}: IDE mode is not enabled in its settings.", agent),
        advice: finding.agents.map(wordsOfConnecting).join(" "),
      };
    case "looks-on-container-host":
      return {
        found: nls.localize(
          "patchbay/diagnosis/container",
          "In this container, {0} looks for its editor on the container's host, except in Theia's terminals.",
          agent,
        ),
        advice: nls.localize(
          "patchbay/diagnosis/stayHere",
          'Set REMOTE_CONTAINERS to "true" in the environment of the container, or type export REMOTE_CONTAINERS=true there before you start it.',
        ),
      };
    case "shows-changes-in-terminal":
      return {
        found: nls.localize("patchbay/diagnosis/terminalOnly", "{0} shows its changes only in the terminal.", agent),
        advice: nls.localize(
          "patchbay/diagnosis/diffTool",
          "Type /config in {0} and set its diff tool to auto.",
          agent,
        ),
      };
    case "hook-installed":
      return {
        found: nls.localize(
          "patchbay/diagnosis/hookInstalled",
          "You review the changes of {0} in every mode, because its hook is installed.",
          agent,
        ),
      };
    case "hook-broken":
      return {
        found: nls.localize(
          "patchbay/diagnosis/hookBroken",
          "The hook of {0} in {1} is incomplete, or what it runs is gone.",
          agent,
          finding.values.file,
        ),
        advice: nls.localize("patchbay/diagnosis/hookAgain", "Install it again."),
      };
    case "hook-not-installed":
      return {
        found: nls.localize(
          "patchbay/diagnosis/hookNotInstalled",
          "Changes by {0} are not shown in an editor, because its hook is not installed.",
          agent,
        ),
        advice: nls.localize("patchbay/diagnosis/installHook", "Install it."),
      };
    case "hook-off":
      return {
        found: nls.localize(
          "patchbay/diagnosis/hookOff",
          "Hooks are switched off in {0}, so its hook reviews nothing.",
          agent,
        ),
        advice: nls.localize(
          "patchbay/diagnosis/hookSetting",
          "Change {0} in {1}.",
          finding.values.setting,
          finding.values.file,
        ),
      };
    case "hook-needs-trust":
      return {
        found: nls.localize(
          "patchbay/diagnosis/hookTrust",
          "The hook of {0} runs only if you trust this folder in {0}.",
          agent,
        ),
      };
    case "hook-untrusted":
      return {
        found: nls.localize(
          "patchbay/hook/consentCodex",
          "{0} asks at its next start whether you trust this hook, and does not run it until you do.",
          agent,
        ),
      };
    case "settings-not-json":
      return {
        found: nls.localize(
          "patchbay/diagnosis/notJson",
          "{0} is not valid JSON, so {1} cannot use it.",
          finding.values.file,
          agent,
        ),
        advice: nls.localize("patchbay/diagnosis/correct", "Correct it."),
      };
    case "asks":
      return { found: nls.localize("patchbay/diagnosis/asks", "{0} asks before it writes.", agent) };
    case "never-asks": {
      const { file, mode, setting, asking, command } = finding.values;
      return {
        found:
          file === undefined
            ? nls.localize(
                "patchbay/diagnosis/modeUnset",
                "{0}: {1} is not set; newer versions default to {2}.",
                agent,
                setting,
                mode,
              )
            : nls.localize("patchbay/diagnosis/mode", "{0}: {1} is {2}.", agent, setting, mode),
        advice: nls.localize(
          "patchbay/diagnosis/mayNotAsk",
          "In this mode it may write without asking, so no proposals are shown. Set {0} to {3} in its settings, start it with {1}, or use Patchbay: Run {2}.",
          setting,
          command,
          agent,
          asking,
        ),
      };
    }
  }
}

function wordsOfConnecting(id: AgentId): string {
  const { agentName, connecting, offersExtension } = agentOf(id);
  const typed = connecting?.input ?? "";
  return offersExtension
    ? nls.localize(
        "patchbay/diagnosis/ideEnable",
        "Type {1} in {0} once. If it offers to install an extension, decline: Patchbay does not need one.",
        agentName,
        typed,
      )
    : nls.localize("patchbay/diagnosis/ideType", "Type {1} in {0} once.", agentName, typed);
}
