import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { constants } from "node:os";

export interface ForegroundProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How it ended: one of both is there. */
export interface ForegroundEnd {
  readonly code?: number;
  readonly signal?: NodeJS.Signals;
}

/** Keys of the terminal send these to the program, too: it decides what comes of them. */
const ofKeys = ["SIGINT", "SIGQUIT"] as const;
/** These come to us alone. */
const handedOn = ["SIGTERM", "SIGHUP", "SIGCONT"] as const;

/** So long a program may take to pass a signal on to what it has started, ms: some ignore it, and wait for the end of that. */
const passOnMs = 500;
/** Says which start a process comes from, when it has lost its parents. */
const markVariable = "PATCHBAY_RUN";
/** So long what a program has left behind may take to end, ms. */
const leftBehindMs = 3_000;

/**
 * Runs a program that has this process's terminal to itself. Rejects with the system's error, with its `code`, where it cannot be
 * started. Signals go to the program, and to what it has started in this process's group: agents are often started by a launcher that
 * ignores them. The terminal is left as it was.
 */
export async function runInForeground(
  { program, args, environment }: ForegroundProgram,
  keysSignal: () => boolean = doKeysSignal,
): Promise<ForegroundEnd> {
  let child: ChildProcess | undefined;
  let passing: PassedSignal | undefined;
  const pass = (signal: NodeJS.Signals): void => {
    if (child?.pid === undefined) return;
    passing?.dispose();
    passing = signal === "SIGCONT" ? undefined : new PassedSignal(ownGroupBelow(child.pid), signal);
    child.kill(signal);
  };
  const listeners: [NodeJS.Signals, () => void][] = [
    ...ofKeys.map((signal): [NodeJS.Signals, () => void] => [signal, () => void (keysSignal() || pass(signal))]),
    ...handedOn.map((signal): [NodeJS.Signals, () => void] => [signal, () => pass(signal)]),
  ];
  // A program that stops itself, as many do at Ctrl-Z, leaves us in front of the shell: we stop with it.
  if (process.platform !== "win32") listeners.push(["SIGCHLD", () => stopWith(child)]);
  // Before there is a program that could be faster than we are.
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const terminal = saveTerminal();
  const mark = `${markVariable}=${process.pid}-${performance.timeOrigin}`;
  try {
    const started = start(program, args, { ...environment, [markVariable]: mark.slice(markVariable.length + 1) });
    child = started;
    const end = await new Promise<ForegroundEnd>((resolve, reject) => {
      started.once("error", reject);
      started.once("exit", (code, signal) => resolve(signal === null ? { code: code ?? 0 } : { signal }));
    });
    // Killed from elsewhere, a launcher leaves the agent in front of the terminal.
    if (end.signal !== undefined) passing ??= new PassedSignal(markedBy(mark), "SIGHUP");
    await passing?.endRest();
    // Whoever ended by itself has tidied up.
    if (end.signal !== undefined || passing !== undefined || (end.code ?? 0) > 128) terminal?.restore();
    return end;
  } finally {
    passing?.dispose();
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
}

/** A signal on its way through what a program has started. */
class PassedSignal {
  readonly #signal: NodeJS.Signals;
  readonly #below: Processes;
  readonly #later: NodeJS.Timeout;

  /** `below`: whom else it is for. It is told before the program gets the signal, as it can be told only while that lives. */
  constructor(below: Processes, signal: NodeJS.Signals) {
    this.#signal = signal;
    this.#below = below;
    this.#later = setTimeout(() => this.#send(signal), passOnMs);
  }

  /** The program has ended: so does what it left in front of the terminal, by force in the end. */
  async endRest(): Promise<void> {
    clearTimeout(this.#later);
    this.#send(this.#signal);
    const until = performance.now() + leftBehindMs;
    while (this.#rest().length > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    this.#send("SIGKILL");
  }

  dispose(): void {
    clearTimeout(this.#later);
  }

  #rest(): readonly number[] {
    return [...this.#below].filter(([pid, mark]) => factsOf(pid)?.mark === mark).map(([pid]) => pid);
  }

  #send(signal: NodeJS.Signals): void {
    for (const pid of this.#rest()) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended by itself.
      }
    }
  }
}

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** What no other process with this id has. */
  readonly mark: string;
  readonly isStopped: boolean;
}

/** Processes by their ids, each with a text that no other process with this id has. */
type Processes = ReadonlyMap<number, string>;

/** What a process has started in this process's group, as a terminal would signal it: commands of agents have groups of their own. */
function ownGroupBelow(pid: number): Processes {
  const all = allProcesses();
  const group = all.find((one) => one.pid === process.pid)?.group;
  const found = new Map<number, string>();
  let parents = new Set([pid]);
  while (parents.size > 0) {
    const children = all.filter((one) => parents.has(one.parent) && one.pid !== pid && !found.has(one.pid));
    for (const child of children) if (child.group === group) found.set(child.pid, child.mark);
    parents = new Set(children.filter((child) => child.group === group).map((child) => child.pid));
  }
  return found;
}

/** What runs in this process's group with this text in the environment that it was started with; only Linux tells. */
function markedBy(mark: string): Processes {
  const all = process.platform === "linux" ? allProcesses() : [];
  const group = all.find((one) => one.pid === process.pid)?.group;
  const isMarked = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark);
    } catch {
      return false;
    }
  };
  return new Map(all.filter((one) => one.group === group && isMarked(one.pid)).map((one) => [one.pid, one.mark]));
}

function allProcesses(): readonly ProcessFacts[] {
  if (process.platform === "win32") return [];
  if (process.platform !== "linux") return fromPs(["-ax"]);
  return readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? (factsOf(Number(name)) ?? []) : []));
}

/** Undefined for one that has ended, also where nobody has collected it yet. */
function factsOf(pid: number): ProcessFacts | undefined {
  if (process.platform !== "linux") return fromPs(["-p", String(pid)])[0];
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command's name may itself hold spaces and parentheses: the rest follows its last one. The 22nd field: when it was started.
    const [state = "", parent, group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    return { pid, parent: Number(parent), group: Number(group), mark: rest[16] ?? "", isStopped: state === "T" };
  } catch {
    return undefined;
  }
}

function fromPs(which: readonly string[]): readonly ProcessFacts[] {
  const options = { encoding: "utf8", timeout: 1_000, env: { ...process.env, LC_ALL: "C", TZ: "UTC" } } as const;
  const { stdout } = spawnSync("ps", [...which, "-o", "pid=,ppid=,pgid=,stat=,lstart="], options);
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [, pid, parent, group, state = "", mark = ""] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/u.exec(line) ?? [];
    if (pid === undefined || state.startsWith("Z")) return [];
    const isStopped = state.startsWith("T");
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), mark: mark.trim(), isStopped }];
  });
}

/** Whether keys such as Ctrl-C send signals now: not where an agent reads them itself, nor without a terminal. Then a program sent it. */
function doKeysSignal(): boolean {
  if (process.platform === "win32") return true;
  return /(?<![-\w])isig\b/u.test(stty("-a") ?? "");
}

/** What programs turn on in a terminal, and one that was killed leaves on: screen, cursor, paste, mouse, focus, keys, colours. */
const drawnUpon =
  "\u001B7\u001B[?1049l\u001B[?25h\u001B[?2004l\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l\u001B[?1004l\u001B[>4;0m\u001B[<u\u001B[0m";

/** Undefined where there is no terminal, or nothing that could be restored. */
function saveTerminal(): { restore(): void } | undefined {
  const isOurs = process.platform !== "win32" && (process.stdin.isTTY || process.stdout.isTTY);
  const saved = isOurs ? stty("-g")?.trim() : undefined;
  if (saved === undefined || saved === "") return undefined;
  return {
    restore: () => {
      stty(saved);
      try {
        if (process.stdout.isTTY) writeSync(1, drawnUpon);
      } catch {
        // The terminal is gone.
      }
    },
  };
}

/** Asks or sets this process's terminal; undefined where there is none. Bounded: whoever is in the background would be stopped. */
function stty(argument: string): string | undefined {
  let terminal: number | undefined;
  try {
    terminal = openSync("/dev/tty", "r");
    const stdio = [terminal, "pipe", "ignore"] as const;
    const { status, stdout } = spawnSync("stty", [argument], {
      stdio: [...stdio],
      encoding: "utf8",
      timeout: 1_000,
      killSignal: "SIGKILL",
    });
    return status === 0 ? stdout : undefined;
  } catch {
    return undefined;
  } finally {
    if (terminal !== undefined) closeSync(terminal);
  }
}

/** Ends as the program has ended, so that whoever waits for us sees the same; the code is for those who are not told of signals. */
export function endLike({ code, signal }: ForegroundEnd): number {
  if (signal === undefined) return code ?? 0;
  if (process.platform !== "win32") process.kill(process.pid, signal);
  return 128 + (constants.signals[signal] ?? 0);
}

function start(program: string, args: readonly string[], env: ForegroundProgram["environment"]): ChildProcess {
  if (process.platform !== "win32") return spawn(program, args, { stdio: "inherit", env });
  // Package managers leave scripts there, which only the command processor runs.
  const line = [program, ...args].map(quoteForCommandProcessor).join(" ");
  return spawn(process.env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", `"${line}"`], {
    stdio: "inherit",
    env,
    windowsVerbatimArguments: true,
  });
}

/** First for the program, then for the command processor, and once more for the script that hands it on. */
function quoteForCommandProcessor(word: string): string {
  const quoted = `"${word.replace(/(\\*)"/gu, '$1$1\\"').replace(/(\\*)$/u, "$1$1")}"`;
  const escape = (text: string): string => text.replace(/[()\][%!^"`<>&|;, *?]/gu, "^$&");
  return escape(escape(quoted));
}

/** Elsewhere than on Linux to ask is dear at each end of a child: there it is the shell's Ctrl-Z that stops both. */
function stopWith(child: ChildProcess | undefined): void {
  if (process.platform !== "linux" || child?.pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null && factsOf(child.pid)?.isStopped === true)
    process.kill(process.pid, "SIGSTOP");
}
