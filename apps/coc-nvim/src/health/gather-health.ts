import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { HealthFacts } from "./health-report.ts";

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
