import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openaiProtocol } from "../models/openai.ts";
import { nodeBinary, qwenEntry } from "../prerequisites/components.ts";
import type { AgentKind } from "./agent.ts";

/** Qwen Code. */
export const qwen: AgentKind = {
  id: "qwen",
  displayName: "Qwen Code",
  protocol: openaiProtocol,
  configure: async (lab) => {
    await mkdir(join(lab.home, ".qwen"), { recursive: true });
    const settings = {
      ide: { enabled: true, hasSeenNudge: true },
      security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      ui: { theme: "Default", hideTips: true },
      // Its own default never asks for a diff.
      tools: { approvalMode: "default" },
    };
    await writeFile(join(lab.home, ".qwen", "settings.json"), JSON.stringify(settings));
  },
  environment: (_lab, modelUrl) => ({
    OPENAI_API_KEY: "fake",
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_MODEL: "fake-model",
    QWEN_TELEMETRY_ENABLED: "false",
  }),
  command: () => [nodeBinary(), qwenEntry()],
  ready: /Type your message/,
  approval: /Apply this change\?/,
  statusCommand: "/ide status",
  connected: /Connected to /,
  statusIsMenu: false,
  writeTurns: (path, contents) => [{ kind: "tool", name: "write_file", input: { file_path: path, content: contents } }],
  editTurns: (path, from, to) => [
    // Its edit tool refuses files it has not read.
    { kind: "tool", name: "read_file", input: { file_path: path, absolute_path: path } },
    { kind: "tool", name: "edit", input: { file_path: path, old_string: from, new_string: to } },
  ],
  accept: async (terminal) => {
    await terminal.press("Enter");
  },
  reject: async (terminal) => {
    await terminal.press("Escape");
  },
};
