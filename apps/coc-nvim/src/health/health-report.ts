import { accessSync, constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import process from "node:process";
import {
  type AgentId,
  type AgentSettings,
  agentOf,
  agents,
  type CompanionState,
  displayWidth,
  type EditorFinding,
  type FindingLevel,
  type SessionInfo,
  type Surroundings,
} from "@patchbay/core";
import { examineAgents, examineEditor } from "@patchbay/core/diagnosis";
import { l10n } from "@patchbay/languages/spoken";
import { splitCommand } from "../commands/command-words.ts";
import { padded } from "../vim/shape.ts";

/** One finding: what is, and for a problem what to do. */
export interface HealthLine {
  readonly level: FindingLevel;
  readonly text: string;
  /** The finding, where it can be explained. */
  readonly code?: string;
}

/** What the report is made from; gathered by the command, so that the judging needs no editor. */
export interface HealthFacts {
  readonly editor: string;
  readonly version: string;
  readonly nodeVersion: string;
  readonly state: CompanionState;
  readonly folders: readonly string[];
  readonly storageDirectory: string | undefined;
  /** Discovery records of this port, by the agents that read them. */
  readonly records: readonly HealthRecord[];
  readonly sessions: readonly SessionInfo[];
  readonly sharing: boolean;
  readonly agentSettings: readonly AgentSettings[];
  /** Agents, by their names in `patchbay.agents`, whose command the editor cannot start. */
  readonly missing: readonly string[];
  readonly inTmux: boolean;
  readonly openQuestions: number;
}

/** Whether an agent finds a record of this editor in a place where it looks. */
export interface HealthRecord {
  readonly agent: AgentId;
  /** The record, or where it is missing. */
  readonly path: string;
  readonly found: boolean;
}

/** First of all what is not there at all. With one agent at hand the others are a hint: nobody needs all of them. */
function missingLines(names: readonly string[]): readonly HealthLine[] {
  const level = agents.every(({ id }) => names.includes(id)) ? "problem" : "hint";
  return names.map((name) => {
    const agent = agents.find(({ id }) => id === name);
    return agent === undefined
      ? { level, text: l10n.t("The command for {0} in patchbay.agents is not on this editor's PATH.", name) }
      : {
          level,
          text: l10n.t(
            "{0} is not installed, or not on this editor's PATH. To install it: {1}",
            agent.agentName,
            `npm install -g ${agent.program.package}`,
          ),
        };
  });
}

/** The whole report of `:CocCommand patchbay.health`. What is wrong and how much it matters is found by core. */
export function healthReport(facts: HealthFacts): readonly HealthLine[] {
  const { state, folders, sharing, sessions, records, storageDirectory } = facts;
  const missing: ReadonlySet<string> = new Set(facts.missing);
  const isInstalled = ({ agent }: { readonly agent: AgentId }): boolean => !missing.has(agent);
  // Vim knows no trust, and every terminal of it gets the variables.
  const own = examineEditor({ state, folders, sharing, sessions, trusted: true, terminalEnvironment: true });
  const linesOf = (findings: readonly EditorFinding[]): readonly HealthLine[] =>
    findings.flatMap((finding) => {
      const { level, code } = finding;
      const text = wordsOf(finding);
      return text === undefined ? [] : [{ level, text, ...(level === "ok" ? {} : { code }) }];
    });
  return [
    ...missingLines(facts.missing),
    { level: "ok", text: l10n.t("coc-patchbay {0} in {1}, Node {2}", facts.version, facts.editor, facts.nodeVersion) },
    ...linesOf(own),
    ...records.filter(isInstalled).map(recordLine),
    storageDirectory === undefined
      ? {
          level: "problem",
          text: l10n.t(
            "Nothing can be stored: after :CocRestart, agents have to reconnect and unsent answers are lost.",
          ),
        }
      : { level: "ok", text: l10n.t("Data for restarts is stored in {0}", storageDirectory) },
    ...(sharing
      ? [{ level: "ok", text: l10n.t("Context is shared; :CocCommand patchbay.showShared shows what.") } as const]
      : []),
    ...linesOf(examineAgents(facts.agentSettings.filter(isInstalled))),
    ...(facts.inTmux
      ? [
          {
            level: "hint",
            text: l10n.t("tmux: link a pane with :CocCommand patchbay.linkTmux, or start agents in this folder."),
          } as const,
        ]
      : []),
    ...(facts.openQuestions > 0
      ? [{ level: "problem", text: l10n.t("A question is waiting: :CocCommand patchbay.answer") } as const]
      : []),
  ];
}

/** As text for a buffer. */
export function healthText(lines: readonly HealthLine[]): readonly string[] {
  const marks = { ok: l10n.t("OK"), hint: l10n.t("NOTE"), problem: l10n.t("PROBLEM") };
  const width = Math.max(...Object.values(marks).map(displayWidth));
  const names = lines.some(({ code }) => code !== undefined);
  return [
    ...lines.map(
      ({ level, text, code }) => `${padded(marks[level], width)}  ${text}${code === undefined ? "" : ` [${code}]`}`,
    ),
    ...(names ? ["", l10n.t("K in a line with a name in brackets explains it.")] : []),
  ];
}

/** The words for a finding; undefined where it is not shown here. */
function wordsOf(finding: EditorFinding): string | undefined {
  const agent = finding.agents.map((id) => agentOf(id).agentName).join(", ");
  switch (finding.code) {
    case "listening":
      return l10n.t("Listening on 127.0.0.1:{0}", finding.values.port);
    case "listening-but":
      return finding.values.sentence;
    case "failed":
      return l10n.t("{0} Then :CocCommand patchbay.restart", finding.values.sentence);
    case "not-yet-listening":
      return l10n.t("Starting; try again in a moment.");
    case "stopped":
      return l10n.t("Not running; :CocCommand patchbay.restart starts it.");
    case "folders-open":
      return l10n.t("Folders: {0}. Start agents in one of them or below.", finding.values.folders.join(", "));
    case "no-folder-open":
      return l10n.t("No folder is open: agents find this editor by their working directory. Use :cd.");
    case "sharing-off":
      return l10n.t("Sharing is paused; :CocCommand patchbay.toggleSharing resumes it.");
    case "session": {
      const { agentName, version, state, openProposals } = finding.values.session;
      const name = version === undefined ? agentName : `${agentName} ${version}`;
      return state === "connected"
        ? l10n.t("{0}: connected, open proposals: {1}", name, openProposals)
        : l10n.t("{0}: away, open proposals: {1}", name, openProposals);
    }
    case "no-agent-connected":
      return l10n.t("No agent is connected. Start one with :CocCommand patchbay.openAgent, or type /ide in it.");
    case "editor-mode-off":
    case "editor-mode-not-chosen":
      return finding.agents.map(wordsOfConnecting).join(" ");
    case "looks-on-container-host":
      return l10n.t(
        "In this container, {0} looks for its editor on the container's host, except in this editor's terminals. Type export REMOTE_CONTAINERS=true in other terminals before you start it there.",
        agent,
      );
    case "shows-changes-in-terminal":
      return l10n.t(
        "{0} shows its changes only in the terminal. Type /config in it and set its diff tool to auto.",
        agent,
      );
    case "never-asks": {
      const { file, userFile, mode, setting, asking } = finding.values;
      const [group = "", member = ""] = setting.split(".");
      const found =
        file === undefined
          ? l10n.t("{0} writes files without asking by default, so nothing is shown for review.", agent)
          : l10n.t("{0} writes files without asking in mode {1}, so nothing is shown for review.", agent, mode);
      const advice = l10n.t(
        "Put {0} into {1}, or start it with :CocCommand patchbay.openAgent.",
        `"${group}": {"${member}": "${asking}"}`,
        file ?? userFile,
      );
      return `${found} ${advice}`;
    }
    case "hook-installed":
      return l10n.t(
        "You review the changes of {0} in every mode, because its hook is installed ({1}).",
        agent,
        finding.values.file,
      );
    case "hook-broken":
      return l10n.t(
        "The hook of {0} in {1} is incomplete, or what it runs is gone. Install it again: {2}",
        agent,
        finding.values.file,
        ":Patchbay hook install",
      );
    case "hook-not-installed": {
      const found = l10n.t("Changes by {0} are not shown in an editor, because its hook is not installed.", agent);
      return `${found} ${l10n.t("Install it: {0}", ":Patchbay hook install")}`;
    }
    case "hook-off":
      return l10n.t(
        "{0} runs no hooks ({1} in {2}), so its hook reviews nothing.",
        agent,
        finding.values.setting,
        finding.values.file,
      );
    case "hook-needs-trust":
      return l10n.t(
        "The hook of {0} in {1} runs only if you trust this folder in the agent.",
        agent,
        finding.values.file,
      );
    case "hook-untrusted":
      return l10n.t("{0} asks at its next start whether you trust this hook, and does not run it until you do.", agent);
    case "settings-not-json":
      return `${l10n.t("{0} is not valid JSON, so {1} cannot use it.", finding.values.file, agent)} ${l10n.t("Correct it.")}`;
    case "asks":
    case "terminal-environment-off":
    case "workspace-untrusted":
      return undefined;
  }
}

function wordsOfConnecting(id: AgentId): string {
  const { agentName, connecting } = agentOf(id);
  return l10n.t(
    "{0} does not look for an editor: its IDE mode is off. Type {1} in it once.",
    agentName,
    connecting?.input ?? "",
  );
}

function recordLine({ agent, path, found }: HealthRecord): HealthLine {
  const { agentName } = agentOf(agent);
  return found
    ? { level: "ok", text: l10n.t("{0} finds this editor through {1}", agentName, path) }
    : {
        level: "problem",
        text: l10n.t("{0} cannot find this editor: there is no record of it in {1}", agentName, path),
      };
}

/** Which agents find a record of this port in the places where they look. */
export async function findRecords(port: number, surroundings: Surroundings): Promise<readonly HealthRecord[]> {
  const found = agents.map(async ({ id, places }): Promise<HealthRecord> => {
    const looked: string[] = [];
    for (const { root, directories, pattern, isRead } of places(surroundings)) {
      if (!isRead) continue;
      const directory = join(root, ...directories);
      const names = await readdir(directory).catch(() => []);
      const name = names.find((one) => pattern.exec(one)?.groups?.["port"] === String(port));
      if (name !== undefined) return { agent: id, path: join(directory, name), found: true };
      looked.push(directory);
    }
    return { agent: id, path: looked.join(", "), found: false };
  });
  return await Promise.all(found);
}

/** Names of the agents' commands that the editor cannot start; `path` is its PATH. */
export function findMissing(
  commands: Readonly<Record<string, string>>,
  path: string = process.env["PATH"] ?? "",
): readonly string[] {
  const isProgram = (file: string): boolean => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return Object.keys(commands).filter((name) => {
    const [program = ""] = splitCommand(commands[name] ?? "");
    const places = isAbsolute(program) ? [program] : path.split(delimiter).map((folder) => join(folder, program));
    return program === "" || !places.some(isProgram);
  });
}
