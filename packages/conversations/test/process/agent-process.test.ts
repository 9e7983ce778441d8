import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { linesOf } from "@patchbay/core/json-input";
import { createFakeClock, type FakeClock, isMissing } from "@patchbay/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { AgentProcess, type ProcessExit } from "../../src/process/agent-process.ts";
import { createNodeChildren } from "../../src/process/node-children.ts";

const children = createNodeChildren();
const { clock: nodeClock } = createNodePlatform();

afterEach(() => children.endAllSync());

interface Started {
  readonly agent: AgentProcess;
  readonly heard: unknown[];
  readonly exits: ProcessExit[];
}

async function startNode(
  script: string,
  clock = nodeClock,
  program = process.execPath,
  cwd = tmpdir(),
): Promise<Started> {
  const request = {
    program,
    args: ["-e", script],
    cwd,
    environment: { PATH: process.env["PATH"] ?? "", SOME_TOKEN: "very-secret-value" },
  };
  const agent = new AgentProcess({ children, clock, logger: nullLogger }, request);
  const heard: unknown[] = [];
  const exits: ProcessExit[] = [];
  agent.onMessage((message) => heard.push(message));
  agent.onExit((exit) => exits.push(exit));
  await agent.start();
  return { agent, heard, exits };
}

async function untilHeard({ heard }: Started, count = 1): Promise<void> {
  await expect.poll(() => heard.length).toBeGreaterThanOrEqual(count);
}

/** Lets time pass until a promise has settled, 50 ms in each interval of real time, ms. */
async function passTimeUntil(clock: FakeClock, work: Promise<void>, interval = 20): Promise<number> {
  const begun = clock.monotonic();
  const state = { isOver: false };
  void work.then(() => (state.isOver = true));
  const passed = async (): Promise<boolean> => {
    await clock.advanceAsync(50);
    return state.isOver;
  };
  await expect.poll(passed, { interval }).toBe(true);
  return clock.monotonic() - begun;
}

/** Windows tells no signal, but some code. */
function endedBy(signal: string): object {
  return process.platform === "win32" ? { code: expect.any(Number) } : { signal };
}

function isAlive(pid: unknown): boolean {
  if (typeof pid !== "number") throw new Error("no pid");
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const say = (value: string): string => `process.stdout.write(JSON.stringify(${value}) + "\\n");`;
const echo = `process.stdin.on("data", (chunk) => process.stdout.write(chunk));`;
const stay = `setInterval(() => {}, 1000);`;
/** The same with a group of its own, as agents give their commands. */
const withStranger = `const c = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stay)}], { detached: true, stdio: "ignore" });
${say("c.pid")}`;
/** Starts a child that stays in its group and ignores nothing, and tells its id. */
const withChild = `const c = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stay)}], { stdio: "inherit" });
${say("c.pid")}`;

describe("the process of an agent", () => {
  it("takes messages in their order and tells what it says", async () => {
    const started = await startNode(echo);
    const large = "x".repeat(300_000);
    const sent = await Promise.all([
      started.agent.send({ n: 1, text: "ä€😀" }),
      started.agent.send({ n: 2, large }),
      started.agent.send([3]),
    ]);
    expect(sent).toEqual([true, true, true]);
    await untilHeard(started, 3);
    expect(started.heard).toEqual([{ n: 1, text: "ä€😀" }, { n: 2, large }, [3]]);
    await started.agent.stop({ inputMs: 2_000 });
    expect(started.exits).toEqual([{ code: 0, isExpected: true, lastErrors: "" }]);
    expect(await started.agent.send("late")).toBe(false);
  });

  it("tells its end once, behind its last line, with what it wrote to its standard error", async () => {
    const started = await startNode(
      `console.error("token very-secret-value"); console.error("it broke"); process.stdout.write("7"); process.exitCode = 3`,
    );
    await expect.poll(() => started.exits.length).toBe(1);
    expect(started.heard).toEqual([7]);
    expect(started.exits).toEqual([{ code: 3, isExpected: false, lastErrors: "token ***\nit broke" }]);
    expect(started.agent.exited).toEqual(started.exits[0]);
    await started.agent.stop({ inputMs: 0 });
    expect(started.exits).toHaveLength(1);
  });

  it("tells a signal that ended it", async () => {
    const started = await startNode(`process.kill(process.pid, "SIGKILL")`);
    await expect.poll(() => started.exits).toEqual([{ ...endedBy("SIGKILL"), isExpected: false, lastErrors: "" }]);
  });

  it("cannot be started where there is no such program, and says so", async () => {
    await expect(startNode("", nodeClock, "/nowhere/agent")).rejects.toThrow(/\/nowhere\/agent could not be started/u);
  });

  it("cannot be started in a folder that is not there, and says so", async () => {
    await expect(startNode("", nodeClock, process.execPath, "/nowhere")).rejects.toThrow(
      "The folder /nowhere does not exist.",
    );
  });

  it("is stopped at once where it was never started", async () => {
    const request = { program: process.execPath, args: [], cwd: tmpdir(), environment: {} };
    const agent = new AgentProcess({ children, clock: nodeClock, logger: nullLogger }, request);
    await agent.stop({ inputMs: 0 });
    expect(agent.pid).toBeUndefined();
  });

  it("is first told in its own words, then by the end of its input", async () => {
    const started = await startNode(`${say("'ready'")}${echo}process.stdin.on("end", () => process.exit(5));`);
    await untilHeard(started);
    const stopped = started.agent.stop({
      first: { say: () => void started.agent.send("interrupt"), waitMs: 0 },
      inputMs: 2_000,
    });
    await stopped;
    expect(started.heard).toEqual(["ready", "interrupt"]);
    expect(started.exits).toEqual([{ code: 5, isExpected: true, lastErrors: "" }]);
  });

  it("ends by a signal where it goes on behind the end of its input", async () => {
    const clock = createFakeClock();
    const started = await startNode(`${say("'ready'")}${stay}`, clock);
    await untilHeard(started);
    const took = await passTimeUntil(clock, started.agent.stop({ inputMs: 2_000 }));
    expect(took).toBeGreaterThanOrEqual(2_000);
    await expect.poll(() => started.exits).toEqual([{ ...endedBy("SIGTERM"), isExpected: true, lastErrors: "" }]);
  });

  it("is killed where it does not mind signals, after at most nine seconds in all", async () => {
    const clock = createFakeClock();
    const started = await startNode(`process.on("SIGTERM", () => {});${say("'ready'")}${stay}`, clock);
    await untilHeard(started);
    const stops = [1, 2].map(async () => {
      await started.agent.stop({ first: { say: () => undefined, waitMs: 60_000 }, inputMs: 60_000 });
    });
    const took = await passTimeUntil(
      clock,
      Promise.all(stops).then(() => undefined),
      // Nothing real is waited for until the end.
      5,
    );
    expect(took).toBeGreaterThanOrEqual(isMissing("signals to catch") ? 3_000 : 8_000);
    expect(took).toBeLessThanOrEqual(9_000);
    await expect.poll(() => started.exits).toEqual([{ ...endedBy("SIGKILL"), isExpected: true, lastErrors: "" }]);
  });

  it("takes what it started with it when it is stopped", async () => {
    const started = await startNode(`${withChild}${echo}process.stdin.on("end", () => process.exit(0));`);
    await untilHeard(started);
    const [child] = started.heard;
    expect(isAlive(child)).toBe(true);
    await started.agent.stop({ inputMs: 2_000 });
    await expect.poll(() => isAlive(child)).toBe(false);
  });

  it("does not wait long for what it leaves behind and does not mind signals", async () => {
    const clock = createFakeClock();
    const stubborn = `process.on("SIGTERM", () => {});${say("'ready'")}${stay}`;
    const spawned = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}], { stdio: "inherit" });`;
    const script = `const c = ${spawned}${say("c.pid")}process.stdin.on("end", () => process.exit(0)).resume();`;
    const started = await startNode(script, clock);
    await untilHeard(started, 2);
    const child = started.heard.find((one) => typeof one === "number");
    expect(await passTimeUntil(clock, started.agent.stop({ inputMs: 2_000 }))).toBeLessThan(5_000);
    await expect.poll(() => isAlive(child)).toBe(false);
  });

  it.skipIf(isMissing("facts about processes"))("takes with it what it started in a group of its own", async () => {
    const started = await startNode(`${withStranger}${echo}process.stdin.on("end", () => process.exit(0));`);
    await untilHeard(started);
    const [stranger] = started.heard;
    expect(isAlive(stranger)).toBe(true);
    await started.agent.stop({ inputMs: 2_000 });
    await expect.poll(() => isAlive(stranger)).toBe(false);
  });

  it("leaves nothing behind when it ends by itself", async () => {
    const started = await startNode(`${withChild}process.exit(1);`);
    await expect.poll(() => started.exits.length).toBe(1);
    const [child] = started.heard;
    await expect.poll(() => isAlive(child)).toBe(false);
    await started.agent.stop({ inputMs: 0 });
  });

  it("leaves nothing behind when it is killed", async () => {
    const started = await startNode(`${withChild}${stay}`);
    await untilHeard(started);
    const [child] = started.heard;
    process.kill(started.agent.pid ?? 0, "SIGKILL");
    await expect.poll(() => isAlive(child)).toBe(false);
    await expect.poll(() => started.exits).toEqual([{ ...endedBy("SIGKILL"), isExpected: false, lastErrors: "" }]);
  });

  it.skipIf(isMissing("facts about processes"))(
    "ends with an editor that is killed, with what it started in a group of its own",
    async () => {
      const editor = spawn(
        process.execPath,
        [
          "--conditions=@patchbay/source",
          fileURLToPath(new URL("./killed-editor.ts", import.meta.url)),
          `process.stdout.on("error", () => {});process.on("SIGTERM", () => {});${say("process.pid")}${withStranger}${stay}`,
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const heard: unknown[] = [];
      for await (const line of linesOf(editor.stdout)) {
        heard.push(JSON.parse(line));
        if (heard.length === 2) break;
      }
      const [agent, stranger] = heard;
      expect([isAlive(agent), isAlive(stranger)]).toEqual([true, true]);
      editor.kill("SIGKILL");
      await expect.poll(() => isAlive(stranger)).toBe(false);
      await expect.poll(() => isAlive(agent)).toBe(false);
    },
  );

  it("ends with the editor, with what it started, without another turn of the editor's", async () => {
    const started = await startNode(
      `process.on("SIGTERM", () => {});${withChild}${withStranger.replace("const c", "const d").replace("c.pid", "d.pid")}${stay}`,
    );
    await untilHeard(started, 2);
    const [child, stranger] = started.heard;
    children.endAllSync();
    await expect.poll(() => isAlive(child)).toBe(false);
    await expect.poll(() => isAlive(stranger)).toBe(false);
    await expect.poll(() => isAlive(started.agent.pid)).toBe(false);
  });
});
