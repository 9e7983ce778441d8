import { type AgentId, agents } from "@patchbay/core";
import type { AgentKind } from "./agent.ts";
import { claude } from "./claude.ts";
import { gemini } from "./gemini.ts";
import { qwen } from "./qwen.ts";

const kinds: readonly AgentKind[] = [gemini, qwen, claude];

/** The agents of the catalogue that can be run here, in its order. */
export const everyAgent: readonly AgentId[] = agents
  .map(({ id }) => id)
  .filter((id) => kinds.some((kind) => kind.id === id));

/** How an agent is run. */
export function kindOf(id: AgentId): AgentKind {
  const found = kinds.find((kind) => kind.id === id);
  if (found === undefined) throw new Error(`${id} cannot be run here: tooling/e2e/src/agents has nothing about it.`);
  return found;
}
