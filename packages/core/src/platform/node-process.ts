import { existsSync, readFileSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import process from "node:process";
import { errorCodeOf } from "../support/errors.ts";
import type { ProcessFacts } from "./platform.ts";

/** The parts of the machine that differ between systems and hosts; tests put others in. */
export interface ProcessMachine {
  /** `process.kill`. Sandboxed extensions (coc.nvim) may be handed a process object on which it only throws. */
  readonly kill: (pid: number, signal: 0) => void;
  readonly platform: string;
}

/** For how long one answer of `ps` about a process stands, ms: liveness is asked in bursts, and each `ps` blocks. */
const psAnswerMs = 2_000;
const psTimeoutMs = 2_000;
const largestPid = 2 ** 31 - 1;

/** Facts about this process and others, from /proc on Linux and `ps` elsewhere. Windows tells only whether one is alive. */
export function createNodeProcessFacts(
  machine: ProcessMachine = { kill: (pid, signal) => void process.kill(pid, signal), platform: process.platform },
): ProcessFacts {
  const psAnswers = new Map<number, { readonly alive: boolean; readonly at: number }>();

  const isAliveByOtherMeans = (pid: number): boolean => {
    if (machine.platform === "linux") return existsSync(`/proc/${pid}`);
    if (machine.platform === "win32") return true;
    const known = psAnswers.get(pid);
    const now = performance.now();
    if (known !== undefined && now - known.at < psAnswerMs) return known.alive;
    const alive = psSaysAlive(pid);
    psAnswers.set(pid, { alive, at: now });
    return alive;
  };

  return {
    pid: process.pid,
    ppid: process.ppid,
    uid: process.getuid?.() ?? -1,
    platform: machine.platform,
    homeDirectory: homeOfUser(),
    temporaryDirectory: tmpdir(),
    environment: (name) => process.env[name],
    isAlive: (pid) => {
      if (!isPid(pid)) return false;
      try {
        machine.kill(pid, 0);
      } catch (error) {
        const code = errorCodeOf(error);
        if (code === "ESRCH") return false;
        if (code !== "EPERM" && !isAliveByOtherMeans(pid)) return false;
      }
      return !(machine.platform === "linux" && isDefunct(pid));
    },
    parentOf: async (pid) => {
      if (!isPid(pid)) return undefined;
      if (machine.platform === "linux") return readProcessStat(pid)?.parent;
      const parent = Number.parseInt((await ps(machine, pid, "ppid=")) ?? "", 10);
      return Number.isInteger(parent) && parent >= 0 ? parent : undefined;
    },
    startMark: async (pid) => {
      if (!isPid(pid)) return undefined;
      if (machine.platform !== "linux") return (await ps(machine, pid, "lstart="))?.replaceAll(/\s+/g, " ");
      const stat = readProcessStat(pid);
      // Ticks since the start of the machine: only together with the machine's start do they name a moment.
      return stat === undefined ? undefined : `${bootId()}-${stat.startTicks}`;
    },
    peerOf: async (ports) => {
      // Elsewhere only privileged programs are told, or slow ones tell.
      if (machine.platform !== "linux") return undefined;
      return await (await loadPeers()).findPeerProcess(ports, process.getuid?.() ?? -1);
    },
    stateOf: async (pid) =>
      machine.platform === "linux" ? readProcessStat(pid)?.state : (await ps(machine, pid, "stat="))?.[0],
    commandOf: async (pid) => (await loadPeers()).readCommand(pid),
  };
}

/** Nobody has to be found before somebody has connected. */
function loadPeers(): Promise<typeof import("./node-peer-process.ts")> {
  return import("./node-peer-process.ts");
}

/**
 * Where HOME is empty, the home that the system knows of. Containers run processes under ids that the system does not
 * know, and without HOME Node throws there; agents find nothing in a home then, and the rest goes on.
 */
function homeOfUser(): string {
  try {
    const home = homedir();
    return home === "" ? userInfo().homedir : home;
  } catch {
    return tmpdir();
  }
}

/** Zero and negative ids mean groups of processes to the system, and are never one process. */
function isPid(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && pid <= largestPid;
}

/** A process that has ended and was not yet asked for by its parent still takes signals; in containers it may stay so for ever. */
function isDefunct(pid: number): boolean {
  // Where it is hidden from us or just gone, the signal's answer stands.
  const state = readProcessStat(pid)?.state;
  return state === "Z" || state === "X";
}

/** Undefined where there is no such process, or it is hidden from us. */
function readProcessStat(pid: number): ProcessStat | undefined {
  const text = readKernelText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseProcessStat(text);
}

let bootIdText: string | undefined;

function bootId(): string {
  bootIdText ??= readKernelText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  return bootIdText;
}

/** The kernel answers from memory: to wait for it costs some microseconds, and not to wait a hundred times that. */
function readKernelText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

async function ps(machine: ProcessMachine, pid: number, column: string): Promise<string | undefined> {
  const childProcess = machine.platform === "win32" ? undefined : loadChildProcess();
  if (childProcess === undefined) return undefined;
  return await (await import("./node-ps.ts")).askPs(childProcess, pid, column);
}

function psSaysAlive(pid: number): boolean {
  const answer = loadChildProcess()?.spawnSync("ps", ["-o", "stat=", "-p", String(pid)], {
    encoding: "utf8",
    timeout: psTimeoutMs,
  });
  // Without an answer nothing is known, and nothing may be taken away from a process that may live.
  if (answer === undefined || answer.error !== undefined || answer.status === null) return true;
  return answer.status === 0 && !answer.stdout.trim().startsWith("Z");
}

/** Not an import: the module costs milliseconds at start, and a dynamic import fails in hosts that run extensions in a sandbox. */
function loadChildProcess(): typeof import("node:child_process") | undefined {
  return typeof process.getBuiltinModule === "function" ? process.getBuiltinModule("node:child_process") : undefined;
}

/** What Patchbay needs of a line of /proc/<pid>/stat (proc(5)). */
export interface ProcessStat {
  /** One letter, e.g. `S`; `Z` has ended but was not collected by its parent. */
  readonly state: string;
  readonly parent: number;
  /** Clock ticks from the machine's start to the process's, as text. */
  readonly startTicks: string;
}

/** Parses /proc/<pid>/stat. The command's name (field 2) may itself hold spaces and parentheses, so fields count from its last one. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const nameEnd = text.lastIndexOf(")");
  if (nameEnd < 0) return undefined;
  const fields = text
    .slice(nameEnd + 1)
    .trim()
    .split(" ");
  const [state, parentText] = fields;
  const startTicks = fields[19];
  if (state === undefined || parentText === undefined || startTicks === undefined) return undefined;
  if (!/^\d+$/.test(parentText) || !/^\d+$/.test(startTicks)) return undefined;
  return { state, parent: Number(parentText), startTicks };
}
