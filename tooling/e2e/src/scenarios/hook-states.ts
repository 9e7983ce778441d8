import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandLine } from "../agents/agent.ts";
import { everyAgent, kindOf } from "../agents/index.ts";
import { nodeBinary } from "../prerequisites/components.ts";
import { quote } from "../terminals/tmux.ts";
import { waitForScreen } from "../terminals/wait-for-screen.ts";
import { waitForEnd, waitForReview, withHook, withHooks } from "./hooked.ts";
import { killAgent } from "./killed.ts";
import { diffTitle, startContents, waitForContents } from "./propose.ts";
import type { Scenario } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** What an agent is doing, as `patchbay status --watch` says it: working, waiting for the user, and for what, idle, ended. */
export const hookStates: Scenario = {
  ...withHooks,
  name: "hook-states",
  agents: everyAgent,
  inServe: true,
  isFor: ({ id }) => id === "serve",
  run: async (world, id) => {
    const { editor, lab } = world;
    const kind = kindOf(id);
    const file = "hook-states.txt";
    await world.writeFile(file, startContents);
    const watching = await editor.openTerminal();
    await watching.type(`clear; ${[nodeBinary(), commandLine, "status", "--watch"].map(quote).join(" ")}`);
    await watching.press("Enter");
    const said = async (state: string): Promise<void> => {
      const screen = await waitForScreen(watching, new RegExp(`${kind.displayName}.* ${state}`, "u"), 30_000);
      await writeFile(join(lab.root, `status-${state.split(" ", 1)[0]}.txt`), screen);
    };
    await withHook(world, id, async () => {
      const [mode] = kind.quietModes.filter(
        ({ arguments: [, name] }) => name === "yolo" || name === "bypassPermissions",
      );
      const { agent } = await world.startAgent(id, { isHooked: true, ...(mode === undefined ? {} : { mode }) });
      const path = join(lab.workspace, file);
      agent.model.play(...kind.commandTurns("sleep 4"), ...kind.editTurns(path, "first line", "FIRST line"));
      await agent.ask(`Please change ${file} for me`);
      await said("working");
      await waitForReview(world, agent, file);
      await said(`waits for you: .*${file}`);
      await editor.showDiff(diffTitle(agent, file));
      await editor.acceptDiff();
      await waitForContents(world, file, changed);
      await waitForEnd(agent);
      await said("idle");
      await killAgent(world, id);
      await said("ended");
    });
  },
};
