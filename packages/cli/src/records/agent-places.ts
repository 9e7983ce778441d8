import { delimiter, join } from "node:path";
import type { Platform } from "@patchbay/core";

export type AgentId = "gemini" | "qwen" | "claude";

export const agentNames: Readonly<Record<AgentId, string>> = {
  gemini: "Gemini CLI",
  qwen: "Qwen Code",
  claude: "Claude Code",
};

/** A directory in which an agent looks for editors. */
export interface AgentPlace {
  readonly agent: AgentId;
  readonly directory: string;
  /** Names of the records in it. */
  readonly pattern: RegExp;
}

/** Where the agents of this user look, from this terminal (docs/protocols). */
export function agentPlaces({ process: facts }: Platform): readonly AgentPlace[] {
  const { homeDirectory: home, temporaryDirectory: temporary } = facts;
  const custom = (name: string): readonly string[] => {
    const value = facts.environment(name);
    return value === undefined || value === "" ? [] : [value];
  };
  const lock = /^\d+\.lock$/u;
  return [
    {
      agent: "gemini",
      directory: join(temporary, "gemini", "ide"),
      pattern: /^gemini-ide-server-\d+(?:-\d+)?\.json$/u,
    },
    ...(custom("QWEN_HOME").length === 0 ? [join(home, ".qwen")] : custom("QWEN_HOME")).map(
      (base) => ({ agent: "qwen", directory: join(base, "ide"), pattern: lock }) as const,
    ),
    ...[...custom("CLAUDE_CONFIG_DIR"), join(home, ".claude")].map(
      (base) => ({ agent: "claude", directory: join(base, "ide"), pattern: lock }) as const,
    ),
  ];
}

/** The folders in a record that joins them to one text. */
export function splitFolders(workspacePath: string): readonly string[] {
  return workspacePath.split(delimiter).filter((folder) => folder !== "");
}
