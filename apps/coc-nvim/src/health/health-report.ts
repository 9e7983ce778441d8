import { accessSync, constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import process from "node:process";
import type { AgentSettings, CompanionState, SessionInfo } from "@patchbay/core";
import { splitCommand } from "../settings.ts";

/** One finding: what is, and for a problem what to do. */
export interface HealthLine {
  readonly level: "ok" | "note" | "problem";
  readonly text: string;
}

/** What the report is made from; gathered by the command, so that the judging needs no editor. */
export interface HealthFacts {
  readonly editor: string;
  readonly version: string;
  readonly nodeVersion: string;
  readonly state: CompanionState;
  readonly folders: readonly string[];
  readonly storageDirectory: string | undefined;
  readonly temporaryDirectory: string;
  /** Discovery records found on the disk for this port, by agent. */
  readonly records: readonly { readonly agent: string; readonly path: string; readonly found: boolean }[];
  readonly sessions: readonly SessionInfo[];
  readonly sharing: boolean;
  readonly agentSettings: readonly AgentSettings[];
  /** Agents, by their names in `patchbay.agents`, whose command the editor cannot start. */
  readonly missing: readonly string[];
  readonly inTmux: boolean;
  readonly openQuestions: number;
}

const known: Readonly<Record<string, { readonly agentName: string; readonly packageName: string }>> = {
  gemini: { agentName: "Gemini CLI", packageName: "@google/gemini-cli" },
  qwen: { agentName: "Qwen Code", packageName: "@qwen-code/qwen-code" },
  claude: { agentName: "Claude Code", packageName: "@anthropic-ai/claude-code" },
};

/** First of all what is not there at all. With one agent at hand the others are a note: nobody needs all of them. */
function missingLines(names: readonly string[]): readonly HealthLine[] {
  const level = Object.keys(known).every((name) => names.includes(name)) ? "problem" : "note";
  return names.map((name) => {
    const agent = known[name];
    return agent === undefined
      ? { level, text: `"patchbay.agents" has a command for ${name} that is not on this editor's PATH.` }
      : {
          level,
          text: `${agent.agentName} is not installed, or not on this editor's PATH. To install it: npm install -g ${agent.packageName}`,
        };
  });
}

/** The whole report of `:CocCommand patchbay.health`. */
export function healthReport(facts: HealthFacts): readonly HealthLine[] {
  const missing = new Set(facts.missing.map((name) => known[name]?.agentName));
  const isInstalled = ({ agentName }: { readonly agentName: string }): boolean => !missing.has(agentName);
  return [
    ...missingLines(facts.missing),
    { level: "ok", text: `coc-patchbay ${facts.version} in ${facts.editor}, Node ${facts.nodeVersion}` },
    stateLine(facts.state),
    ...warningsOf(facts.state),
    facts.folders.length > 0
      ? { level: "ok", text: `Folders: ${facts.folders.join(", ")}. Start agents in one of them or below.` }
      : { level: "problem", text: "No folder is open: agents find this editor by their working directory. Use :cd." },
    ...facts.records.filter(({ agent }) => !missing.has(agent)).map(recordLine),
    facts.storageDirectory === undefined
      ? {
          level: "problem",
          text: "Nothing can be stored: after :CocRestart, agents have to reconnect and unsent answers are lost.",
        }
      : { level: "ok", text: `Data for restarts is stored in ${facts.storageDirectory}` },
    ...sessionLines(facts.sessions),
    facts.sharing
      ? { level: "ok", text: "Context is shared; :CocCommand patchbay.showShared shows what." }
      : { level: "note", text: "Sharing is paused; :CocCommand patchbay.toggleSharing resumes it." },
    ...facts.agentSettings.filter(isInstalled).flatMap((one) => [...connectingLines(one), ...reviewingLines(one)]),
    ...(facts.inTmux
      ? [
          {
            level: "note",
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
  const marks = { ok: "OK     ", note: "NOTE   ", problem: "PROBLEM" };
  return lines.map((line) => `${marks[line.level]}  ${line.text}`);
}

function stateLine(state: CompanionState): HealthLine {
  switch (state.kind) {
    case "listening":
      return { level: "ok", text: `Listening on 127.0.0.1:${state.port}` };
    case "failed":
      return { level: "problem", text: `${state.message} Then :CocCommand patchbay.restart` };
    case "starting":
      return { level: "note", text: "Starting; try again in a moment." };
    default:
      return { level: "problem", text: "Not running; :CocCommand patchbay.restart starts it." };
  }
}

function warningsOf(state: CompanionState): readonly HealthLine[] {
  return state.kind === "listening" ? state.warnings.map((text) => ({ level: "problem", text })) : [];
}

function recordLine(record: HealthFacts["records"][number]): HealthLine {
  return record.found
    ? { level: "ok", text: `${record.agent} finds this editor through ${record.path}` }
    : { level: "problem", text: `${record.agent} cannot find this editor: there is no ${record.path}` };
}

function sessionLines(sessions: readonly SessionInfo[]): readonly HealthLine[] {
  if (sessions.length === 0) {
    return [
      {
        level: "note",
        text: "No agent is connected. Start one with :CocCommand patchbay.openAgent, or type /ide in it.",
      },
    ];
  }
  return sessions.map((session) => ({
    level: session.state === "connected" ? "ok" : "note",
    text: `${session.agentName}${session.version === undefined ? "" : ` ${session.version}`}: ${session.state}, open proposals: ${session.openProposals}`,
  }));
}

function connectingLines({ agentName, looksForEditor, looksOnContainerHost }: AgentSettings): readonly HealthLine[] {
  const lines: HealthLine[] = [];
  if (looksForEditor !== "yes") {
    lines.push({
      level: "problem",
      text: `${agentName} does not look for an editor: its IDE mode is off. Type /ide enable in it once.`,
    });
  }
  if (looksOnContainerHost) {
    lines.push({
      // This editor's own terminals have the variable.
      level: "note",
      text: `In this container, ${agentName} looks for its editor on the container's host, except in this editor's terminals. Type export REMOTE_CONTAINERS=true in other terminals before you start it there.`,
    });
  }
  return lines;
}

function reviewingLines(one: AgentSettings): readonly HealthLine[] {
  const { agentName, showsChanges, asks, mode, modeSetting, settingsFile, decidedBy } = one;
  const lines: HealthLine[] = [];
  if (!showsChanges) {
    lines.push({
      level: "problem",
      text: `${agentName} shows its changes only in the terminal. Type /config in it and set its diff tool to auto.`,
    });
  }
  if (!asks) {
    const when = mode === undefined ? "by default" : `in mode "${mode}"`;
    const [group = "", member = ""] = modeSetting.split(".");
    lines.push({
      level: "problem",
      text: `${agentName} writes files without asking ${when}, so nothing is shown for review. Put "${group}": {"${member}": "default"} into ${decidedBy.mode ?? settingsFile}, or start it with :CocCommand patchbay.openAgent.`,
    });
  }
  return lines;
}

/** Which discovery records of this port are on the disk (contracts of the three agents). */
export async function findRecords(port: number, temporaryDirectory: string): Promise<HealthFacts["records"]> {
  const home = homedir();
  const gemini = join(temporaryDirectory, "gemini", "ide");
  const qwen = process.env["QWEN_HOME"] ?? join(home, ".qwen");
  const claude = process.env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude");
  return [
    await record(
      "Gemini CLI",
      gemini,
      new RegExp(`^gemini-ide-server-\\d+-${port}\\.json$`, "u"),
      `gemini-ide-server-*-${port}.json`,
    ),
    await record("Qwen Code", join(qwen, "ide"), new RegExp(`^${port}\\.lock$`, "u"), `${port}.lock`),
    await record("Claude Code", join(claude, "ide"), new RegExp(`^${port}\\.lock$`, "u"), `${port}.lock`),
  ];
}

/** Names of the agents' commands that the editor cannot start; `path` is its PATH. */
export function findMissing(
  agents: Readonly<Record<string, string>>,
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
  return Object.keys(agents).filter((name) => {
    const [program = ""] = splitCommand(agents[name] ?? "");
    const places = isAbsolute(program) ? [program] : path.split(delimiter).map((folder) => join(folder, program));
    return program === "" || !places.some(isProgram);
  });
}

async function record(
  agent: string,
  directory: string,
  name: RegExp,
  shown: string,
): Promise<HealthFacts["records"][number]> {
  const names = await readdir(directory).catch(() => []);
  return { agent, path: join(directory, shown), found: names.some((one) => name.test(one)) };
}
