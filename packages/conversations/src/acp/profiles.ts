import type { OptionValue } from "../model/index.ts";
import type { ProgramNeed } from "../process/programs.ts";

/**
 * What is known of an agent before it runs: how it is started, and what it does otherwise than the protocol says
 * (docs/protocols/acp.md has the runs). What it can do is asked for at `initialize`, and not written here.
 */
export interface AcpProfile {
  /** Stable: transcripts and settings name the agent by it. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that it is started with, beside the user's. */
  readonly environment: Readonly<Record<string, string>>;
  /** The package of npm that brings it. */
  readonly package?: string;
  /**
   * It reads and writes files through us, and what we write instead of its text stays: only then are changes editable.
   * Others must not be offered it: they write the file themselves as well, over what the user made of it.
   */
  readonly usesFiles: boolean;
  /** What is asked for a file that is not there: one agent takes every error for the end of its tool. */
  readonly missingFile: "empty" | "error";
  /** Changes come with the whole text of the file; of others we find out which part of the file they are. */
  readonly sendsWholeFiles: boolean;
  /** The folder in the user's home that is the agent's own: it reads what is there by itself where we do not. */
  readonly ownFolder?: string;
  /** Files outside the session's folder are written by the agent itself. */
  readonly filesInFolderOnly: boolean;
  /** Ids of its calls begin with the tool's name and two underscores: it has no other place for it. */
  readonly namesToolsInIds: boolean;
  /** Paths in links are taken letter by letter, without escapes. */
  readonly takesPlainLinks: boolean;
  /** What the agent asks for, by the id of its mode (`OptionValue.asks`); what is not listed is taken for `sometimes`. */
  readonly modes: Readonly<Record<string, OptionValue["asks"]>>;
  /** A message that begins so is not for people: it confirms the mode whose id follows. */
  readonly modeMessage?: string;
  /** What begins so in the replay of a session is not a prompt of the user's. */
  readonly hiddenPrompts: readonly string[];
  /** It goes on with its replay after it has said that the session is loaded; its commands come behind it. */
  readonly replaysUntilCommands: boolean;
  /** How old a session must be before it can be loaded: younger ones are lost by it, ms. */
  readonly loadAfterMs: number;
}

/** An agent that nothing is known of: it gets no files, and its changes are shown read-only. */
const cautious = {
  args: [],
  environment: {},
  usesFiles: false,
  missingFile: "error",
  sendsWholeFiles: false,
  filesInFolderOnly: false,
  namesToolsInIds: false,
  takesPlainLinks: false,
  modes: {},
  hiddenPrompts: [],
  replaysUntilCommands: false,
  loadAfterMs: 0,
} as const satisfies Partial<AcpProfile>;

/** Gemini CLI and its descendant. */
const family = {
  ...cautious,
  args: ["--acp"],
  usesFiles: true,
  sendsWholeFiles: true,
  takesPlainLinks: true,
} as const;

/** Gemini CLI (0.61.0). */
export const geminiProfile: AcpProfile = {
  ...family,
  id: "gemini",
  ownFolder: ".gemini",
  name: "Gemini CLI",
  command: "gemini",
  package: "@google/gemini-cli",
  missingFile: "empty",
  filesInFolderOnly: true,
  namesToolsInIds: true,
  modes: { default: "always", plan: "always", autoEdit: "sometimes", yolo: "never" },
  modeMessage: "[MODE_UPDATE] ",
  hiddenPrompts: ["<session_context>", "[Function Response: "],
  replaysUntilCommands: true,
  // A session that is loaded in the minute of its creation is lost; another minute for clocks that differ.
  loadAfterMs: 120_000,
};

/** Qwen Code (0.24.4). */
export const qwenProfile: AcpProfile = {
  ...family,
  id: "qwen",
  ownFolder: ".qwen",
  name: "Qwen Code",
  command: "qwen",
  package: "@qwen-code/qwen-code",
  modes: { default: "always", plan: "always", "auto-edit": "sometimes", auto: "sometimes", yolo: "never" },
};

/** opencode (1.18.34) and its fork. They write files themselves, and ask as their settings say. */
const openFamily = {
  ...cautious,
  args: ["acp"],
  sendsWholeFiles: true,
  modes: { build: "sometimes", plan: "always" },
} as const;

const copilotModes = "https://agentclientprotocol.com/protocol/session-modes";

/** Agents and adapters that were driven and are offered where they are installed, beside those with a driver or a profile of their own. */
export const offeredProfiles: readonly AcpProfile[] = [
  { ...openFamily, id: "opencode", name: "opencode", command: "opencode", package: "opencode-ai" },
  {
    ...openFamily,
    id: "kilo",
    name: "Kilo",
    command: "kilo",
    package: "@kilocode/cli",
    modes: { code: "sometimes", plan: "always", ask: "always" },
  },
  {
    ...cautious,
    id: "copilot",
    name: "Copilot CLI",
    command: "copilot",
    args: ["--acp"],
    package: "@github/copilot",
    modes: {
      [`${copilotModes}#agent`]: "sometimes",
      [`${copilotModes}#plan`]: "always",
      [`${copilotModes}#autopilot`]: "never",
    },
  },
  // Codex itself does not speak the protocol: an adapter of its own program does.
  {
    ...cautious,
    id: "codex",
    name: "Codex CLI",
    command: "codex-acp",
    package: "@agentclientprotocol/codex-acp",
    modes: { "read-only": "always", "workspace-write": "sometimes", agent: "sometimes", "agent-full-access": "never" },
  },
  // It answers `initialize`; more needs an account.
  { ...cautious, id: "cline", name: "Cline", command: "cline", args: ["--acp"], package: "cline" },
];

const known: readonly AcpProfile[] = [
  geminiProfile,
  qwenProfile,
  ...offeredProfiles,
  // For those who name it in a setting: Claude Code has a driver.
  {
    ...cautious,
    id: "claude-agent-acp",
    name: "Claude Code (ACP)",
    command: "claude-agent-acp",
    package: "@agentclientprotocol/claude-agent-acp",
    modes: {
      default: "always",
      plan: "always",
      acceptEdits: "sometimes",
      auto: "sometimes",
      bypassPermissions: "never",
    },
  },
];

/** An agent as a setting of the machine names it. */
export interface CustomAgent {
  readonly id: string;
  readonly name?: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * The profile of an agent from a setting. One that was driven is recognised by its command, whatever its folder and ending:
 * what is written in the setting counts more than what is known.
 */
export function profileFor(agent: CustomAgent): AcpProfile {
  const command = (agent.command.split(/[\\/]/u).at(-1) ?? "").replace(/\.(?:cmd|exe|js|mjs)$/iu, "");
  const found = known.find((profile) => profile.command === command);
  return {
    ...(found ?? cautious),
    id: agent.id,
    name: agent.name ?? found?.name ?? agent.id,
    command: agent.command,
    args: agent.args ?? found?.args ?? [],
    environment: agent.environment ?? {},
  };
}

/** What a `ProgramFinder` is asked for. */
export function programOf({ name, command, package: fromNpm }: AcpProfile): ProgramNeed {
  return { agentName: name, command, ...(fromNpm === undefined ? {} : { package: fromNpm }) };
}
