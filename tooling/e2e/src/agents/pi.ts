import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentOf } from "@patchbay/core";
import { openaiProtocol } from "../models/openai.ts";
import { nodeBinary, piEntry } from "../prerequisites/components.ts";
import type { AgentKind } from "./agent.ts";

/** Pi, which asks by its extension alone. */
export const pi: AgentKind = {
  id: "pi",
  displayName: agentOf("pi").agentName,
  protocol: openaiProtocol,
  configure: async () => {},
  // No variable names its model's address.
  configureModel: async (lab, modelUrl) => {
    const directory = join(lab.home, ".pi", "agent");
    await mkdir(directory, { recursive: true });
    const fake = {
      baseUrl: `${modelUrl}/v1`,
      api: "openai-completions",
      apiKey: "fake",
      models: [
        { id: "fake-model", input: ["text", "image"] },
        { id: "thinker", name: "Thinker", reasoning: true, input: ["text", "image"] },
      ],
    };
    const providers = modelUrl === undefined ? {} : { fake };
    await writeFile(join(directory, "models.json"), JSON.stringify({ providers }));
  },
  environment: () => ({ PI_OFFLINE: "1" }),
  // Without a word about it, it takes the first model for which there is a key.
  command: () => [nodeBinary(), piEntry()],
  // It has one mode, in which it asks nobody.
  quietModes: [{ arguments: [] }],
  takesUsersText: true,
  ready: /\d%\/\d+k \(auto\)/,
  approval: /^It never asks$/,
  statusCommand: "/patchbay",
  connected: /Connected to .+\./,
  statusMenu: undefined,
  writeTurns: (path, content) => [{ kind: "tool", name: "write", input: { path, content } }],
  editTurns: (path, oldText, newText) => [
    { kind: "tool", name: "edit", input: { path, edits: [{ oldText, newText }] } },
  ],
  commandTurns: (command) => [{ kind: "tool", name: "bash", input: { command } }],
  accept: async () => {},
  reject: async (terminal) => {
    await terminal.press("Escape");
  },
};
