import { copyFile, mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { findPackage } from "../editors/find-package.ts";
import { theiaDirectory } from "../editors/theia/server.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { ensureInstalled } from "../prerequisites/cache.ts";
import { theiaWithPlugins } from "../prerequisites/theia.ts";
import { ScenarioWorld } from "../runner/world.ts";
import { createLab, type Lab } from "../support/lab.ts";
import { poll } from "../support/poll.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents, waitForNoDiff } from "./propose.ts";
import { mustEqual, type Scenario, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** What our VS Code extension says in its log where the native edition serves. */
const standsBack = /The native Patchbay edition of .* serves this window\./;

/**
 * Our VS Code extension as a plugin in a Theia that has the native edition: one of the two serves the window. In a lab and
 * an application of its own, because a Theia that runs plugins is another, and slower to start.
 */
export const besidePlugin: Scenario = {
  name: "plugin",
  agents: "all",
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async ({ editor }) => {
    if (!(editor instanceof TheiaDriver)) throw new Error("this scenario is about Theia");
    await ensureInstalled(theiaWithPlugins, (line) => console.log(line));
    const lab = await createLab();
    const theia = new TheiaDriver(editor.tarball, theiaWithPlugins);
    const world = new ScenarioWorld(theia, lab, undefined);
    try {
      await installPlugin(lab);
      await theia.start(lab);
      await waitForPlugin(theia);
      mustEqual("the records of Claude Code", String((await namesIn(lab.home, ".claude", "ide")).length), "1");
      await reviewOnce(world, theia);
    } finally {
      world.dispose();
      await theia.stop();
      await lab.dispose();
    }
  },
};

/** Puts our packaged VS Code extension where the backend unpacks and starts what the user has installed. */
async function installPlugin(lab: Lab): Promise<void> {
  const plugins = join(theiaDirectory(lab), "plugins");
  await mkdir(plugins, { recursive: true });
  const packaged = process.env["PATCHBAY_E2E_VSIX"] ?? findPackage("vscode", ".vsix");
  await copyFile(packaged, join(plugins, basename(packaged)));
}

/** The plugin has been started and has said that it leaves the window alone. */
async function waitForPlugin(theia: TheiaDriver): Promise<void> {
  const { workbench } = theia;
  let seen = "";
  const hasSaid = async (): Promise<boolean> => {
    seen = await workbench.readOutput("Patchbay");
    return standsBack.test(seen);
  };
  await poll("the plugin's word", hasSaid, { timeout: 60_000, describe: () => `Its log is:\n${seen}` });
}

/** The native edition's buttons and keys do what they do without the plugin. */
async function reviewOnce(world: World, theia: TheiaDriver): Promise<void> {
  await world.writeFile("beside.txt", startContents);
  const started = await world.startAgent("claude");
  const { agent } = started;
  await agent.waitForConnection();
  await propose(world, started, usualChange("beside.txt"));
  await theia.showDiff(diffTitle(agent, "beside.txt"));
  const buttons = await theia.workbench.toolbarItems("Accept").count();
  mustEqual("the number of accept buttons", String(buttons), "1");
  await theia.saveDiff();
  await waitForContents(world, "beside.txt", changed);
  await waitForNoDiff(world, agent, "beside.txt");
}

async function namesIn(...path: readonly string[]): Promise<readonly string[]> {
  return await readdir(join(...path)).catch(() => []);
}
