import { join } from "node:path";
import type { Platform } from "@patchbay/core";
import type { MachineFacts } from "../common/protocol.ts";

/** A larger file is none that a person wrote, in bytes. */
const largestSettings = 1_048_576;

/** What tells a program that it runs in a container. */
const containerMarks = ["/.dockerenv", "/run/.containerenv"];

/** With one of these set Gemini CLI stays on the container's own loopback. */
const stayHereVariables = ["REMOTE_CONTAINERS", "VSCODE_REMOTE_CONTAINERS_SESSION", "SSH_CONNECTION"];

/** Looks at the machine as an agent in one of the backend's terminals does. Nothing here can fail: what cannot be read is unknown. */
export async function readMachineFacts(platform: Platform): Promise<MachineFacts> {
  const { process } = platform;
  const home = (variable: string, folder: string): string =>
    process.environment(variable) || join(process.homeDirectory, folder);
  const [looksOnHost, gemini, qwen, claude] = await Promise.all([
    isTakenForContainer(platform),
    readSettings(platform, join(home("GEMINI_CLI_HOME", ""), ".gemini")),
    readSettings(platform, home("QWEN_HOME", ".qwen")),
    readSettings(platform, home("CLAUDE_CONFIG_DIR", ".claude")),
  ]);
  const ideMode = memberOf(gemini, "ide", "enabled");
  return {
    looksOnHost,
    geminiIdeMode: typeof ideMode === "boolean" ? ideMode : undefined,
    qwenApprovalMode: textOf(memberOf(qwen, "tools", "approvalMode")),
    claudePermissionMode: textOf(memberOf(claude, "permissions", "defaultMode")),
  };
}

async function isTakenForContainer({ files, process }: Platform): Promise<boolean> {
  if (stayHereVariables.some((name) => (process.environment(name) ?? "") !== "")) return false;
  const marks = await Promise.all(containerMarks.map((path) => files.lstat(path).catch(() => undefined)));
  return marks.some((mark) => mark !== undefined);
}

async function readSettings({ files }: Platform, directory: string): Promise<unknown> {
  try {
    // Settings kept elsewhere and linked here are read where they lie.
    const path = await files.realPath(join(directory, "settings.json"));
    const text = path === undefined ? undefined : await files.readText(path, largestSettings);
    return text === undefined ? undefined : JSON.parse(withoutComments(text));
  } catch {
    // The agent cannot read it either, and uses its defaults.
    return undefined;
  }
}

/** The agents allow comments in their settings. Strings are matched first, so that a `//` in one stays. */
function withoutComments(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu, (_all, string?: string) => string ?? "");
}

function memberOf(value: unknown, ...keys: readonly string[]): unknown {
  let current = value;
  for (const key of keys) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Object.entries(current).find(([name]) => name === key)?.[1];
  }
  return current;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
