import type { AgentId, AgentKind } from "./agent.ts";
import { claude } from "./claude.ts";
import { gemini } from "./gemini.ts";
import { qwen } from "./qwen.ts";

/** All agents by their ids. */
export const agents: Readonly<Record<AgentId, AgentKind>> = { gemini, qwen, claude };
