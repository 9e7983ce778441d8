import { type AgentId, agentOf, agents } from "@patchbay/core";
import type { AgentKind } from "./agent.ts";
import { claude } from "./claude.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { qwen } from "./qwen.ts";

const kinds: readonly AgentKind[] = [gemini, qwen, claude, copilot];

/** The agents of the catalogue that can be run here, in its order, with those whose reviews are for reading. */
export const readersToo: readonly AgentId[] = agents
  .map(({ id }) => id)
  .filter((id) => kinds.some((kind) => kind.id === id));

/** The same without these. */
export const everyAgent: readonly AgentId[] = readersToo.filter((id) => agentOf(id).takesEdits);

/** How an agent is run. */
export function kindOf(id: AgentId): AgentKind {
  const found = kinds.find((kind) => kind.id === id);
  if (found === undefined) throw new Error(`${id} cannot be run here: tooling/e2e/src/agents has nothing about it.`);
  return found;
}
