import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { userInfo } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createNodeProcessFacts } from "../../src/platform/node-process.ts";

const refusing = (): never => {
  throw new Error("process.kill() is not allowed here");
};

/** The ways in which the facts are found: as on this system, in a sandbox without signals, and by `ps` as on macOS. */
const machines = [
  { name: "signals", facts: createNodeProcessFacts() },
  { name: "no signals, /proc", facts: createNodeProcessFacts({ kill: refusing, platform: "linux" }) },
  { name: "no signals, ps", facts: createNodeProcessFacts({ kill: refusing, platform: "darwin" }) },
  {
    name: "signals, ps",
    facts: createNodeProcessFacts({ kill: (pid, signal) => void process.kill(pid, signal), platform: "darwin" }),
  },
];

async function start(
  command: string,
  ...values: string[]
): Promise<{ child: ChildProcess; pid: number; line: string }> {
  const child = spawn(command, values, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  return { child, pid: child.pid ?? 0, line: String(line).trim() };
}

describe.skipIf(process.platform !== "linux").each(machines)("facts about processes ($name)", ({ facts }) => {
  it("tell a living process from one that was killed", async () => {
    const { child, pid } = await start("sh", "-c", "echo up; exec sleep 60");
    expect(facts.isAlive(process.pid)).toBe(true);
    const fresh = createNodeProcessFacts({ kill: refusing, platform: facts.platform });
    expect(fresh.isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(facts.isAlive(pid)).toBe(false);
    expect(await facts.startMark(pid)).toBeUndefined();
    expect(await facts.parentOf(pid)).toBeUndefined();
  });

  it("name parents, and give one process one start mark", async () => {
    const { pid, line } = await start("sh", "-c", "sleep 60 & echo $!; wait");
    expect(await facts.parentOf(pid)).toBe(process.pid);
    expect(await facts.parentOf(Number(line))).toBe(pid);
    const mark = await facts.startMark(pid);
    expect(mark).toMatch(/\d/);
    expect(await facts.startMark(pid)).toBe(mark);
    expect(await facts.startMark(1)).not.toBe(mark);
    process.kill(Number(line), "SIGKILL");
  });

  it("say that a process is stopped", async () => {
    const { pid } = await start("sh", "-c", "echo up; exec sleep 60");
    expect(await facts.stateOf?.(pid)).toMatch(/^[RS]$/u);
    process.kill(pid, "SIGSTOP");
    await expect.poll(() => facts.stateOf?.(pid)).toBe("T");
    process.kill(pid, "SIGCONT");
  });

  it("take no number for a process that is none", async () => {
    for (const pid of [0, -1, -process.pid, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 31 - 1]) {
      expect(facts.isAlive(pid)).toBe(false);
      expect(await facts.parentOf(pid)).toBeUndefined();
      expect(await facts.startMark(pid)).toBeUndefined();
    }
  });
});

describe.skipIf(process.platform !== "linux")("liveness", () => {
  it("does not take an ended process for a living one because its parent has not collected it", async () => {
    // The shell becomes `sleep`, which collects nobody.
    const { line } = await start("sh", "-c", "sleep 0.01 & echo $!; exec sleep 60");
    const pid = Number(line);
    for (const { facts } of machines.slice(0, 2)) {
      await expect.poll(() => facts.isAlive(pid), { timeout: 4_000 }).toBe(false);
    }
    expect(() => process.kill(pid, 0)).not.toThrow();
  });

  it("counts a process of another user as alive", () => {
    const refused = Object.assign(new Error("EPERM"), { code: "EPERM" });
    const facts = createNodeProcessFacts({
      kill: () => {
        throw refused;
      },
      platform: "freebsd",
    });
    // No `ps` could tell of this one: the refusal alone says that it is there.
    expect(facts.isAlive(2 ** 31 - 1)).toBe(true);
  });

  it("asks `ps` once for a burst of questions", async () => {
    const { child, pid } = await start("sh", "-c", "echo up; exec sleep 60");
    const facts = createNodeProcessFacts({ kill: refusing, platform: "darwin" });
    expect(facts.isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(facts.isAlive(pid)).toBe(true);
  });

  it("believes in life where it cannot be told", () => {
    const facts = createNodeProcessFacts({ kill: refusing, platform: "win32" });
    expect(facts.isAlive(2 ** 31 - 1)).toBe(true);
  });
});

describe("facts about this process", () => {
  it("are those of the system", () => {
    const facts = createNodeProcessFacts();
    expect(facts).toMatchObject({ pid: process.pid, ppid: process.ppid, platform: process.platform });
    expect(facts.environment("PATH")).toBe(process.env["PATH"]);
    expect(facts.environment("PATCHBAY_NO_SUCH_VARIABLE")).toBeUndefined();
  });

  it.skipIf(process.platform === "win32")("take no empty HOME for a home", () => {
    vi.stubEnv("HOME", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(createNodeProcessFacts().homeDirectory).toBe(userInfo().homedir);
  });

  it.skipIf(process.getuid?.() !== 0)("are there for a user that the system does not know, without HOME", async () => {
    const module = new URL("../../src/platform/node-process.ts", import.meta.url).href;
    const script = `const { createNodeProcessFacts } = await import(${JSON.stringify(module)}); console.log(createNodeProcessFacts().homeDirectory);`;
    const args = ["--input-type=module", "-e", script];
    const child = spawn(process.execPath, args, {
      uid: 54_321,
      env: { TMPDIR: "/tmp" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(child.stdout, "data");
    expect(String(line).trim()).toBe("/tmp");
  });
});
