import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const module = join(import.meta.dirname, "..", "..", "src", "run", "foreground.ts");
const code = `const { runInForeground, endLike } = await import(${JSON.stringify(module)});
const [program, ...args] = process.argv.slice(1);
process.exitCode = endLike(await runInForeground({ program, args, environment: process.env }));`;

function run(script: string, ...signals: readonly NodeJS.Signals[]) {
  const args = ["--no-warnings", "--input-type=module", "-e", code, "sh", "-c", script];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let written = "";
  child.stdout.on("data", (chunk) => {
    written += String(chunk);
    if (written === "up\n") for (const signal of signals) child.kill(signal);
  });
  return { child, ended: once(child, "exit"), said: () => written };
}

describe.skipIf(process.platform === "win32")("a program in the foreground", () => {
  it("gives its exit code", async () => {
    expect(await run("exit 7").ended).toEqual([7, null]);
  });

  it("gives the signal that ended it", async () => {
    expect(await run("kill -TERM $$").ended).toEqual([null, "SIGTERM"]);
  });

  it("gets the signals that are sent to us", async () => {
    const { ended, said } = run('trap "echo bye; exit 4" TERM; echo up; while :; do sleep 0.05; done', "SIGTERM");
    expect(await ended).toEqual([4, null]);
    expect(said()).toBe("up\nbye\n");
  });

  it("decides itself about the keys of the terminal, which sends them to both", async () => {
    const { ended } = run("echo up; sleep 0.3; exit 5", "SIGINT", "SIGQUIT");
    expect(await ended).toEqual([5, null]);
  });

  it.runIf(process.platform === "linux")("has us stop with it, and go on with it", async () => {
    const { child, ended, said } = run("echo up; kill -STOP $$; echo back; exit 6");
    const state = (): string => /\) (.)/u.exec(readFileSync(`/proc/${child.pid}/stat`, "latin1"))?.[1] ?? "";
    await expect.poll(state, { timeout: 20_000 }).toBe("T");
    child.kill("SIGCONT");
    expect(await ended).toEqual([6, null]);
    expect(said()).toBe("up\nback\n");
  });
});
