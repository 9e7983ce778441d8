import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
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

/** The terminal sends these to the program, too: it decides what comes of them. */
const fromTerminal = ["SIGINT", "SIGQUIT"] as const;
/** These come to us alone. */
const handedOn = ["SIGTERM", "SIGHUP", "SIGCONT"] as const;

/**
 * Runs a program that has this process's terminal to itself. Rejects with the system's error, with its `code`, where it cannot be
 * started.
 */
export async function runInForeground({ program, args, environment }: ForegroundProgram): Promise<ForegroundEnd> {
  let child: ChildProcess | undefined;
  const listeners: [NodeJS.Signals, () => void][] = [
    ...fromTerminal.map((signal): [NodeJS.Signals, () => void] => [signal, () => undefined]),
    ...handedOn.map((signal): [NodeJS.Signals, () => void] => [signal, () => void child?.kill(signal)]),
  ];
  // A program that stops itself, as many do at Ctrl-Z, leaves us in front of the shell: we stop with it.
  if (process.platform !== "win32") listeners.push(["SIGCHLD", () => stopWith(child)]);
  // Before there is a program that could be faster than we are.
  for (const [signal, listener] of listeners) process.on(signal, listener);
  try {
    const started = start(program, args, environment);
    child = started;
    return await new Promise<ForegroundEnd>((resolve, reject) => {
      started.once("error", reject);
      started.once("exit", (code, signal) => resolve(signal === null ? { code: code ?? 0 } : { signal }));
    });
  } finally {
    for (const [signal, listener] of listeners) process.off(signal, listener);
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

function stopWith(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null || !isStopped(child.pid)) return;
  process.kill(process.pid, "SIGSTOP");
}

/** Elsewhere than on Linux it cannot be told without another program: there it is the shell's Ctrl-Z that stops both. */
function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat
      .slice(stat.lastIndexOf(")") + 1)
      .trim()
      .startsWith("T");
  } catch {
    return false;
  }
}
