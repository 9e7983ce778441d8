import type { CompanionState, SessionInfo } from "@patchbay/core";

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
  readonly agentSettings: readonly AgentSetting[];
  readonly inTmux: boolean;
  readonly openQuestions: number;
}

/** A setting of an agent that decides whether it ever asks for a review. */
export interface AgentSetting {
  readonly agent: string;
  readonly file: string;
  /** Undefined: not set, so the agent's default counts. */
  readonly mode: string | undefined;
}

/** The whole report of `:CocCommand patchbay.health`. */
export function healthReport(facts: HealthFacts): readonly HealthLine[] {
  return [
    { level: "ok", text: `coc-patchbay ${facts.version} in ${facts.editor}, Node ${facts.nodeVersion}` },
    stateLine(facts.state),
    ...warningsOf(facts.state),
    facts.folders.length > 0
      ? { level: "ok", text: `Folders: ${facts.folders.join(", ")}. Start agents in one of them or below.` }
      : { level: "problem", text: "There is no folder: agents find this editor by their working directory. Use :cd." },
    ...facts.records.map(recordLine),
    facts.storageDirectory === undefined
      ? {
          level: "problem",
          text: "Nothing is kept: after :CocRestart agents must connect again and unsent answers are lost.",
        }
      : { level: "ok", text: `Kept across restarts in ${facts.storageDirectory}` },
    ...sessionLines(facts.sessions),
    facts.sharing
      ? { level: "ok", text: "Context is shared; :CocCommand patchbay.showShared shows what." }
      : { level: "note", text: "Sharing is paused; :CocCommand patchbay.toggleSharing resumes it." },
    ...facts.agentSettings.flatMap(modeLine),
    ...(facts.inTmux
      ? [
          {
            level: "note",
            text: "tmux: link a pane with :CocCommand patchbay.linkTmux, or start agents in this folder.",
          } as const,
        ]
      : []),
    ...(facts.openQuestions > 0
      ? [{ level: "problem", text: "A question waits for you: :CocCommand patchbay.answer" } as const]
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
      return { level: "note", text: "Starting; ask again in a moment." };
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

/** Modes in which the agents write without asking, so that no review is ever opened. */
const silentModes: Readonly<Record<string, readonly string[]>> = {
  "Gemini CLI": ["auto_edit", "yolo"],
  "Qwen Code": ["auto", "auto-edit", "auto_edit", "yolo"],
  "Claude Code": ["auto", "acceptEdits", "bypassPermissions"],
};

/** Agents whose default never asks. */
const defaultIsSilent: ReadonlySet<string> = new Set(["Qwen Code", "Claude Code"]);

const askingMode: Readonly<Record<string, string>> = {
  "Gemini CLI": '"general": {"defaultApprovalMode": "default"}',
  "Qwen Code": '"tools": {"approvalMode": "default"}',
  "Claude Code": '"permissions": {"defaultMode": "default"}',
};

function modeLine(setting: AgentSetting): readonly HealthLine[] {
  const silent =
    setting.mode === undefined
      ? defaultIsSilent.has(setting.agent)
      : (silentModes[setting.agent] ?? []).includes(setting.mode);
  if (!silent) return [];
  const mode = setting.mode === undefined ? "by default" : `in mode "${setting.mode}"`;
  return [
    {
      level: "note",
      text: `${setting.agent} writes files without asking ${mode}, so nothing is shown for review. Put ${askingMode[setting.agent] ?? ""} into ${setting.file}, or start it with :CocCommand patchbay.openAgent.`,
    },
  ];
}
