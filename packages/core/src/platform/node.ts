import { createHmac, randomBytes } from "node:crypto";
import { nodeClock } from "./node-clock.ts";
import { createNodeFiles } from "./node-files.ts";
import { createNodeProcessFacts } from "./node-process.ts";
import { nodeProcesses } from "./node-processes.ts";
import type { Platform, Random } from "./platform.ts";

/**
 * The machine as Node 20 and later sees it. Reads nothing and starts nothing by itself; child processes (macOS, for facts
 * about processes) are loaded when first needed, because their module alone costs milliseconds of an editor's start.
 */
export function createNodePlatform(): Platform {
  return {
    clock: nodeClock,
    random: nodeRandom,
    files: createNodeFiles(),
    process: createNodeProcessFacts(),
    processes: nodeProcesses,
  };
}

const nodeRandom: Random = {
  token: (byteLength) => randomBytes(byteLength).toString("base64url"),
  mac: (key, text) => createHmac("sha256", key).update(text, "utf8").digest("base64url"),
};
