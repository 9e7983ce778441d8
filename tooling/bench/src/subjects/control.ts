import { createInterface } from "node:readline";

/** What the benchmark asks of a subject; see the README. */
export type ControlLine =
  | { readonly do: "stats" }
  | { readonly do: "open"; readonly path: string; readonly text: string }
  | { readonly do: "cursor"; readonly line: number; readonly character: number; readonly repeat: number }
  | { readonly do: "select"; readonly bytes: number }
  | { readonly do: "stop" };

export interface SubjectActions {
  readonly open: (path: string, text: string) => void;
  readonly cursor: (line: number, character: number) => void;
  readonly select: (bytes: number) => void;
  readonly stop: () => Promise<void>;
}

const startedAt = performance.now();

/** Tells the benchmark that the subject listens, and serves its lines until `stop`. */
export function serveControl(port: number, token: string, actions: SubjectActions): void {
  say({ port, token, readyMs: performance.now() - startedAt });
  createInterface({ input: process.stdin }).on("line", (text) => {
    void answer(JSON.parse(text), actions).then(say);
  });
}

async function answer(line: ControlLine, actions: SubjectActions): Promise<unknown> {
  switch (line.do) {
    case "stats":
      return stats();
    case "open":
      actions.open(line.path, line.text);
      return {};
    case "cursor":
      for (let step = 0; step < line.repeat; step += 1) actions.cursor(line.line, line.character + step);
      return {};
    case "select":
      actions.select(line.bytes);
      return {};
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
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  return { rss, heap: heapUsed + external, cpuMs: (user + system) / 1_000, timers };
}

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
