import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import process from "node:process";
import type { Child, ChildExit, ChildListeners, Children, StartRequest, StopSignal } from "./children.ts";
import { GroupGuard } from "./group-guard.ts";

/**
 * How long the output of a program that has ended is waited for, ms: what it started may hold it open for as long as that
 * likes.
 */
const outputMs = 500;

/** How long the folder of a program may take to be looked at, ms: one of the network may not answer at all. */
const folderMs = 5_000;

async function late(delayMs: number): Promise<"late"> {
  return await new Promise((resolve) => void setTimeout(() => resolve("late"), delayMs).unref());
}

/** Children of this process. Whoever makes it calls `endAllSync` when this process ends. */
export function createNodeChildren(): Children {
  const living = new Set<NodeChild>();
  const guard = process.platform === "win32" ? undefined : new GroupGuard();
  return {
    start: async (request, listeners) => {
      const child = await NodeChild.start(request, listeners, guard);
      for (const one of living) if (!one.isAnyAlive()) living.delete(one);
      living.add(child);
      return child;
    },
    endAllSync: () => {
      for (const child of living) {
        child.noteStarted();
        child.signalAll("SIGKILL");
        guard?.release(child.pid);
      }
      living.clear();
    },
  };
}

class NodeChild implements Child {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** Nothing of its group lives: its id may be another's by now, and is never signalled again. */
  #isGone = false;
  #hasExited = false;
  #noted: Processes = new Map();
  readonly #guard: GroupGuard | undefined;

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, guard: GroupGuard | undefined) {
    this.#child = child;
    this.pid = pid;
    this.#guard = guard;
    guard?.watch(pid);
  }

  static async start(
    request: StartRequest,
    listeners: ChildListeners,
    guard: GroupGuard | undefined,
  ): Promise<NodeChild> {
    // The system's own error names the program, as if that were missing; and one that hangs would hold up this process with it.
    const folder = await Promise.race([stat(request.cwd).catch(() => undefined), late(folderMs)]);
    if (folder === "late") throw new Error(`The folder ${request.cwd} does not respond.`);
    if (folder?.isDirectory() !== true) throw new Error(`The folder ${request.cwd} does not exist.`);
    const child = spawn(request.program, request.args, {
      cwd: request.cwd,
      env: request.environment,
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    // Its end is told by its exit.
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk: Uint8Array) => listeners.onOutput(chunk));
    child.stderr.on("data", (chunk: Uint8Array) => listeners.onErrorOutput(chunk));
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("spawn", () => {
        if (child.pid === undefined) return;
        const started = new NodeChild(child, child.pid, guard);
        started.#tellExit(listeners);
        resolve(started);
      });
    });
  }

  async write(text: string): Promise<boolean> {
    if (!this.#child.stdin.writable) return false;
    return await new Promise((resolve) => {
      this.#child.stdin.write(text, (error) => resolve(error === null || error === undefined));
    });
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  noteStarted(): void {
    if (!this.#hasExited) this.#noted = new Map([...this.#noted, ...processesBelow(this.pid)]);
  }

  signalAll(signal: StopSignal): void {
    if (this.#isGroupAlive()) {
      if (process.platform === "win32") endTree(this.pid);
      else signalIfThere(-this.pid, signal);
    }
    for (const pid of this.#livingNoted()) signalIfThere(pid, signal);
  }

  isAnyAlive(): boolean {
    return this.#isGroupAlive() || this.#livingNoted().length > 0;
  }

  #livingNoted(): readonly number[] {
    return [...this.#noted].flatMap(([pid, mark]) => (isStillThere(pid, mark) ? pid : []));
  }

  #isGroupAlive(): boolean {
    if (this.#isGone) return false;
    try {
      process.kill(process.platform === "win32" ? this.pid : -this.pid, 0);
      return true;
    } catch {
      this.#isGone = true;
      this.#guard?.release(this.pid);
      return false;
    }
  }

  #tellExit(listeners: ChildListeners): void {
    let isTold = false;
    const tell = (exit: ChildExit): void => {
      if (isTold) return;
      isTold = true;
      // The id of a group without members may be given to another process from now on.
      this.#isGroupAlive();
      listeners.onExit(exit);
    };
    this.#child.on("close", (code, signal) => tell(exitOf(code, signal)));
    this.#child.on("exit", (code, signal) => {
      this.#hasExited = true;
      setTimeout(() => tell(exitOf(code, signal)), outputMs).unref();
    });
  }
}

function exitOf(code: number | null, signal: string | null): ChildExit {
  return { ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) };
}

function signalIfThere(pid: number, signal: StopSignal): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Windows has no groups of processes: its own tool ends a process with all that it started. Without it, at least the process itself ends. */
function endTree(pid: number): void {
  const tool = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" });
  tool.on("error", () => signalIfThere(pid, "SIGKILL"));
  tool.on("exit", (code) => {
    if (code !== 0) signalIfThere(pid, "SIGKILL");
  });
}

/**
 * Processes by their ids, each with a text that no other process with this id has; an empty one where the system does not say.
 * Synchronous: it is asked for in the last moment of an editor, too.
 */
type Processes = ReadonlyMap<number, string>;

interface Facts {
  readonly pid: number;
  readonly parent: number;
  readonly mark: string;
}

/**
 * What a living process has started, and what that has started, whatever group it is in: agents give their commands groups of
 * their own. What has left its parents (a daemon) is not found: it was meant to stay. Empty on Windows.
 */
function processesBelow(pid: number): Processes {
  if (process.platform === "win32") return new Map();
  const all = process.platform === "linux" ? fromKernel() : fromPs();
  const found = new Map<number, string>();
  let parents = new Set([pid]);
  while (parents.size > 0) {
    const children = all.filter((one) => parents.has(one.parent) && one.pid !== pid && !found.has(one.pid));
    for (const child of children) found.set(child.pid, child.mark);
    parents = new Set(children.map((child) => child.pid));
  }
  return found;
}

/** Whether a process that was found earlier still runs. */
function isStillThere(pid: number, mark: string): boolean {
  if (mark !== "") return factsOf(pid)?.mark === mark;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function fromKernel(): readonly Facts[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? (factsOf(Number(name)) ?? []) : []));
}

/** Undefined for one that has ended, also where nobody has collected it yet. */
function factsOf(pid: number): Facts | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The command's name may itself hold spaces and parentheses: the rest follows its last one.
  const [state, parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  // The 22nd field: when it was started, in ticks.
  return { pid, parent: Number(parent), mark: rest[17] ?? "" };
}

function fromPs(): readonly Facts[] {
  const { stdout } = spawnSync("ps", ["-axo", "pid=,ppid="], { encoding: "utf8", timeout: 1_000 });
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/u).map(Number);
    return pid === undefined || parent === undefined || Number.isNaN(parent) ? [] : [{ pid, parent, mark: "" }];
  });
}
