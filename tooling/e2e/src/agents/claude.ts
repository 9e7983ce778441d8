import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentOf } from "@patchbay/core";
import { anthropicProtocol } from "../models/anthropic.ts";
import { claudeBinary } from "../prerequisites/components.ts";
import type { AgentKind, QuietMode } from "./agent.ts";

const key = "sk-ant-api03-not-a-real-key-000000000000000000000000";

/** What Claude Code knows of projects in this home; agents of a lab share it. */
async function trustedProjects(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, "utf8").catch(() => "{}");
  const state: unknown = JSON.parse(text);
  const isKnown = typeof state === "object" && state !== null && "projects" in state;
  return isKnown && typeof state.projects === "object" ? { ...state.projects } : {};
}

/** As root it starts in this mode only where it believes itself in a sandbox. */
const bypassing: QuietMode = {
  arguments: ["--permission-mode", "bypassPermissions"],
  environment: { IS_SANDBOX: "1" },
};

/** Claude Code. */
export const claude: AgentKind = {
  id: "claude",
  displayName: agentOf("claude").agentName,
  protocol: anthropicProtocol,
  configure: async (lab) => {
    await mkdir(join(lab.home, ".claude"), { recursive: true, mode: 0o700 });
    const file = join(lab.home, ".claude.json");
    const state = {
      hasCompletedOnboarding: true,
      theme: "dark",
      autoUpdates: false,
      numStartups: 5,
      bypassPermissionsModeAccepted: true,
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: {
        // One that is ending writes the file from what it read: what was trusted stays in it, whoever writes last.
        ...(await trustedProjects(file)),
        [lab.workspace]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] },
      },
    };
    await writeFile(`${file}.new`, JSON.stringify(state));
    await rename(`${file}.new`, file);
  },
  environment: (_lab, modelUrl) => ({
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: modelUrl,
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: "1",
  }),
  command: () => [claudeBinary()],
  terminalArguments: ["--permission-mode", "manual"],
  quietModes: [
    { arguments: ["--permission-mode", "acceptEdits"] },
    { arguments: ["--permission-mode", "auto"] },
    bypassing,
  ],
  unasking: bypassing,
  takesUsersText: true,
  ready: /^❯/m,
  approval: /Do you want to (make this edit|create|overwrite)/,
  statusCommand: "/ide",
  // Where there is no connection, the list has "None" ticked.
  connected: /✔ (?!None\b)\S/,
  statusMenu: /Connect to an IDE/,
  writeTurns: (path, contents) => [{ kind: "tool", name: "Write", input: { file_path: path, content: contents } }],
  editTurns: (path, from, to) => [
    { kind: "tool", name: "Read", input: { file_path: path } },
    { kind: "tool", name: "Edit", input: { file_path: path, old_string: from, new_string: to } },
  ],
  commandTurns: (command) => [{ kind: "tool", name: "Bash", input: { command, description: "Runs it" } }],
  accept: async (terminal) => {
    await terminal.press("Enter");
  },
  reject: async (terminal) => {
    await terminal.press("Escape");
  },
};
