import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Lab } from "../support/lab.ts";
import type { AgentKind } from "./agent.ts";

/** What Gemini CLI and its descendant show and take alike. */
export const geminiFamily: Pick<
  AgentKind,
  | "ready"
  | "approval"
  | "statusCommand"
  | "connected"
  | "statusMenu"
  | "writeTurns"
  | "commandTurns"
  | "accept"
  | "reject"
> = {
  ready: /Type your message/,
  approval: /Apply this change\?/,
  statusCommand: "/ide status",
  connected: /Connected to /,
  statusMenu: undefined,
  writeTurns: (path, contents) => [{ kind: "tool", name: "write_file", input: { file_path: path, content: contents } }],
  commandTurns: (command) => [
    { kind: "tool", name: "run_shell_command", input: { command, description: "Runs it", is_background: false } },
  ],
  accept: async (terminal) => {
    await terminal.press("Enter");
  },
  reject: async (terminal) => {
    await terminal.press("Escape");
  },
};

/** Settings of a fresh user who has said yes to the editor (`isNewcomers`: whom nobody has asked), without updates, telemetry and tips; `own` is added to them. */
export async function writeFamilySettings(
  lab: Lab,
  folder: string,
  authentication: string,
  own: {
    readonly general?: Readonly<Record<string, unknown>>;
    readonly ui?: Readonly<Record<string, unknown>>;
    readonly tools?: Readonly<Record<string, unknown>>;
    readonly memory?: Readonly<Record<string, unknown>>;
  },
  isNewcomers = false,
): Promise<void> {
  await mkdir(join(lab.home, folder), { recursive: true });
  const settings = {
    ...own,
    ...(isNewcomers ? {} : { ide: { enabled: true, hasSeenNudge: true } }),
    security: { auth: { selectedType: authentication }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true, ...own.general },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ui: { theme: "Default", hideTips: true, ...own.ui },
  };
  await writeFile(join(lab.home, folder, "settings.json"), JSON.stringify(settings));
}
