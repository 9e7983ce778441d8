import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Agent, prepareAgent } from "../agents/agent.ts";
import { everyAgent, kindOf } from "../agents/index.ts";
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
  agents: everyAgent,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("run.txt", startContents);
    const begun = Date.now();
    const one = await world.startAgent(id, { run: [] });
    await editor.waitForAgent?.(one.agent.kind.displayName);
    // Whom nobody has told to look for an editor is told so in its first prompt, and takes another one only after that.
    if (one.agent.kind.statusMenu === undefined) await one.agent.waitForScreen(one.agent.kind.connected);
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

/** A signal for `patchbay run` is one for the agent, and an agent that was killed looks killed. */
export const runStops: Scenario = {
  ...started,
  name: "run-stops",
  agents: everyAgent,
  run: async (world, id) => {
    for (const [who, signal] of [
      [`run-${id}-pid`, "SIGTERM"],
      [`pid-${id}`, "SIGKILL"],
    ] as const) {
      const { agent } = await world.startAgent(id, { run: [] });
      const pid = await pidIn(world, who);
      const others = await Promise.all([`run-${id}-pid`, `pid-${id}`].map((name) => pidIn(world, name)));
      process.kill(pid, signal);
      await poll("the end of both", () => others.every((one) => !isAlive(one)), {
        timeout: 15_000,
        describe: () => agent.terminal.screen(),
      });
      await agent.terminal.press("Control+U");
      const code = await codeAfter(world, agent.terminal);
      // Of the other one agents make what they want.
      if (signal === "SIGKILL") mustEqual("the exit code", code, "137");
    }
  },
};

async function pidIn({ lab }: World, name: string): Promise<number> {
  return Number(await readFile(join(lab.root, name), "utf8"));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
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
