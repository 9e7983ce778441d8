import { delimiter, join } from "node:path";
import type { Platform } from "@patchbay/core";
import * as z from "zod";

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

/**
 * The folders in a record that joins them to one text. A folder with the delimiter in its name stands encoded in Gemini
 * CLI's records, and makes Qwen Code's a list as JSON (docs/protocols).
 */
export function splitFolders(workspacePath: string): readonly string[] {
  const listed = z.array(z.string()).safeParse(workspacePath.startsWith("[") ? parseJson(workspacePath) : undefined);
  if (listed.success) return listed.data;
  const encoded = encodeURIComponent(delimiter);
  return workspacePath
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => folder.replaceAll(encoded, delimiter));
}

/** Undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
