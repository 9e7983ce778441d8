import { type ChildProcess, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import type { ControlLine } from "../subjects/control.ts";

export interface SubjectStats {
  readonly rss: number;
  readonly heap: number;
  readonly cpuMs: number;
  readonly timers: number;
}

/** Most a subject may take to start or to answer, ms. */
const patienceMs = 60_000;

/** One run of one subject: a fresh process that is ended with the measurement. */
export class SubjectProcess {
  readonly port: number;
  readonly token: string;
  readonly readyMs: number;
  /** From spawn to listening, as seen from outside. */
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    child: ChildProcess,
    lines: AsyncIterator<string>,
    ready: Readonly<Record<string, unknown>>,
    startMs: number,
  ) {
    this.#child = child;
    this.#lines = lines;
    this.port = Number(ready["port"]);
    this.token = String(ready["token"]);
    this.readyMs = Number(ready["readyMs"]);
    this.startMs = startMs;
  }

  static async start(command: readonly string[], folder: string): Promise<SubjectProcess> {
    const [program = "", ...args] = command;
    const before = performance.now();
    const child = spawn(program, [...args, folder], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = linesOf(createInterface({ input: child.stdout }));
    const ready = parse(await withPatience(lines.next(), child));
    return new SubjectProcess(child, lines, ready, performance.now() - before);
  }

  async tell(line: ControlLine): Promise<Readonly<Record<string, unknown>>> {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
    return parse(await withPatience(this.#lines.next(), this.#child));
  }

  async stats(): Promise<SubjectStats> {
    const answer = await this.tell({ do: "stats" });
    return {
      rss: Number(answer["rss"]),
      heap: Number(answer["heap"]),
      cpuMs: Number(answer["cpuMs"]),
      timers: Number(answer["timers"]),
    };
  }

  async stop(): Promise<number> {
    const answer = await this.tell({ do: "stop" });
    await this.end();
    return Number(answer["stopMs"]);
  }

  /** Ends the process, whatever it does. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}

function linesOf(input: Interface): AsyncIterator<string> {
  return input[Symbol.asyncIterator]();
}

async function withPatience(line: Promise<IteratorResult<string>>, child: ChildProcess): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error("The subject did not answer in time."));
    }, patienceMs);
  });
  try {
    const { value, done } = await Promise.race([line, late]);
    if (done === true) throw new Error("The subject ended before it answered.");
    return value;
  } finally {
    clearTimeout(timer);
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
