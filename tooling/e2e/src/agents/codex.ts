import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentOf } from "@patchbay/core";
import { responsesProtocol } from "../models/responses.ts";
import { codexBinary } from "../prerequisites/components.ts";
import type { AgentKind } from "./agent.ts";

/** OpenAI's Codex CLI, whose hook is trusted for the run: its question about that is met by a person once. */
export const codex: AgentKind = {
  id: "codex",
  displayName: agentOf("codex").agentName,
  protocol: responsesProtocol,
  configure: async () => {},
  // No variable names its model's address.
  configureModel: async (lab, modelUrl) => {
    const directory = join(lab.home, ".codex");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const settings = [
      // A model of which it knows that it takes the patch tool, and a newer one that it has offered already.
      'model = "gpt-5.5"',
      'model_provider = "fake"',
      "check_for_update_on_startup = false",
      'sandbox_mode = "danger-full-access"',
      'approval_policy = "never"',
      "[notice.model_migrations]",
      '"gpt-5.5" = "gpt-6-sol"',
      "[model_providers.fake]",
      'name = "fake"',
      `base_url = ${JSON.stringify(`${modelUrl}/v1`)}`,
      'wire_api = "responses"',
      'env_key = "FAKE_KEY"',
      `[projects.${JSON.stringify(lab.workspace)}]`,
      'trust_level = "trusted"',
    ];
    await writeFile(join(directory, "config.toml"), `${settings.join("\n")}\n`);
  },
  environment: () => ({ FAKE_KEY: "fake" }),
  command: () => [codexBinary(), "--dangerously-bypass-hook-trust"],
  // Its settings have it ask nobody.
  quietModes: [{ arguments: [] }],
  takesUsersText: true,
  ready: /⏎ send|\? for shortcuts|% context left|› (?!\d\.)/,
  approval: /^It asks nobody$/,
  statusCommand: "/status",
  connected: /Session:/,
  statusMenu: undefined,
  headless: (prompt) => ["exec", "--skip-git-repo-check", prompt],
  writeTurns: (path, contents) => [patchTurn([`*** Add File: ${path}`, ...signed("+", contents)])],
  editTurns: (path, from, to) => [
    patchTurn([`*** Update File: ${path}`, "@@", ...signed("-", from), ...signed("+", to)]),
  ],
  commandTurns: (command) => [{ kind: "tool", name: "exec_command", input: { cmd: command } }],
  accept: async () => {},
  reject: async (terminal) => {
    await terminal.press("Escape");
  },
};

function patchTurn(lines: readonly string[]): { kind: "tool"; name: string; input: { input: string } } {
  return {
    kind: "tool",
    name: "apply_patch",
    input: { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
  };
}

function signed(sign: string, text: string): readonly string[] {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  return text === "" ? [] : body.split("\n").map((line) => sign + line);
}
