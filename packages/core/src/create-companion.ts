import { agents } from "./agents/catalogue.ts";
import type { Companion, CompanionOptions } from "./companion.ts";
import { RunningCompanion } from "./companion/running-companion.ts";
import { createNodePlatform } from "./platform/node.ts";
import { nullLogger } from "./support/logger.ts";

/** Builds a companion for one workspace of one editor. Nothing happens before `start`. */
export function createCompanion(options: CompanionOptions): Companion {
  return new RunningCompanion({
    host: options.host,
    dialects: options.dialects ?? agents,
    platform: options.platform ?? createNodePlatform(),
    logger: options.logger ?? nullLogger,
    port: options.port,
    turns: options.turns,
    leavesQuestionsOf: options.leavesQuestionsOf,
    settings: {
      exclude: [],
      shareSelection: true,
      sharing: true,
      reviews: {},
      openReviews: "always",
      ...options.settings,
    },
  });
}
