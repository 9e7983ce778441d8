import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";

/** Keepers are nobody's children: they are known by what they inherit from us. */
const inherited = `PATCHBAY_TEST_RUN=${process.pid}`;
process.env["PATCHBAY_TEST_RUN"] = String(process.pid);

export function keepers(): readonly number[] {
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

/** For tests that are not about how a keeper ends. Their ports are free afterwards. */
export async function endKeepers(): Promise<void> {
  const pids = keepers();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  // A process has no command line any more before its sockets are closed.
  await expect.poll(() => pids.filter((pid) => !hasEnded(pid)), { timeout: 5_000 }).toEqual([]);
}

function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    // Nobody waits for it any more.
    return true;
  }
}
