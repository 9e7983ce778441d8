import { recordsOf } from "../agents/records.ts";
import { findPackage } from "../editors/find-package.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { TheiaWithPlugins } from "../editors/theia/theia-with-plugins.ts";
import { ensureInstalled } from "../prerequisites/cache.ts";
import { codeServer, codeServerExtension } from "../prerequisites/components.ts";
import { saveArtifacts } from "../runner/artifacts.ts";
import { ScenarioWorld } from "../runner/world.ts";
import { createLab } from "../support/lab.ts";
import { poll } from "../support/poll.ts";
import { diagnostics, diagnosticsOfOddPath, diagnosticsOfUnopened } from "./claude-only.ts";
import { hookProblems } from "./hook-problems.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents, waitForNoDiff } from "./propose.ts";
import { mustEqual, type Scenario, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** What our VS Code extension says in its log where the native edition serves. */
const standsBack = /The native Patchbay edition of .* serves this window\./;

/** Our VS Code extension as a plugin in a Theia that has the native edition: one of the two serves the window. */
export const besidePlugin: Scenario = {
  name: "plugin",
  agents: "all",
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (plain) => {
    const packaged = process.env["PATCHBAY_E2E_VSIX"] ?? findPackage("vscode", ".vsix");
    await inTheiaWithPlugins(plain, [packaged], async (world, theia) => {
      await waitForPlugin(theia);
      mustEqual("the records of Claude Code", String((await recordsOf(world.lab, "claude")).length), "1");
      await reviewOnce(world, theia);
    });
  },
};

/** What agents are told of problems, as in VS Code: they are found by VS Code's own JSON language server, as a plugin. */
export const theiaDiagnostics: readonly Scenario[] = [
  diagnostics,
  diagnosticsOfOddPath,
  diagnosticsOfUnopened,
  { ...hookProblems, agents: ["claude"] as const },
].map((scenario) => ({
  ...scenario,
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (plain, id) => {
    await ensureInstalled(codeServer, (line) => console.log(line));
    const json = ["json", "json-language-features"].map(codeServerExtension);
    await inTheiaWithPlugins(plain, json, (world) => scenario.run(world, id));
  },
}));

/** In a lab and an application of its own. */
async function inTheiaWithPlugins(
  plain: World,
  plugins: readonly string[],
  body: (world: World, theia: TheiaWithPlugins) => Promise<void>,
): Promise<void> {
  const { editor } = plain;
  if (!(editor instanceof TheiaDriver)) throw new Error("this scenario is about Theia");
  const lab = await createLab();
  const theia = new TheiaWithPlugins(editor.tarball, plugins);
  const world = new ScenarioWorld(theia, lab, undefined);
  try {
    await theia.start(lab);
    await body(world, theia);
  } catch (error) {
    // The run knows only the plain Theia, which has seen nothing of it.
    for (const file of await saveArtifacts("theia-with-plugins", error, world)) plain.tell(file);
    throw error;
  } finally {
    await world.dispose();
    await theia.stop();
    await lab.dispose();
  }
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
