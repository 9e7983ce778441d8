import type { Companion, CompanionOptions } from "./companion.ts";
import { claude } from "./agents/claude/agent.ts";
import type { Dialect } from "./agents/dialect.ts";
import { gemini } from "./agents/gemini/agent.ts";
import { qwen } from "./agents/qwen/agent.ts";
import { createNodePlatform } from "./platform/node.ts";
import { RunningCompanion } from "./companion/running-companion.ts";
import { nullLogger } from "./support/logger.ts";

/** Every dialect Patchbay speaks. */
export const allDialects: readonly Dialect[] = [gemini, qwen, claude];

/** Builds a companion for one workspace of one editor. Nothing happens before `start`. */
export function createCompanion(options: CompanionOptions): Companion {
  return new RunningCompanion({
    host: options.host,
    dialects: options.dialects ?? allDialects,
    platform: options.platform ?? createNodePlatform(),
    logger: options.logger ?? nullLogger,
    port: options.port,
    settings: { exclude: [], shareSelection: true, sharing: true, ...options.settings },
  });
}
