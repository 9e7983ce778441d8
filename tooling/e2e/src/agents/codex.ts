import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentOf } from "@patchbay/core";
import { responsesProtocol } from "../models/responses.ts";
import { codexBinary } from "../prerequisites/components.ts";
import type { Lab } from "../support/lab.ts";
import type { AgentKind } from "./agent.ts";

/** OpenAI's Codex CLI, whose user has trusted its hook: its question about that is met once. */
export const codex: AgentKind = {
  id: "codex",
  displayName: agentOf("codex").agentName,
  protocol: responsesProtocol,
  configure: async () => {},
  // No variable names its model's address.
  configureModel: async (lab, modelUrl, { isServed = false, policy } = {}) => {
    const [sandbox, approval] = policy ?? (isServed ? ["read-only", "on-request"] : ["danger-full-access", "never"]);
    const own = [`sandbox_mode = "${sandbox}"`, `approval_policy = "${approval}"`];
    await writeCodexSettings(lab, { modelUrl, isServed, own, trustsHooks: true });
  },
  environment: () => ({}),
  command: () => [codexBinary()],
  // Its settings have it ask nobody.
  quietModes: [{ arguments: [] }],
  takesUsersText: true,
  ready: /⏎ send|\? for shortcuts|% context left|› (?!\d\.)/,
  approval: /^It asks nobody$/,
  hookFailure: /Hook failed/u,
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

/** Its settings, with a scripted model, for somebody who trusts the workspace; `own`: theirs. */
export async function writeCodexSettings(
  { home, workspace }: Pick<Lab, "home" | "workspace">,
  given: {
    readonly modelUrl: string | undefined;
    readonly isServed: boolean;
    readonly own: readonly string[];
    readonly trustsHooks: boolean;
  },
): Promise<void> {
  const { modelUrl, isServed, own, trustsHooks } = given;
  const directory = join(home, ".codex");
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const settings = [
    // A model of which it knows that it takes the patch tool, and a newer one that it has offered already.
    'model = "gpt-5.5"',
    'model_provider = "fake"',
    "check_for_update_on_startup = false",
    ...own,
    "[notice.model_migrations]",
    '"gpt-5.5" = "gpt-6-sol"',
    "[model_providers.fake]",
    'name = "fake"',
    `base_url = ${JSON.stringify(`${modelUrl}/v1`)}`,
    'wire_api = "responses"',
    // Its service in the background outlives its terminal, and the lab.
    "[features]",
    `daemon_auto_start = ${isServed}`,
    `[projects.${JSON.stringify(workspace)}]`,
    'trust_level = "trusted"',
    ...(trustsHooks ? await trustedHooks(join(directory, "hooks.json")) : []),
  ];
  await writeFile(join(directory, "config.toml"), `${settings.join("\n")}\n`);
}

/** What it writes into its settings where its user has said that they trust the hooks of a file (0.171.0). */
async function trustedHooks(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => '{"hooks":{}}');
  const { hooks }: { hooks: Record<string, readonly HookGroup[]> } = JSON.parse(text);
  return Object.entries(hooks).flatMap(([name, groups]) =>
    groups.flatMap(({ matcher, hooks: own }, group) =>
      own.flatMap(({ command, timeout }, at) => {
        const event = name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, "_").toLowerCase();
        const identity = { event_name: event, hooks: [{ async: false, command, timeout, type: "command" }], matcher };
        const hash = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
        return [
          `[hooks.state.${JSON.stringify(`${file}:${event}:${group}:${at}`)}]`,
          `trusted_hash = "sha256:${hash}"`,
        ];
      }),
    ),
  );
}

interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly { readonly command: string; readonly timeout: number }[];
}

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
