import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { geminiProtocol } from "../models/gemini.ts";
import { geminiEntry, nodeBinary } from "../prerequisites/components.ts";
import type { AgentKind } from "./agent.ts";

/** Gemini CLI. */
export const gemini: AgentKind = {
  id: "gemini",
  displayName: "Gemini CLI",
  protocol: geminiProtocol,
  configure: async (lab) => {
    await mkdir(join(lab.home, ".gemini"), { recursive: true });
    const settings = {
      ide: { enabled: true, hasSeenNudge: true },
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      general: {
        enableAutoUpdate: false,
        enableAutoUpdateNotification: false,
        disableAutoUpdate: true,
        disableUpdateNag: true,
      },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      ui: { theme: "Default", hideTips: true, hideBanner: true },
    };
    await writeFile(join(lab.home, ".gemini", "settings.json"), JSON.stringify(settings));
    // In an editor's terminal its first question would be whether to change that terminal's keys.
    await writeFile(join(lab.home, ".gemini", "state.json"), JSON.stringify({ terminalSetupPromptShown: true }));
  },
  environment: (_lab, modelUrl) => ({
    GEMINI_API_KEY: "fake",
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_NO_RELAUNCH: "true",
    GEMINI_TELEMETRY_ENABLED: "false",
    // Inside a container the client would otherwise dial another host than the loopback.
    REMOTE_CONTAINERS: "true",
  }),
  command: () => [nodeBinary(), geminiEntry()],
  ready: /Type your message/,
  approval: /Apply this change\?/,
  statusCommand: "/ide status",
  connected: /Connected to /,
  statusIsMenu: false,
  writeTurns: (path, contents) => [{ kind: "tool", name: "write_file", input: { file_path: path, content: contents } }],
  editTurns: (path, from, to) => [
    {
      kind: "tool",
      name: "replace",
      input: { file_path: path, instruction: "Change it.", old_string: from, new_string: to },
    },
  ],
  accept: async (terminal) => {
    await terminal.press("Enter");
  },
  reject: async (terminal) => {
    await terminal.press("Escape");
  },
};
