import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { asShape, asText } from "../vim/shape.ts";
import type { AgentSetting, HealthFacts } from "./health-report.ts";

/** Which discovery records of this port are on the disk (contracts of the three agents). */
export async function findRecords(port: number, temporaryDirectory: string): Promise<HealthFacts["records"]> {
  const home = homedir();
  const gemini = join(temporaryDirectory, "gemini", "ide");
  const qwen = process.env["QWEN_HOME"] ?? join(home, ".qwen");
  const claude = process.env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude");
  return [
    await record(
      "Gemini CLI",
      gemini,
      new RegExp(`^gemini-ide-server-\\d+-${port}\\.json$`, "u"),
      `gemini-ide-server-*-${port}.json`,
    ),
    await record("Qwen Code", join(qwen, "ide"), new RegExp(`^${port}\\.lock$`, "u"), `${port}.lock`),
    await record("Claude Code", join(claude, "ide"), new RegExp(`^${port}\\.lock$`, "u"), `${port}.lock`),
  ];
}

async function record(
  agent: string,
  directory: string,
  name: RegExp,
  shown: string,
): Promise<HealthFacts["records"][number]> {
  const names = await readdir(directory).catch(() => []);
  return { agent, path: join(directory, shown), found: names.some((one) => name.test(one)) };
}

/** The approval modes the user has set in the agents' own settings. */
export async function findAgentSettings(): Promise<readonly AgentSetting[]> {
  const home = homedir();
  const qwen = process.env["QWEN_HOME"] ?? join(home, ".qwen");
  const claude = process.env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude");
  return [
    await setting("Gemini CLI", join(home, ".gemini", "settings.json"), ["general", "defaultApprovalMode"]),
    await setting("Qwen Code", join(qwen, "settings.json"), ["tools", "approvalMode"]),
    await setting("Claude Code", join(claude, "settings.json"), ["permissions", "defaultMode"]),
  ];
}

async function setting(agent: string, file: string, keys: readonly [string, string]): Promise<AgentSetting> {
  let mode = "";
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    mode = asText(asShape(asShape(value)[keys[0]])[keys[1]]);
  } catch {
    // No settings, or none that can be read: the agent's default counts.
  }
  return { agent, file, mode: mode === "" ? undefined : mode };
}
