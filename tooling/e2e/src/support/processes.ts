import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { poll } from "./poll.ts";

/** What a finished command left behind. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds until the command is ended. */
  readonly timeout?: number;
}

/** Runs a command to its end and returns its output, whatever its exit code. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: options.timeout ?? 30_000,
    killSignal: "SIGKILL",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve(exitCode ?? -1));
  });
  return { code, stdout, stderr };
}

/** Runs a command and insists on success. */
export async function mustRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const finished = await run(command, args, options);
  if (finished.code !== 0) {
    const tail = `${finished.stdout}\n${finished.stderr}`.trim().split("\n").slice(-15).join("\n");
    throw new Error(`${command} ${args.join(" ")} ended with ${finished.code}:\n${tail}`);
  }
  return finished;
}

/** A long-running program in a process group of its own, so that ending it also ends what it started. */
export interface Daemon {
  readonly pid: number;
  readonly exited: Promise<number>;
  isRunning(): boolean;
  stop(): Promise<void>;
}

export interface DaemonOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** File that receives both output streams. */
  readonly log: string;
}

/** Leaders of the groups that run: whatever ends this process, none of them stays behind. */
const leaders = new Set<number>();
process.on("exit", () => {
  for (const leader of leaders) signal(-leader, "SIGKILL");
});

/** Starts a program that stays; the caller stops it. It does not outlive this process, unless that is killed with -9. */
export async function startDaemon(command: string, args: readonly string[], options: DaemonOptions): Promise<Daemon> {
  const log = createWriteStream(options.log, { flags: "a" });
  await once(log, "open");
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", log, log],
    detached: true,
  });
  const exited = new Promise<number>((resolve) => {
    child.once("close", (code) => resolve(code ?? -1));
    child.once("error", () => resolve(-1));
  });
  await once(child, "spawn");
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${command} did not start`);
  leaders.add(pid);
  // The system may give the number of a group without members to others.
  void exited.then(() => signal(-pid, 0) || leaders.delete(pid));
  return {
    pid,
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      await endGroup(pid);
      leaders.delete(pid);
      log.end();
    },
  };
}

/** Whether a process runs, or waits for its parent to notice its end. */
export function isAlive(pid: number): boolean {
  try {
    return pid > 1 && process.kill(pid, 0);
  } catch {
    // ESRCH: it has ended.
    return false;
  }
}

/** Ends a process group by its leader's id: politely, then not. A group that is gone is fine. */
async function endGroup(leader: number): Promise<void> {
  if (!signal(-leader, "SIGTERM")) return;
  const gone = await poll("the process group's end", () => !signal(-leader, 0), { timeout: 4_000 }).catch(() => false);
  if (!gone) signal(-leader, "SIGKILL");
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // ESRCH: nobody is left to receive it.
    return false;
  }
}

/** The processes of a lab, told by its folder in their environment, whose command line matches. */
export async function findProcesses(root: string, command: RegExp): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const [words, environment] = await Promise.all(
      ["cmdline", "environ"].map((file) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "")),
    );
    if (command.test(words ?? "") && environment?.includes(`=${root}/`)) found.push(Number(name));
  }
  return found;
}

/** Kills a process and everything it has started, with -9. */
export async function killTree(pid: number): Promise<void> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "latin1").catch(() => "");
    const parent = /\) \w (\d+) /.exec(stat)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isBelow = (one: number): boolean => {
    for (let at: number | undefined = one; at !== undefined && at > 1; at = parents.get(at))
      if (at === pid) return true;
    return false;
  };
  for (const one of Array.from(parents.keys()).filter(isBelow)) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // It ended with its parent.
    }
  }
}
