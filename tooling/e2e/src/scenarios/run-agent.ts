import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Agent, prepareAgent } from "../agents/agent.ts";
import { everyAgent, kindOf, readersToo } from "../agents/index.ts";
import { poll } from "../support/poll.ts";
import type { Terminal } from "../terminals/terminal.ts";
import { withHooks } from "./hooked.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents, waitForNoDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

/** What these have in common: they are no part of the usual runs of an editor. */
const started: Pick<Scenario, "group" | "inServe" | "isFor"> = {
  ...withHooks,
  inServe: true,
  isFor: ({ id }) => id === "serve",
};

/** `patchbay run <agent>`, by somebody who has the agent and has never met an editor's companion, to a change that was accepted. */
export const runAccept: Scenario = {
  ...started,
  name: "run-accept",
  agents: readersToo,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("run.txt", startContents);
    const begun = Date.now();
    const one = await world.startAgent(id, { run: [] });
    await editor.waitForAgent?.(one.agent.kind.displayName);
    // Gemini CLI is told to look for an editor in its first prompt, and takes another one only after that.
    if (id === "gemini") await one.agent.waitForScreen(one.agent.kind.connected);
    world.note("connected after", Date.now() - begun);
    await propose(world, one, usualChange("run.txt"));
    await editor.showDiff(diffTitle(one.agent, "run.txt"));
    await editor.acceptDiff();
    await waitForContents(world, "run.txt", startContents.replace("first line", "FIRST line"));
    await one.agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, one.agent, "run.txt");
  },
};

/** The same in a terminal of an editor. */
export const runAcceptInEditor: Scenario = {
  ...runAccept,
  inServe: false,
  agents: ["gemini"],
  isFor: ({ id }) => id === "vscode",
};

/** How the agent ends is how `patchbay run` ends, for whoever waits for it. */
export const runEnds: Scenario = {
  ...started,
  name: "run-ends",
  agents: everyAgent,
  run: async (world, id) => {
    const terminal = await world.editor.openTerminal();
    const wrong = ["--no-such-option"];
    const own = await prepareAgent(kindOf(id), world.lab, {}, { mode: { arguments: wrong } });
    const alone = await codeOf(world, terminal, own);
    own.dispose();
    must(`${id} refuses an option that it does not have`, alone !== "0");
    const run = await prepareAgent(kindOf(id), world.lab, {}, { run: wrong });
    mustEqual("the exit code", await codeOf(world, terminal, run), alone);
    run.dispose();
    const fine = await prepareAgent(kindOf(id), world.lab, {}, { run: ["--version"] });
    mustEqual("the exit code", await codeOf(world, terminal, fine), "0");
    fine.dispose();
  },
};

/** A signal for `patchbay run` ends the agent with all that it consists of; an agent that was killed looks killed; the terminal is fine. */
export const runStops: Scenario = {
  ...started,
  name: "run-stops",
  agents: everyAgent,
  run: async (world, id) => {
    // Gemini CLI's launcher, which the other scenarios do without, ignores signals.
    const environment = { GEMINI_CLI_NO_RELAUNCH: "" };
    for (const [who, signal] of [
      [`run-${id}-pid`, "SIGTERM"],
      [`run-${id}-pid`, "SIGHUP"],
      [`pid-${id}`, "SIGKILL"],
    ] as const) {
      const { agent } = await world.startAgent(id, { run: [], environment });
      const pid = await pidIn(world, who);
      const others = await groupOf(await pidIn(world, `run-${id}-pid`));
      must("the agent runs in the group of its start", others.length > 1);
      process.kill(pid, signal);
      await poll(
        `the end of all after ${signal}`,
        async () => !(await Promise.all(others.map(isAlive))).includes(true),
        {
          timeout: 15_000,
          describe: async () => `${others.join(" ")}\n${await agent.terminal.screen()}`,
        },
      );
      await agent.terminal.press("Control+U");
      const code = await codeAfter(world, agent.terminal);
      // Of the others agents make what they want.
      if (signal === "SIGKILL") mustEqual("the exit code", code, "137");
      const modes = join(world.lab.root, "modes");
      must("the terminal tells its modes", (await codeAfter(world, agent.terminal, `stty -a > ${modes}; `)) === "0");
      const told = await readFile(modes, "utf8");
      for (const mode of ["icanon", "echo", "isig"]) must(`with ${mode}`, told.split(/\s+/u).includes(mode));
    }
  },
};

/** All processes in the group of one. */
async function groupOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-ax", "-o", "pid=,pgid="]);
  const all = stdout.split("\n").map((line) => line.trim().split(/\s+/u).map(Number));
  const group = all.find(([one]) => one === pid)?.[1];
  return all.filter(([, of]) => of === group).flatMap(([one = 0]) => (one === 0 ? [] : [one]));
}

async function pidIn({ lab }: World, name: string): Promise<number> {
  return Number(await readFile(join(lab.root, name), "utf8"));
}

/** One that has ended is none any more, even where nobody collects it. */
async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "stat=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return /^[^Z]/u.test(stdout.trim());
}

/** What the shell says of the end of the agent that it is told to run. */
async function codeOf(world: World, terminal: Terminal, agent: Pick<Agent, "launcher">): Promise<string> {
  return await codeAfter(world, terminal, `${agent.launcher}; `);
}

/** What the shell says of what it ran last; in a file, because an agent that was stopped leaves its drawing on the screen. */
async function codeAfter({ lab }: World, terminal: Terminal, command = ""): Promise<string> {
  const file = join(lab.root, "code");
  await rm(file, { force: true });
  await terminal.type(`${command}echo $? > ${file}`);
  await terminal.press("Enter");
  return await poll("the exit code", async () => /\d+/u.exec(await readFile(file, "utf8").catch(() => ""))?.[0], {
    timeout: 60_000,
    describe: () => terminal.screen(),
  });
}
