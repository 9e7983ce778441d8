import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AgentId } from "@patchbay/core";
import { codex } from "../agents/codex.ts";
import { listenModelServer } from "../models/model-server.ts";
import {
  claudeBinary,
  codexBinary,
  geminiEntry,
  kiloBinary,
  nodeBinary,
  opencodeBinary,
  qwenEntry,
} from "../prerequisites/components.ts";
import { findProcesses, killTree } from "../support/processes.ts";
import { makePlace, type Place, type Situation } from "./place.ts";

const main = fileURLToPath(new URL("../../../../packages/cli/src/main.ts", import.meta.url));
const cli = ["--conditions=@patchbay/source", "--no-warnings", main];

/** How long an agent that has drawn its first screen is given to connect, ms: longer than any of them takes. */
const patienceMs = Number(process.env["PATIENCE"] ?? 15_000);

/** Longest that an agent may take until then, ms: on a busy machine it is many seconds. */
const longestStartMs = 60_000;

/** What an agent writes at least when it draws its screen, bytes: more than the questions that it asks its terminal before. */
const screenBytes = 1_000;

/** How long a slow editor stands still, ms: until after the doctor has asked it, and after the agent has. Neither gives it up for that. */
const slowMs = { doctor: 5_000, agent: 10_000 };

const programs: Partial<Record<AgentId, () => readonly string[]>> = {
  gemini: () => [nodeBinary(), geminiEntry()],
  qwen: () => [nodeBinary(), qwenEntry()],
  claude: () => [claudeBinary()],
  opencode: () => [opencodeBinary()],
  kilo: () => [kiloBinary()],
  codex: () => [codexBinary()],
};

/** What an agent is asked to do that meets an editor only with what it writes. */
const prompts: Partial<Record<AgentId, string>> = { codex: "Write the file for me" };

/** What came of it. */
export interface Said {
  /** What the agent does by the doctor's word, and what it does. */
  readonly doctor: Situation["does"];
  readonly agent: Situation["does"];
  /** Levels and codes. */
  readonly findings: readonly string[];
}

/** Makes a situation, in a home of its own, and has the doctor and then the agent meet it. */
export async function meet({ agent, make, isSlow = false }: Situation): Promise<Said> {
  const { root, ...empty } = makePlace(dirname(nodeBinary()));
  const { bin, folder, environment, put } = empty;
  const prompt = prompts[agent];
  const model = prompt === undefined ? undefined : await listenModelServer(codex.protocol);
  model?.play(...codex.writeTurns(join(folder, "written.txt"), "by the agent\n"));
  const program = (programs[agent]?.() ?? []).map((word) => `'${word}'`).join(" ");
  put(join(bin, agent), `#!/bin/sh\nexec ${program} "$@"\n`);
  const editor = spawn(nodeBinary(), [...cli, "serve", "--json", folder], {
    env: { ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface({ input: editor.stdout }).on("line", (line) => lines.push(line));
  try {
    await until(() => lines.some((line) => /"port":\d+/u.test(line)), 60_000);
    const port = /"port":(\d+)/u.exec(lines.join("\n"))?.[1] ?? "";
    const place: Place = { root, ...empty, port, modelUrl: model?.url };
    await make?.(place);
    if (isSlow) holdUp(editor, slowMs.doctor);
    const findings = await diagnose(agent, place);
    const seen = lines.length;
    if (isSlow) holdUp(editor, slowMs.agent);
    const line = [join(bin, agent), ...(prompt === undefined ? [] : [`'${prompt}'`])].join(" ");
    const terminal = spawn("script", ["-qfec", line, "/dev/null"], {
      env: environment,
      cwd: folder,
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    let written = 0;
    terminal.stdout.on("data", (piece: Buffer) => (written += piece.length));
    let isEnded = false;
    terminal.on("exit", () => (isEnded = true));
    const sign = prompt === undefined ? '"connected"' : '"proposal"';
    const isConnected = (): boolean => lines.slice(seen).some((told) => told.includes(sign));
    const isDecided = (): boolean => isEnded || isConnected();
    await until(() => isDecided() || written >= screenBytes, longestStartMs);
    await until(isDecided, patienceMs);
    const does = isConnected() ? "connects" : isEnded ? "ends" : "stays away";
    end(terminal);
    return { doctor: outcomeOf(findings), agent: does, findings };
  } finally {
    editor.stdin.end();
    editor.kill("SIGCONT");
    editor.kill();
    model?.close();
    // What it has started in the background outlives its terminal.
    if (prompt !== undefined) for (const pid of await findProcesses(root, /codex/u)) await killTree(pid);
    await wait(300);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whether all three agree, and the doctor says why. */
export function isRight({ does, says }: Situation, { doctor, agent, findings }: Said): boolean {
  return doctor === does && agent === does && findings.some((finding) => finding.endsWith(` ${says}`));
}

/** What the agent does where the doctor finds this. */
function outcomeOf(findings: readonly string[]): Situation["does"] {
  if (findings.includes("problem settings-not-json")) return "ends";
  const isIn = findings.includes("ok connects") || findings.some((one) => one.endsWith(" takes-other-folder"));
  return isIn ? "connects" : "stays away";
}

async function diagnose(agent: AgentId, { folder, environment }: Place): Promise<readonly string[]> {
  const report = await output(nodeBinary(), [...cli, "doctor", "--json", "--agent", agent, folder], environment);
  const { findings }: { findings: readonly { level: string; code: string }[] } = JSON.parse(report);
  return findings.map(({ level, code }) => `${level} ${code}`);
}

function holdUp(editor: ChildProcess, forMs: number): void {
  editor.kill("SIGSTOP");
  setTimeout(() => editor.kill("SIGCONT"), forMs);
}

/** A terminal and what runs in it. */
function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

async function until(isSo: () => boolean, limitMs: number): Promise<void> {
  const began = performance.now();
  while (!isSo() && performance.now() - began < limitMs) await wait(100);
}

async function output(command: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (piece) => (text += String(piece)));
  await new Promise((resolve) => child.on("close", resolve));
  return text;
}
