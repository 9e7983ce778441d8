import { joinPath } from "../discovery/join-path.ts";
import type { Platform } from "../platform/platform.ts";
import { variableOf } from "./agent-places.ts";
import { type DiagnosedAgent, diagnosedAgents } from "./finding.ts";

/** What each agent is started with, and the package that brings it. */
export const agentCommands: Readonly<Record<DiagnosedAgent, { readonly command: string; readonly package: string }>> = {
  gemini: { command: "gemini", package: "@google/gemini-cli" },
  qwen: { command: "qwen", package: "@qwen-code/qwen-code" },
  claude: { command: "claude", package: "@anthropic-ai/claude-code" },
};

/** Whether a program of that name is on this terminal's PATH. True where there is no PATH to look at. */
export async function isInstalled(platform: Platform, command: string): Promise<boolean> {
  const { process, files } = platform;
  const path = variableOf(process, "PATH");
  if (path === undefined) return true;
  const isWindows = process.platform === "win32";
  const endings = isWindows ? ["", ".exe", ".cmd", ".bat", ".ps1"] : [""];
  const directories = path.split(isWindows ? ";" : ":").filter((directory) => directory !== "");
  const candidates = directories.flatMap((directory) =>
    endings.map((ending) => joinPath(platform, directory, command + ending)),
  );
  const found = await Promise.all(
    candidates.map(async (candidate) => {
      // Package managers put links there.
      const real = await files.realPath(candidate).catch(() => undefined);
      const facts = real === undefined ? undefined : await files.lstat(real).catch(() => undefined);
      return facts?.kind === "file" && (isWindows || (facts.mode & 0o111) !== 0);
    }),
  );
  return found.includes(true);
}

/** Whether an agent is on the PATH, or has left settings of its own, as it does where it has been started. */
export async function isUsed(platform: Platform, agent: string, settingsFile: string): Promise<boolean> {
  const known = diagnosedAgents.find((id) => id === agent);
  if (known !== undefined && (await isInstalled(platform, agentCommands[known].command))) return true;
  const own = agent === "claude" ? [joinPath(platform, platform.process.homeDirectory, ".claude.json")] : [];
  const paths = [settingsFile, ...own];
  const found = await Promise.all(paths.map((path) => platform.files.lstat(path).catch(() => undefined)));
  return found.some((facts) => facts !== undefined);
}
