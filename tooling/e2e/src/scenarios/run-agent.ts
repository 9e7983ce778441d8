import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Agent, prepareAgent } from "../agents/agent.ts";
import { everyAgent, kindOf } from "../agents/index.ts";
import type { EditorTerminal } from "../editors/editor-driver.ts";
import { poll } from "../support/poll.ts";
import { waitForScreen } from "../terminals/wait-for-screen.ts";
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
    const alone = await codeOf(terminal, own, "alone");
    own.dispose();
    must(`${id} refuses an option that it does not have`, alone !== "0");
    const run = await prepareAgent(kindOf(id), world.lab, {}, { run: wrong });
    mustEqual("the exit code", await codeOf(terminal, run, "run"), alone);
    run.dispose();
    const fine = await prepareAgent(kindOf(id), world.lab, {}, { run: ["--version"] });
    mustEqual("the exit code", await codeOf(terminal, fine, "fine"), "0");
    fine.dispose();
  },
};

/** A signal for `patchbay run` is one for the agent, and an agent that was killed looks killed. */
export const runStops: Scenario = {
  ...started,
  name: "run-stops",
  agents: everyAgent,
  run: async (world, id) => {
    const { lab } = world;
    for (const [who, signal] of [
      [`run-${id}-pid`, "SIGTERM"],
      [`pid-${id}`, "SIGKILL"],
    ] as const) {
      const { agent } = await world.startAgent(id, { run: [] });
      // The shell says so itself once it has its terminal back.
      const pid = await pidIn(world, who);
      const others = await Promise.all([`run-${id}-pid`, `pid-${id}`].map((name) => pidIn(world, name)));
      process.kill(pid, signal);
      await poll("the end of both", () => others.every((one) => !isAlive(one)), {
        timeout: 15_000,
        describe: () => agent.terminal.screen(),
      });
      await agent.terminal.press("Control+U");
      const code = await typeForCode(agent.terminal, signal);
      if (signal === "SIGKILL") mustEqual("the exit code", code, "137");
      must(`the shell of ${lab.workspace} is told of the end`, /^\d+$/u.test(code));
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

/** What the shell says of the end of the agent. */
async function codeOf(terminal: EditorTerminal, agent: Pick<Agent, "launcher">, mark: string): Promise<string> {
  await terminal.type(`${agent.launcher}; echo "${mark}: "$?`);
  return await codeAfter(terminal, mark);
}

async function typeForCode(terminal: Agent["terminal"], mark: string): Promise<string> {
  await terminal.type(`echo "${mark}: "$?`);
  return await codeAfter(terminal, mark);
}

async function codeAfter(terminal: Agent["terminal"], mark: string): Promise<string> {
  await terminal.press("Enter");
  const said = new RegExp(`^${mark}: (\\d+)$`, "mu");
  return said.exec(await waitForScreen(terminal, said, 60_000))?.[1] ?? "";
}
