import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";

/** Port holders are nobody's children: they are known by what they inherit from us. */
const inherited = `PATCHBAY_TEST_RUN=${process.pid}`;
process.env["PATCHBAY_TEST_RUN"] = String(process.pid);

export function portHolders(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(inherited);
      } catch {
        // It has ended meanwhile.
        return false;
      }
    })
    .map(Number);
}

/**
 * The port is never free; this is when the port holder's process has begun to answer. A process that is just being started may
 * have no environment to be known by, so `portHolders` can be sure of it only from then on.
 */
export async function untilHeld(port: number): Promise<void> {
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401);
}

const exchange = z.object({
  request: z.object({ method: z.string(), origin: z.coerce.string() }),
  response: z.object({ statusCode: z.number() }).optional(),
});

/** Counts the streams that agents of this process have open on a port, as Node's own HTTP client tells of them. */
export function openStreamsOn(port: number): () => number {
  const open = new Set<unknown>();
  const began = (message: unknown): void => {
    const { request, response } = exchange.parse(message);
    const isStream = request.method === "GET" && response?.statusCode === 200;
    if (isStream && request.origin.endsWith(`:${port}`)) open.add(requestIn(message));
  };
  const ended = (message: unknown): void => void open.delete(requestIn(message));
  const channels = [
    ["undici:request:headers", began],
    ["undici:request:trailers", ended],
    ["undici:request:error", ended],
  ] as const;
  for (const [channel, listener] of channels) subscribe(channel, listener);
  onTestFinished(() => {
    for (const [channel, listener] of channels) unsubscribe(channel, listener);
  });
  return () => open.size;
}

function requestIn(message: unknown): unknown {
  return typeof message === "object" && message !== null && "request" in message ? message.request : undefined;
}

/** For tests that are not about how a port holder ends. Their ports are free afterwards. */
export async function endPortHolders(): Promise<void> {
  const pids = portHolders();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  // A process has no command line any more before its sockets are closed, and its first thread ends before the others.
  await expect.poll(() => pids.filter((pid) => !hasEnded(pid)), { timeout: 5_000 }).toEqual([]);
}

function hasEnded(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.length <= 1 && /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    // Nobody waits for it any more.
    return true;
  }
}
