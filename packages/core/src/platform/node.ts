import { createHmac, randomBytes } from "node:crypto";
import { toDisposable } from "../support/disposable.ts";
import type { Clock } from "../support/time.ts";
import { createNodeFiles } from "./node-files.ts";
import { createNodeProcessFacts } from "./node-process.ts";
import { startAttached, startDetached } from "./node-start-program.ts";
import type { Platform, Processes, Random } from "./platform.ts";

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

/** Bytes drawn at once: to draw costs about the same for a few of them. */
const drawnBytes = 1_024;
let drawn: Buffer = Buffer.alloc(0);

/** Each byte is given out once and wiped. */
function takeToken(byteLength: number): string {
  if (drawn.length < byteLength) drawn = randomBytes(Math.max(byteLength, drawnBytes));
  const bytes = drawn.subarray(0, byteLength);
  drawn = drawn.subarray(byteLength);
  const token = bytes.toString("base64url");
  bytes.fill(0);
  return token;
}

const nodeRandom: Random = {
  token: takeToken,
  mac: (key, text) => createHmac("sha256", key).update(text, "utf8").digest("base64url"),
};

/** Node's clocks. Its timers never keep the process alive: an editor that wants to end must not wait for a debounce. */
const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, delayMs) => {
    // Node warns of a negative delay, which a moment that has just passed makes.
    const timer = setTimeout(callback, Math.max(0, delayMs));
    timer.unref();
    return toDisposable(() => clearTimeout(timer));
  },
};

/** Starts programs. */
export const nodeProcesses: Processes = { startAttached, startDetached };
