import { mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../prerequisites/cache.ts";
import { pause } from "../support/poll.ts";

/** How often a waiting run looks again, ms. */
const lookAgainMs = 1_000;

/** Longest wait for another run, ms: one may hold the machine for the whole matrix. */
const patienceMs = 120 * 60_000;

/**
 * Waits until no other run of the suite has editors open on this machine, and resolves with what lets the next one in: a run
 * itself has as many editors side by side as the machine bears, and beside another run's they would starve one another.
 */
export async function takeTurn(progress: (line: string) => void): Promise<() => Promise<void>> {
  await mkdir(cacheDirectory, { recursive: true });
  const lock = join(cacheDirectory, "running.lock");
  const until = Date.now() + patienceMs;
  let told = false;
  while (!(await take(lock))) {
    if (Date.now() > until) throw new Error(`Another run holds ${lock}. Remove the file if no such run exists.`);
    if (!told) progress("waiting for another run on this machine");
    told = true;
    await pause(lookAgainMs * (0.5 + Math.random()));
  }
  return () => rm(lock, { force: true });
}

async function take(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, "wx", 0o600);
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const holder = Number(await readFile(lock, "utf8").catch(() => ""));
    // An empty file is one that is being written right now.
    if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true });
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
