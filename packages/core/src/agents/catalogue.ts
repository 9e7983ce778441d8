import { claude } from "./claude/agent.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini/agent.ts";
import { qwen } from "./qwen/agent.ts";

type Listed = typeof gemini | typeof qwen | typeof claude;

/** Id of an agent of the catalogue. */
export type AgentId = Listed["id"];

/** Every agent Patchbay serves, in the order of every list of agents. A new one is a folder beside these, and named here. */
export const agents: readonly Dialect<AgentId>[] = [gemini, qwen, claude] satisfies readonly Listed[];

/**
 * The command line that starts an agent so that it asks before it writes. `command` is what the user starts it with, where
 * that is not simply its program.
 */
export function askingCommand({ program, asking }: Pick<Dialect, "program" | "asking">, command?: string): string {
  return `${command ?? program.command} ${asking.flag} ${asking.value}`;
}

/** An agent of the catalogue. */
export function agentOf(id: AgentId): Dialect<AgentId> {
  const found = agents.find((agent) => agent.id === id);
  if (found === undefined) throw new Error(`No agent is called ${id}.`);
  return found;
}
