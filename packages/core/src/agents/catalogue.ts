import { claude } from "./claude/agent.ts";
import { codex } from "./codex/agent.ts";
import { copilot } from "./copilot/agent.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini/agent.ts";
import { kilo } from "./kilo/agent.ts";
import { opencode } from "./opencode/agent.ts";
import { pi } from "./pi/agent.ts";
import { qwen } from "./qwen/agent.ts";

/** Every agent, in the order of every list. A new one is a folder beside these and its name here (CONTRIBUTING.md). */
const listed: readonly [
  typeof gemini,
  typeof qwen,
  typeof claude,
  typeof copilot,
  typeof codex,
  typeof pi,
  typeof opencode,
  typeof kilo,
] = [gemini, qwen, claude, copilot, codex, pi, opencode, kilo];

/** Id of an agent of the catalogue. */
export type AgentId = (typeof listed)[number]["id"];

/** Every agent that Patchbay serves. */
export const agents: readonly Dialect<AgentId>[] = listed;

/**
 * The command line that starts an agent so that it asks before it writes, where its command line decides about that. `command`
 * is what the user starts it with, where that is not simply its program.
 */
export function askingCommand({ program, asking }: Pick<Dialect, "program" | "asking">, command?: string): string {
  const line = command ?? program.command;
  return asking === undefined ? line : `${line} ${asking.flag} ${asking.value}`;
}

/** An agent of the catalogue. */
export function agentOf(id: AgentId): Dialect<AgentId> {
  const found = agents.find((agent) => agent.id === id);
  if (found === undefined) throw new Error(`No agent is called ${id}.`);
  return found;
}
