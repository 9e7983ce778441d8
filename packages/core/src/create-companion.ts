import type { Companion, CompanionOptions } from "./companion.ts";
import { claude } from "./dialects/claude.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { gemini } from "./dialects/gemini.ts";
import { qwen } from "./dialects/qwen.ts";
import type { AgentSettings } from "./dialects/settings/agent-settings.ts";
import { createNodePlatform } from "./platform/node.ts";
import { RunningCompanion } from "./companion/running-companion.ts";
import type { Platform } from "./platform/platform.ts";
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

/**
 * What the agents' own settings say about working with an editor, for a diagnosis: whether they look for one, and whether
 * they ask before they write. `folder` is where they would be started. Never rejects.
 */
export async function readAgentSettings(platform: Platform, folder?: string): Promise<readonly AgentSettings[]> {
  const all = allDialects.map(async ({ id, agentName, settings }): Promise<readonly AgentSettings[]> => {
    const read = await settings?.({ platform, folder });
    return read === undefined ? [] : [{ agent: id, agentName, ...read }];
  });
  return (await Promise.all(all)).flat();
}
