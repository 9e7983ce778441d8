import { createHmac, randomBytes } from "node:crypto";
import { toDisposable } from "../support/disposable.ts";
import type { Clock } from "../support/time.ts";
import { createNodeFiles } from "./node-files.ts";
import { createNodeProcessFacts } from "./node-process.ts";
import { inheritedDescriptor, type Platform, type Processes, type ProgramPipe, type Random } from "./platform.ts";
import { Socket } from "node:net";
import { parse } from "node:path";
import process from "node:process";
import { Writable } from "node:stream";

/**
 * The machine as Node 20 and later sees it. Reads nothing and starts nothing by itself; child processes (macOS, for facts
 * about processes) are loaded when first needed, because their module alone costs milliseconds of an editor's start.
 */
export function createNodePlatform(): Platform {
  return {
    clock: nodeClock,
    random: nodeRandom,
    files: createNodeFiles(),
    process: createNodeProcessFacts(),
    processes: nodeProcesses,
  };
}

/** Bytes drawn at once: to draw costs about the same for a few of them. */
const drawnBytes = 1_024;
let drawn: Buffer = Buffer.alloc(0);

/** Each byte is given out once and wiped. */
function takeToken(byteLength: number): string {
  if (drawn.length < byteLength) drawn = randomBytes(Math.max(byteLength, drawnBytes));
  const bytes = drawn.subarray(0, byteLength);
  drawn = drawn.subarray(byteLength);
  const token = bytes.toString("base64url");
  bytes.fill(0);
  return token;
}

const nodeRandom: Random = {
  token: takeToken,
  mac: (key, text) => createHmac("sha256", key).update(text, "utf8").digest("base64url"),
};

/** Node's clocks. Its timers never keep the process alive: an editor that wants to end must not wait for a debounce. */
const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, delayMs) => {
    // Node warns of a negative delay, which a moment that has just passed makes.
    const timer = setTimeout(callback, Math.max(0, delayMs));
    timer.unref();
    return toDisposable(() => clearTimeout(timer));
  },
};

/** Starts programs. */
export const nodeProcesses: Processes = { startAttached, startDetached };

/** How long the program may take to go down the pipe, ms. */
const handOverMs = 1_000;

/** The program comes down this one: standard input would be closed with the shell that is between. */
const pipeNumber = 3;

/**
 * A host that ends may end what it finds below itself (Theia does, by the ids of parents, whatever process group they are
 * in). So a shell is between, which is over at once: whose parent has ended belongs to the system's first process.
 */
function orphaning(...parameters: readonly string[]): Command {
  const args = ["-c", `"$0" "$@" <&${pipeNumber} ${pipeNumber}<&- &`, process.execPath, ...parameters];
  return { command: "/bin/sh", args };
}

/** Without that shell: Windows has none, and few other systems lack it. */
function asChild(...parameters: readonly string[]): Command {
  return { command: process.execPath, args: parameters };
}

interface Spawning {
  readonly command: Command;
  /** The descriptor down which the program comes. */
  readonly input: number;
  /** See `Processes.startDetached`. */
  readonly descriptor: number | undefined;
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** Starts a program with the Node (or Electron as Node) that runs us. See `Processes`. */
async function startDetached(program: string, descriptor: number | undefined): Promise<boolean> {
  const apart = { command: orphaning("-"), input: pipeNumber, descriptor };
  const started = process.platform === "win32" ? "no-command" : await startApart(apart, program);
  const below = { command: asChild("-"), input: 0, descriptor };
  return (started === "no-command" ? await startApart(below, program) : started) === "started";
}

/** `failed`: it did not take the program, or perhaps a part of it. */
async function startApart(spawning: Spawning, program: string): Promise<"started" | "failed" | "no-command"> {
  const child = spawnApart(spawning);
  const { input } = spawning;
  if (child === undefined) return "failed";
  return await new Promise((resolve) => {
    const pipe = child.stdio[input];
    const end = (how: "started" | "failed"): void => {
      clearTimeout(timer);
      child.unref();
      resolve(child.pid === undefined ? "no-command" : how);
    };
    const timer = setTimeout(() => end("failed"), handOverMs);
    child.on("error", () => end("failed"));
    if (!(pipe instanceof Writable)) return;
    pipe.on("error", () => end("failed"));
    // The shell's end comes last: only then has the program lost its parent.
    const isOver = new Promise<void>((over) => (input === 0 ? over() : child.once("exit", () => over())));
    pipe.end(program, () => void isOver.then(() => end("started")));
  });
}

/** Starts a program that has a pipe to us as `input`; undefined where nothing can be started at all. */
function spawnApart(spawning: Spawning): import("node:child_process").ChildProcess | undefined {
  // Not an import: see node-process.ts.
  const childProcess =
    typeof process.getBuiltinModule === "function" ? process.getBuiltinModule("node:child_process") : undefined;
  const { command, input, descriptor } = spawning;
  const { NODE_OPTIONS: _ours, ...environment } = process.env;
  return childProcess?.spawn(command.command, command.args, {
    detached: true,
    windowsHide: true,
    // No folder of the user is kept busy.
    cwd: parse(process.execPath).root,
    stdio: Array.from({ length: inheritedDescriptor + 1 }, (_, number) => {
      if (number === input) return "pipe";
      return number === inheritedDescriptor ? (descriptor ?? "ignore") : "ignore";
    }),
    env: { ...environment, ELECTRON_RUN_AS_NODE: "1" },
  });
}

/**
 * Reads the program from its first line, and calls it with those that follow. It is all that stands in the arguments; what
 * costs memory is loaded by the program once it has something to do.
 */
const reader = `let rest="",program;const{stdin}=process;stdin.setEncoding("utf8");
stdin.on("data",(text)=>{const lines=(rest+text).split("\\n");rest=lines.pop();
for(const line of lines)program===undefined?(program=(0,eval)(JSON.parse(line))):program(line)});
stdin.on("error",()=>undefined);stdin.on("close",()=>program===undefined?process.exit():program());`;

/** See `Processes.startAttached`. */
async function startAttached(program: string, descriptor: number | undefined): Promise<ProgramPipe | undefined> {
  const apart = { command: orphaning("-e", reader), input: pipeNumber, descriptor };
  const started = process.platform === "win32" ? undefined : await startChild(apart, program);
  return started ?? (await startChild({ command: asChild("-e", reader), input: 0, descriptor }, program));
}

async function startChild(spawning: Spawning, program: string): Promise<ProgramPipe | undefined> {
  const child = spawnApart(spawning);
  const pipe = child?.stdio[spawning.input];
  if (child === undefined || !(pipe instanceof Socket)) return undefined;
  const isOver = new Promise<void>((over) => {
    if (spawning.input === 0) child.once("exit", () => over());
    // The child is a shell that is over at once; the end of the program is that of the pipe, which is noticed in reading.
    else pipe.once("close", () => over()).resume();
  });
  return await new Promise((resolve) => {
    child.on("error", () => resolve(undefined));
    // It has ended, and what is sent from now on reaches nobody.
    pipe.on("error", () => resolve(undefined));
    child.on("spawn", () => {
      child.unref();
      pipe.unref();
      pipe.write(`${JSON.stringify(program)}\n`);
      resolve({
        get isOpen() {
          return pipe.writable;
        },
        send: (line) => {
          if (pipe.writable) pipe.write(`${line}\n`);
        },
        end: async () => {
          pipe.end();
          await isOver;
        },
      });
    });
  });
}
