import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentOf } from "@patchbay/core";
import { geminiProtocol } from "../models/gemini.ts";
import { geminiEntry, nodeBinary } from "../prerequisites/components.ts";
import type { AgentKind } from "./agent.ts";
import { geminiFamily, writeFamilySettings } from "./gemini-family.ts";

/** Gemini CLI. */
export const gemini: AgentKind = {
  ...geminiFamily,
  id: "gemini",
  displayName: agentOf("gemini").agentName,
  protocol: geminiProtocol,
  configure: async (lab, isNewcomers) => {
    const own = { general: { enableAutoUpdateNotification: false }, ui: { hideBanner: true } };
    await writeFamilySettings(lab, ".gemini", "gemini-api-key", own, isNewcomers);
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
  quietModes: [{ arguments: ["--approval-mode", "yolo"] }, { arguments: ["--approval-mode", "auto_edit"] }],
  unasking: { arguments: ["--approval-mode", "yolo"] },
  takesUsersText: true,
  editTurns: (path, from, to) => [
    {
      kind: "tool",
      name: "replace",
      input: { file_path: path, instruction: "Change it.", old_string: from, new_string: to },
    },
  ],
};
