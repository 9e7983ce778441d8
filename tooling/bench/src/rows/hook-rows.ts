import { spawn } from "node:child_process";
import { join } from "node:path";
import type { SubjectProcess } from "../client/subject-process.ts";
import { ownSubject } from "../report/results.ts";
import { type Measurement, median } from "./row.ts";

/** What agents run (`patchbay hook install`), as it is built. */
const program = join(import.meta.dirname, "..", "..", "..", "..", "packages", "cli", "dist", "patchbay-hook.cjs");

const rounds = 25;

/** What an agent waits for before each of its tools, where a hook of ours is installed. */
export const hookRows: readonly Measurement[] = [
  {
    rows: [
      { name: "a hook's call without an editor, beyond node -e 0", unit: "ms", goal: { figure: 20 } },
      { name: "a hook's start until the editor has its diff", unit: "ms", goal: { figure: 300 } },
    ],
    subjects: [ownSubject],
    measure: async (subject, folder) => {
      const beyond: number[] = [];
      const toDiff: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        // One right after the other: what the machine does besides meets both alike.
        const node = await timed(() => run(["-e", "0"], "", {}));
        beyond.push((await timed(() => run([program, "claude"], eventFor(folder, round), nowhere))) - node);
        toDiff.push(await timeToDiff(subject, folder, round));
      }
      return [median(beyond), median(toDiff.slice(5))];
    },
  },
];

/** No record of any editor is below it. */
const nowhere = { HOME: "/nonexistent", TMPDIR: "/nonexistent", CLAUDE_CONFIG_DIR: "/nonexistent" };

function eventFor(folder: string, round: number): string {
  return JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "bench",
    cwd: folder,
    permission_mode: "acceptEdits",
    tool_name: "Write",
    tool_input: { file_path: join(folder, "hooked.ts"), content: `export const round = ${round};\n` },
  });
}

/** The agent gives up as soon as the diff is there: its review goes with it. */
async function timeToDiff(subject: SubjectProcess, folder: string, round: number): Promise<number> {
  const { home = "", temporaryDirectory = "" } = subject.start;
  const before = performance.now();
  const hook = start([program, "claude"], eventFor(folder, round), { HOME: home, TMPDIR: temporaryDirectory });
  await subject.tell({ do: "reviews", count: 1 });
  const took = performance.now() - before;
  hook.process.kill("SIGKILL");
  await hook.ended;
  await subject.tell({ do: "reviews", count: 0 });
  return took;
}

async function run(
  args: readonly string[],
  input: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  await start(args, input, environment).ended;
}

function start(args: readonly string[], input: string, environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "ignore", "inherit"],
    env: { PATH: process.env["PATH"], ...environment },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.stdin.end(input);
  return { process: child, ended };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
