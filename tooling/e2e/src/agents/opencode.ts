import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentId, agentOf } from "@patchbay/core";
import { openaiProtocol } from "../models/openai.ts";
import { kiloBinary, opencodeBinary } from "../prerequisites/components.ts";
import { waitForScreen } from "../terminals/wait-for-screen.ts";
import type { AgentKind } from "./agent.ts";

/** What the members of the family have in common. */
function family(id: AgentId, binary: () => string, variables: string, ownPackage: string): AgentKind {
  const { agentName } = agentOf(id);
  return {
    id,
    displayName: agentName,
    protocol: openaiProtocol,
    configure: async (lab) => {
      const directory = join(lab.home, ".config", id);
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, `${id}.json`), JSON.stringify(settings));
      // As a first start leaves it that has reached npm's registry: else each start tries that again, and waits for it where there is a plugin.
      await mkdir(join(directory, "node_modules"), { recursive: true });
      const packages = { "": { dependencies: { [ownPackage]: "*" } } };
      await writeFile(join(directory, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
    },
    environment: (lab, modelUrl) => ({
      FAKE_MODEL_URL: `${modelUrl}/v1`,
      [`${variables}_DISABLE_MODELS_FETCH`]: "1",
      [`${variables}_DISABLE_AUTOUPDATE`]: "1",
      XDG_CONFIG_HOME: join(lab.home, ".config"),
      XDG_DATA_HOME: join(lab.home, ".local", "share"),
      XDG_STATE_HOME: join(lab.home, ".local", "state"),
      XDG_CACHE_HOME: join(lab.home, ".cache"),
    }),
    command: () => [binary()],
    headless: (prompt) => ["run", prompt],
    // In the second one it asks after its plugin, which answers what the user has answered.
    quietModes: [
      {
        arguments: [],
        environment: { [`${variables}_PERMISSION`]: JSON.stringify({ edit: "allow", external_directory: "allow" }) },
      },
      { arguments: [], asksElsewhere: true },
    ],
    // Kilo asks about commands as well, unless told otherwise.
    unasking: {
      arguments: [],
      environment: { [`${variables}_PERMISSION`]: JSON.stringify({ edit: "allow", bash: "allow" }) },
    },
    takesUsersText: true,
    ready: /ctrl\+p commands/u,
    approval: /Permission required/u,
    // It says nothing of an editor by itself: its label names the file that is open there.
    statusCommand: "/status",
    connected: /(?!)/u,
    statusMenu: undefined,
    writeTurns: (path, contents) => [{ kind: "tool", name: "write", input: { filePath: path, content: contents } }],
    editTurns: (path, from, to) => [
      { kind: "tool", name: "read", input: { filePath: path } },
      { kind: "tool", name: "edit", input: { filePath: path, oldString: from, newString: to } },
    ],
    commandTurns: (command) => [{ kind: "tool", name: "bash", input: { command, description: "Runs it" } }],
    accept: async (terminal) => {
      await terminal.press("Enter");
    },
    reject: async (terminal) => {
      await terminal.press("Escape");
    },
    interrupt: async (terminal) => {
      await terminal.press("Escape");
      await waitForScreen(terminal, /again to interrupt/u, 10_000);
      await terminal.press("Escape");
    },
  };
}

const settings = {
  autoupdate: false,
  share: "disabled",
  provider: {
    fake: {
      npm: "@ai-sdk/openai-compatible",
      name: "Fake",
      options: { baseURL: "{env:FAKE_MODEL_URL}", apiKey: "fake" },
      models: { "fake-model": { name: "Fake" } },
    },
  },
  model: "fake/fake-model",
  small_model: "fake/fake-model",
  permission: { edit: "ask" },
};

/** opencode. */
export const opencode: AgentKind = family("opencode", opencodeBinary, "OPENCODE", "@opencode-ai/plugin");

/** Kilo CLI. */
export const kilo: AgentKind = family("kilo", kiloBinary, "KILO", "@kilocode/plugin");
