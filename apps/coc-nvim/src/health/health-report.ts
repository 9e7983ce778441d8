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
  type EditorFinding,
  type FindingLevel,
  type SessionInfo,
  type Surroundings,
} from "@patchbay/core";
import { examineAgents, examineEditor } from "@patchbay/core/diagnosis";
import { splitCommand } from "../commands/command-words.ts";

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
      ? { level, text: `"patchbay.agents" has a command for ${name} that is not on this editor's PATH.` }
      : {
          level,
          text: `${agent.agentName} is not installed, or not on this editor's PATH. To install it: npm install -g ${agent.program.package}`,
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
    { level: "ok", text: `coc-patchbay ${facts.version} in ${facts.editor}, Node ${facts.nodeVersion}` },
    ...linesOf(own),
    ...records.filter(isInstalled).map(recordLine),
    storageDirectory === undefined
      ? {
          level: "problem",
          text: "Nothing can be stored: after :CocRestart, agents have to reconnect and unsent answers are lost.",
        }
      : { level: "ok", text: `Data for restarts is stored in ${storageDirectory}` },
    ...(sharing
      ? [{ level: "ok", text: "Context is shared; :CocCommand patchbay.showShared shows what." } as const]
      : []),
    ...linesOf(examineAgents(facts.agentSettings.filter(isInstalled))),
    ...(facts.inTmux
      ? [
          {
            level: "hint",
            text: "tmux: link a pane with :CocCommand patchbay.linkTmux, or start agents in this folder.",
          } as const,
        ]
      : []),
    ...(facts.openQuestions > 0
      ? [{ level: "problem", text: "A question is waiting: :CocCommand patchbay.answer" } as const]
      : []),
  ];
}

/** As text for a buffer. */
export function healthText(lines: readonly HealthLine[]): readonly string[] {
  const marks = { ok: "OK     ", hint: "NOTE   ", problem: "PROBLEM" };
  const names = lines.some(({ code }) => code !== undefined);
  return [
    ...lines.map(({ level, text, code }) => `${marks[level]}  ${text}${code === undefined ? "" : ` [${code}]`}`),
    ...(names ? ["", "K in a line with a name in brackets explains it."] : []),
  ];
}

/** The words for a finding; undefined where it is not shown here. */
function wordsOf(finding: EditorFinding): string | undefined {
  const agent = finding.agents.map((id) => agentOf(id).agentName).join(", ");
  switch (finding.code) {
    case "listening":
      return `Listening on 127.0.0.1:${finding.values.port}`;
    case "listening-but":
      return finding.values.sentence;
    case "failed":
      return `${finding.values.sentence} Then :CocCommand patchbay.restart`;
    case "not-yet-listening":
      return "Starting; try again in a moment.";
    case "stopped":
      return "Not running; :CocCommand patchbay.restart starts it.";
    case "folders-open":
      return `Folders: ${finding.values.folders.join(", ")}. Start agents in one of them or below.`;
    case "no-folder-open":
      return "No folder is open: agents find this editor by their working directory. Use :cd.";
    case "sharing-off":
      return "Sharing is paused; :CocCommand patchbay.toggleSharing resumes it.";
    case "session": {
      const { agentName, version, state, openProposals } = finding.values.session;
      return `${agentName}${version === undefined ? "" : ` ${version}`}: ${state}, open proposals: ${openProposals}`;
    }
    case "no-agent-connected":
      return "No agent is connected. Start one with :CocCommand patchbay.openAgent, or type /ide in it.";
    case "editor-mode-off":
    case "editor-mode-not-chosen":
      return finding.agents.map(wordsOfConnecting).join(" ");
    case "looks-on-container-host":
      return `In this container, ${agent} looks for its editor on the container's host, except in this editor's terminals. Type export REMOTE_CONTAINERS=true in other terminals before you start it there.`;
    case "shows-changes-in-terminal":
      return `${agent} shows its changes only in the terminal. Type /config in it and set its diff tool to auto.`;
    case "never-asks": {
      const { file, userFile, mode, setting, asking } = finding.values;
      const when = file === undefined ? "by default" : `in mode "${mode}"`;
      const [group = "", member = ""] = setting.split(".");
      return `${agent} writes files without asking ${when}, so nothing is shown for review. Put "${group}": {"${member}": "${asking}"} into ${file ?? userFile}, or start it with :CocCommand patchbay.openAgent.`;
    }
    case "hook-installed":
      return `You review the changes of ${agent} in every mode, because its hook is installed (${finding.values.file}).`;
    case "hook-broken":
      return `The hook of ${agent} in ${finding.values.file} is incomplete, or what it runs is gone. Install it again: patchbay hook install`;
    case "hook-off":
      return `${agent} runs no hooks (${finding.values.setting} in ${finding.values.file}), so its hook reviews nothing.`;
    case "hook-needs-trust":
      return `The hook of ${agent} in ${finding.values.file} runs only if you trust this folder in ${agent}.`;
    case "asks":
    case "terminal-environment-off":
    case "workspace-untrusted":
      return undefined;
  }
}

function wordsOfConnecting(id: AgentId): string {
  const { agentName, connecting } = agentOf(id);
  return `${agentName} does not look for an editor: its IDE mode is off. Type ${connecting.input} in it once.`;
}

function recordLine({ agent, path, found }: HealthRecord): HealthLine {
  const { agentName } = agentOf(agent);
  return found
    ? { level: "ok", text: `${agentName} finds this editor through ${path}` }
    : { level: "problem", text: `${agentName} cannot find this editor: there is no record of it in ${path}` };
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
