import { type AgentId, agentOf } from "@patchbay/core";
import type { AgentDriver, AgentDriverOptions } from "./agent-driver.ts";
import { createClaudeDriver } from "./claude/driver.ts";
import { createCopilotDriver } from "./copilot/driver.ts";
import { createPublishedDriver } from "./gemini-family/driver.ts";
import { createKiloDriver, createOpenCodeDriver } from "./opencode-family/driver.ts";
import { createGeminiDriver } from "./gemini/driver.ts";
import { createQwenDriver } from "./qwen/driver.ts";

/** The agents whose behaviour was seen and written down, each in a folder of its own. */
const seen: Readonly<Partial<Record<AgentId, (options: AgentDriverOptions) => AgentDriver>>> = {
  gemini: createGeminiDriver,
  qwen: createQwenDriver,
  claude: createClaudeDriver,
  copilot: createCopilotDriver,
  opencode: createOpenCodeDriver,
  kilo: createKiloDriver,
};

/**
 * Drives an agent of the catalogue: as its client was seen to behave, or where nobody has looked yet, as the interface of
 * the Gemini family is published. Throws PatchbayError `not-found` for one of another family that has no driver.
 */
export function createAgentDriver(id: AgentId, options: AgentDriverOptions): AgentDriver {
  const create = seen[id];
  return create === undefined ? createPublishedDriver(agentOf(id), options) : create(options);
}
