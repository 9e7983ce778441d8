import { monitorEventLoopDelay } from "node:perf_hooks";
import { LineReader } from "../../../../packages/core/src/support/line-reader.ts";
import { countTimers } from "./count-timers.ts";

/** What the benchmark asks of a subject; see the README. */
export type ControlLine =
  | { readonly do: "stats" }
  | { readonly do: "cpu" }
  | { readonly do: "open"; readonly path: string; readonly text: string }
  | { readonly do: "cursor"; readonly line: number; readonly character: number; readonly repeat: number }
  | { readonly do: "select"; readonly line: number; readonly character: number; readonly repeat: number }
  | { readonly do: "watch" }
  | { readonly do: "watched" }
  | { readonly do: "reviews"; readonly count: number }
  | { readonly do: "figures" }
  | { readonly do: "stop" };

export interface SubjectActions {
  readonly open: (path: string, text: string) => void | Promise<void>;
  readonly cursor: (line: number, character: number) => void;
  /** From the start of the file to that place. */
  readonly select: (line: number, character: number) => void;
  /** Resolves when the editor shows so many reviews. Absent where it shows none. */
  readonly reviews?: (count: number) => Promise<void>;
  /** Of a part of ours that is measured by itself. */
  readonly figures?: () => Promise<Readonly<Record<string, number>>>;
  readonly stop: () => Promise<void>;
}

/** What a subject says of its own start, where it has the notion. */
export interface StartFigures {
  /** Loading the code, ms. */
  readonly loadMs?: number;
  /** From activation to listening with records written: ms on the clock, and of the main thread's time. */
  readonly activationMs?: number;
  readonly activationCpuMs?: number;
  /** Bytes that loading and activation have added. */
  readonly addedRss?: number;
  readonly addedHeap?: number;
  /** Bytes of the code that loading reads, and of all of it. */
  readonly loadedCode?: number;
  readonly wholeCode?: number;
  /** False: places are named and no cursor moves. */
  readonly hasCursor?: boolean;
  /** Where it lives: an agent with these variables finds it. */
  readonly home?: string;
  readonly temporaryDirectory?: string;
}

const startedAt = performance.now();
const timers = countTimers();
const output = process.stdout;
// One millisecond: what is looked for is longer.
const loop = monitorEventLoopDelay({ resolution: 1 });

/** Tells the benchmark that the subject listens, and serves its lines until `stop`. */
export function serveControl(
  where: { readonly port: number; readonly token: string },
  actions: SubjectActions,
  start: StartFigures = {},
  input: NodeJS.ReadableStream = process.stdin,
): void {
  say({ ...where, readyMs: performance.now() - startedAt, ...start });
  const lines = new LineReader({ onLine: (text) => void answer(JSON.parse(text), actions).then(say) });
  input.on("data", (chunk: Uint8Array) => lines.push(chunk));
  // The benchmark was ended in the middle: nobody says `stop` any more.
  input.on("close", () => {
    void actions.stop().finally(() => process.exit(0));
  });
}

/** What the process takes now, after a garbage collection. */
export function memoryNow(): { readonly rss: number; readonly heap: number } {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}

async function answer(line: ControlLine, actions: SubjectActions): Promise<unknown> {
  switch (line.do) {
    case "stats":
      return stats();
    case "cpu":
      return { cpuMs: cpuNow() };
    case "open":
      await actions.open(line.path, line.text);
      return {};
    case "cursor":
    case "select":
      for (let step = 0; step < line.repeat; step += 1) actions[line.do](line.line, line.character + step);
      return {};
    case "watch":
      loop.reset();
      loop.enable();
      return {};
    case "watched":
      loop.disable();
      return { longestMs: loop.max / 1e6 };
    case "reviews":
      await actions.reviews?.(line.count);
      return {};
    case "figures":
      return (await actions.figures?.()) ?? {};
    case "stop": {
      const before = performance.now();
      await actions.stop();
      const stopMs = performance.now() - before;
      setImmediate(() => process.exit(0));
      return { stopMs };
    }
  }
}

function stats(): unknown {
  const memory = memoryNow();
  return { ...memory, timers: timers() };
}

/** CPU time of all threads since the start, ms. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function say(value: unknown): void {
  output.write(`${JSON.stringify(value)}\n`);
}
