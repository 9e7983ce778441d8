import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const module = join(import.meta.dirname, "..", "..", "src", "run", "foreground.ts");
const code = `const { runInForeground, endLike } = await import(${JSON.stringify(module)});
const [program, ...args] = process.argv.slice(1);
const keys = process.env.KEYS === undefined ? undefined : () => process.env.KEYS === "signal";
process.exitCode = endLike(await runInForeground({ program, args, environment: process.env }, keys));`;

function run(script: string, ...signals: readonly NodeJS.Signals[]) {
  return runWhere({}, script, ...signals);
}

function runWhere(where: Readonly<Record<string, string>>, script: string, ...signals: readonly NodeJS.Signals[]) {
  const args = ["--no-warnings", "--input-type=module", "-e", code, "sh", "-c", script];
  // In a group of its own, as a shell starts it.
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...where },
    detached: true,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let written = "";
  child.stdout.on("data", (chunk) => {
    written += String(chunk);
    if (written === "up\n") for (const signal of signals) child.kill(signal);
  });
  return { child, ended: once(child, "exit"), said: () => written };
}

/** One that has ended is none any more, even where nobody collects it. */
function isAlive(pid: number): boolean {
  return /^[^Z]/u.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim());
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
    const { ended } = runWhere({ KEYS: "signal" }, "echo up; sleep 0.3; exit 5", "SIGINT", "SIGQUIT");
    expect(await ended).toEqual([5, null]);
  });

  it("gets what a program sends in place of the keys, where those send nothing", async () => {
    const script = 'trap "echo bye; exit 4" INT; echo up; while :; do sleep 0.05; done';
    const { ended, said } = runWhere({ KEYS: "are read" }, script, "SIGINT");
    expect(await ended).toEqual([4, null]);
    expect(said()).toBe("up\nbye\n");
  });

  it("hands a signal on to what a launcher has started that ignores it", async () => {
    const agent = 'trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.05; done';
    const { ended, said } = run(
      `trap : TERM; sh -c '${agent}' & while kill -0 $! 2>/dev/null; do wait $!; done; exit 8`,
      "SIGTERM",
    );
    expect(await ended).toEqual([8, null]);
    expect(said()).toBe("up\nbye\n");
  });

  it("leaves nothing of a program that ends before what it has started, and never asks that twice", async () => {
    const agent = 'trap "echo bye" HUP; echo $$; echo up; while :; do sleep 0.05; done';
    const { child, ended, said } = run(`sh -c '${agent}' & wait`);
    await expect.poll(said, { timeout: 20_000 }).toMatch(/up/u);
    child.kill("SIGHUP");
    expect(await ended).toEqual([null, "SIGHUP"]);
    expect(isAlive(Number.parseInt(said(), 10))).toBe(false);
    expect(said().match(/bye/gu)).toHaveLength(1);
  });

  it.runIf(process.platform === "linux")("ends what a launcher leaves that was killed", async () => {
    const { ended, said } = run("sh -c 'echo $$; while :; do sleep 0.05; done' & sleep 0.2; kill -KILL $$");
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(isAlive(Number.parseInt(said(), 10))).toBe(false);
  });

  it("leaves alone what the program has started in a group of its own", async () => {
    const { child, ended, said } = run("set -m; sleep 600 & echo $!; echo up; wait");
    await expect.poll(said, { timeout: 20_000 }).toMatch(/up/u);
    const other = Number.parseInt(said(), 10);
    child.kill("SIGTERM");
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect(process.kill(other, 0)).toBe(true);
    process.kill(other, "SIGKILL");
  });

  it.runIf(existsSync("/usr/bin/script"))(
    "leaves the terminal as it was when the program is killed in it",
    async () => {
      const agent = 'stty raw -echo; printf "\\033[?1049h"; kill -KILL $$';
      const start = [process.execPath, "--no-warnings", "--input-type=module", "-e", code, "sh", "-c", agent];
      const quoted = start.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      const terminal = spawn("/usr/bin/script", ["-qec", `stty -g; ${quoted}; echo "code $?"; stty -g`, "/dev/null"]);
      onTestFinished(() => void terminal.kill("SIGKILL"));
      let shown = "";
      terminal.stdout.on("data", (chunk) => (shown += String(chunk)));
      await once(terminal, "close");
      const [before, after] = shown.match(/[0-9a-f]+(?::[0-9a-f]+){10,}/gu) ?? [];
      expect(after).toBe(before);
      expect(shown).toContain("code 137");
      expect(shown.indexOf("\u001B[?1049l")).toBeGreaterThan(shown.indexOf("\u001B[?1049h"));
    },
  );

  it.runIf(process.platform === "linux")("has us stop with it, and go on with it", async () => {
    const { child, ended, said } = run("echo up; kill -STOP $$; echo back; exit 6");
    const state = (): string => /\) (.)/u.exec(readFileSync(`/proc/${child.pid}/stat`, "latin1"))?.[1] ?? "";
    await expect.poll(state, { timeout: 20_000 }).toBe("T");
    child.kill("SIGCONT");
    expect(await ended).toEqual([6, null]);
    expect(said()).toBe("up\nback\n");
  });
});
