import { type ChildProcess, spawn } from "node:child_process";
import { linesOf } from "../../../../packages/core/src/support/line-reader.ts";
import type { ControlLine, StartFigures } from "../subjects/control.ts";

export interface SubjectStats {
  readonly rss: number;
  readonly heap: number;
  readonly timers: number;
}

/** Most a subject may take to start or to answer, ms. */
const patienceMs = 60_000;

/** Most a subject may take to stop, ms. */
const stopPatienceMs = 5_000;

/** One run of one subject: a fresh process that is ended with the measurement. */
export class SubjectProcess {
  readonly port: number;
  readonly token: string;
  /** From spawn to listening, as seen from outside. */
  readonly startMs: number;
  /** What the subject says of its own start; see `StartFigures`. */
  readonly start: StartFigures;
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
    this.startMs = startMs;
    this.start = ready;
  }

  static async start(
    command: readonly string[],
    folder: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<SubjectProcess> {
    const [program = "", ...args] = command;
    const before = performance.now();
    const child = spawn(program, [...args, folder], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...environment },
    });
    const lines = linesOf(child.stdout);
    const ready = parse(await withPatience(lines.next(), child));
    return new SubjectProcess(child, lines, ready, performance.now() - before);
  }

  async tell(line: ControlLine, patience: number = patienceMs): Promise<Readonly<Record<string, unknown>>> {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
    return parse(await withPatience(this.#lines.next(), this.#child, patience));
  }

  async stats(): Promise<SubjectStats> {
    const answer = await this.tell({ do: "stats" });
    return {
      rss: Number(answer["rss"]),
      heap: Number(answer["heap"]),
      timers: Number(answer["timers"]),
    };
  }

  /** CPU time since the start, ms. */
  async cpu(): Promise<number> {
    return Number((await this.tell({ do: "cpu" }))["cpuMs"]);
  }

  /** Does something and says what the event loop was blocked for at longest meanwhile, ms. */
  async longestBlock(work: () => Promise<void>): Promise<number> {
    await this.tell({ do: "watch" });
    await work();
    return Number((await this.tell({ do: "watched" }))["longestMs"]);
  }

  async stop(): Promise<number> {
    const answer = await this.tell({ do: "stop" }, stopPatienceMs);
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

async function withPatience(
  line: Promise<IteratorResult<string>>,
  child: ChildProcess,
  patience: number = patienceMs,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error("The subject did not answer in time."));
    }, patience);
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
