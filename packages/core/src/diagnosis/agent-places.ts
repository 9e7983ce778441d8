import { joinPath } from "../discovery/join-path.ts";
import type { Platform } from "../platform/platform.ts";
import type { DiagnosedAgent } from "./finding.ts";

/** What decides where agents look: this terminal's, or those of another process. */
export interface Surroundings {
  readonly homeDirectory: string;
  readonly temporaryDirectory: string;
  environment(name: string): string | undefined;
}

/** A directory in which an agent looks for editors. */
export interface AgentPlace {
  readonly agent: DiagnosedAgent;
  readonly directory: string;
  /** Names of the records in it. */
  readonly pattern: RegExp;
}

const lock = /^\d+\.lock$/u;

/** Where agents look that are started in these surroundings (docs/protocols). */
export function agentPlaces(platform: Platform, surroundings: Surroundings): readonly AgentPlace[] {
  const below = (directory: string, ...names: readonly string[]): string =>
    names.reduce((path, name) => joinPath(platform, path, name), directory);
  const { homeDirectory: home, temporaryDirectory: temporary } = surroundings;
  const qwenHome = variableOf(surroundings, "QWEN_HOME") ?? below(home, ".qwen");
  const claudeHomes = new Set([variableOf(surroundings, "CLAUDE_CONFIG_DIR"), below(home, ".claude")]);
  return [
    {
      agent: "gemini",
      directory: below(temporary, "gemini", "ide"),
      pattern: /^gemini-ide-server-\d+(?:-\d+)?\.json$/u,
    },
    { agent: "qwen", directory: below(qwenHome, "ide"), pattern: lock },
    ...Array.from(claudeHomes).flatMap((base): readonly AgentPlace[] =>
      base === undefined ? [] : [{ agent: "claude", directory: below(base, "ide"), pattern: lock }],
    ),
  ];
}

/** A variable's value; undefined where it is empty or not set. */
export function variableOf(surroundings: Pick<Surroundings, "environment">, name: string): string | undefined {
  return surroundings.environment(name) || undefined;
}
