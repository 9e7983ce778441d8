import { accessSync, constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import process from "node:process";
import { splitCommand } from "../commands/agent-command.ts";
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

/** Names of the agents' commands that the editor cannot start; `path` is its PATH. */
export function findMissing(
  agents: Readonly<Record<string, string>>,
  path: string = process.env["PATH"] ?? "",
): readonly string[] {
  const isProgram = (file: string): boolean => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return Object.keys(agents).filter((name) => {
    const [program = ""] = splitCommand(agents[name] ?? "");
    const places = isAbsolute(program) ? [program] : path.split(delimiter).map((folder) => join(folder, program));
    return program === "" || !places.some(isProgram);
  });
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
