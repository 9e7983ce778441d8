import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/**
 * Processes by their ids, each with a text that no other process with this id has; an empty one where the system does not say.
 * Synchronous: it is asked for in the last moment of an editor, too.
 */
export type Processes = ReadonlyMap<number, string>;

interface Facts {
  readonly pid: number;
  readonly parent: number;
  readonly mark: string;
}

/**
 * What a living process has started, and what that has started, whatever group it is in: agents give their commands groups of
 * their own. What has left its parents (a daemon) is not found: it was meant to stay. Empty on Windows.
 */
export function processesBelow(pid: number): Processes {
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
export function isStillThere(pid: number, mark: string): boolean {
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
