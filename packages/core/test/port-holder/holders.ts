import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";

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
