import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentOf } from "@patchbay/core";
import { openaiProtocol } from "../models/openai.ts";
import { copilotBinary } from "../prerequisites/components.ts";
import type { AgentKind } from "./agent.ts";

/** GitHub's Copilot CLI. */
export const copilot: AgentKind = {
  id: "copilot",
  displayName: agentOf("copilot").agentName,
  protocol: openaiProtocol,
  configure: async (lab) => {
    await mkdir(join(lab.home, ".copilot"), { recursive: true, mode: 0o700 });
    const state = { trusted_folders: [lab.workspace], banner: "never", asked_setup_terminals: ["vscode"] };
    await writeFile(join(lab.home, ".copilot", "config.json"), JSON.stringify(state));
  },
  environment: (_lab, modelUrl) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: "fake",
    COPILOT_MODEL: "gpt-4.1",
    COPILOT_AUTO_UPDATE: "false",
  }),
  command: () => [copilotBinary()],
  quietModes: [{ arguments: ["--allow-all-tools"] }],
  unasking: { arguments: ["--allow-all-tools"] },
  takesUsersText: true,
  ready: /\/ commands · \? help|esc again to rewind/,
  approval: /Do you want to (?:edit|create)/,
  statusCommand: "/ide",
  connected: /\(current\)/,
  statusMenu: /Auto-connect to matching IDE workspace/,
  writeTurns: (path, contents) => [{ kind: "tool", name: "create", input: { path, file_text: contents } }],
  editTurns: (path, from, to) => [{ kind: "tool", name: "edit", input: { path, old_str: from, new_str: to } }],
  commandTurns: (command) => [{ kind: "tool", name: "bash", input: { command, description: "Runs it" } }],
  accept: async (terminal) => {
    await terminal.press("Enter");
  },
  reject: async (terminal) => {
    await terminal.press("Escape");
  },
};
