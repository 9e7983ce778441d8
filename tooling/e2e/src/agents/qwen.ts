import { agentOf } from "@patchbay/core";
import { openaiProtocol } from "../models/openai.ts";
import { nodeBinary, qwenEntry } from "../prerequisites/components.ts";
import type { AgentKind } from "./agent.ts";
import { geminiFamily, writeFamilySettings } from "./gemini-family.ts";

/** Qwen Code. */
export const qwen: AgentKind = {
  ...geminiFamily,
  id: "qwen",
  displayName: agentOf("qwen").agentName,
  protocol: openaiProtocol,
  // Its own default never asks for a diff.
  configure: async (lab, isNewcomers) =>
    await writeFamilySettings(
      lab,
      ".qwen",
      "openai",
      {
        // `patchbay run` sees to it by itself.
        ...(isNewcomers === true ? {} : { tools: { approvalMode: "default" } }),
        // Between two prompts of a conversation its model would be asked for memories and suggestions, tools and all.
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
        ui: { enableFollowupSuggestions: false },
      },
      isNewcomers,
    ),
  environment: (_lab, modelUrl) => ({
    OPENAI_API_KEY: "fake",
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_MODEL: "fake-model",
    QWEN_TELEMETRY_ENABLED: "false",
  }),
  command: () => [nodeBinary(), qwenEntry()],
  quietModes: [{ arguments: ["--approval-mode", "yolo"] }, { arguments: ["--approval-mode", "auto-edit"] }],
  unasking: { arguments: ["--approval-mode", "yolo"] },
  takesUsersText: false,
  editTurns: (path, from, to) => [
    // Its edit tool refuses files it has not read.
    { kind: "tool", name: "read_file", input: { file_path: path, absolute_path: path } },
    { kind: "tool", name: "edit", input: { file_path: path, old_string: from, new_string: to } },
  ],
};
