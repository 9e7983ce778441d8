import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anthropicProtocol } from "../models/anthropic.ts";
import { claudeBinary } from "../prerequisites/components.ts";
import type { AgentKind } from "./agent.ts";

const key = "sk-ant-api03-not-a-real-key-000000000000000000000000";

/** Claude Code. */
export const claude: AgentKind = {
  id: "claude",
  displayName: "Claude Code",
  protocol: anthropicProtocol,
  configure: async (lab) => {
    await mkdir(join(lab.home, ".claude"), { recursive: true, mode: 0o700 });
    const state = {
      hasCompletedOnboarding: true,
      theme: "dark",
      autoUpdates: false,
      numStartups: 5,
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: {
        [lab.workspace]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] },
      },
    };
    await writeFile(join(lab.home, ".claude.json"), JSON.stringify(state));
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
  command: () => [claudeBinary(), "--permission-mode", "manual"],
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
  accept: async (terminal) => {
    await terminal.press("Enter");
  },
  reject: async (terminal) => {
    await terminal.press("Escape");
  },
};
