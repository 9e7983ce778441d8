import { type AgentId, agentOf, agents } from "@patchbay/core";
import type { AgentKind } from "./agent.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { kilo, opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

const kinds: readonly AgentKind[] = [gemini, qwen, claude, copilot, codex, pi, opencode, kilo];

/** The agents of the catalogue that can be run here, in its order. */
const runnable = agents.filter(({ id }) => kinds.some((kind) => kind.id === id));

/** Those whose own protocol carries what is open, and nothing else. */
export const contextAgents: readonly AgentId[] = runnable.flatMap(({ id, contextOnly }) =>
  contextOnly === true ? [id] : [],
);

/** Those that have hooks. */
export const everyHooked: readonly AgentId[] = runnable.flatMap(({ id, loadHook }) =>
  loadHook === undefined ? [] : [id],
);

/** Those whose own protocol has changes reviewed, with those whose reviews are for reading. */
export const readersToo: readonly AgentId[] = everyHooked.filter(
  (id) => agentOf(id).transport !== "hook" && agentOf(id).contextOnly !== true,
);

/** Those that write what the user made of their proposal. */
export const everyAgent: readonly AgentId[] = readersToo.filter((id) => agentOf(id).takesEdits);

/** Those with which the conversation panel talks. */
export const panelAgents: readonly AgentId[] = [...everyAgent, "pi"];

/** The same with those that write files themselves there: their changes are for reading. */
export const panelReadersToo: readonly AgentId[] = [...panelAgents, "opencode", "kilo", "copilot"];

/** How an agent is run. */
export function kindOf(id: AgentId): AgentKind {
  const found = kinds.find((kind) => kind.id === id);
  if (found === undefined) throw new Error(`${id} cannot be run here: tooling/e2e/src/agents has nothing about it.`);
  return found;
}
