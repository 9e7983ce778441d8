import { TheiaDriver } from "../editors/theia/theia.ts";
import { poll } from "../support/poll.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForNoApproval,
  waitForNoDiff,
} from "./propose.ts";
import { mustEqual, type Scenario } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** What has no button: the diagnosis from the palette, and the keys that decide. */
export const commands: Scenario = {
  name: "commands",
  agents: ["gemini"],
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world, id) => {
    const theia = world.editor;
    if (!(theia instanceof TheiaDriver)) throw new Error("this scenario is about Theia");
    const { workbench } = theia;
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();

    await workbench.runCommand("Patchbay: Diagnose Connection");
    await workbench.currentTab.filter({ hasText: "Patchbay Diagnosis" }).waitFor({ timeout: 10_000 });
    let page = "";
    const tells = async (): Promise<boolean> => {
      page = (await workbench.page.locator(".patchbay-diagnosis").innerText()).replaceAll("\u00a0", " ");
      return page.includes(`${agent.kind.displayName}`) && page.includes("is connected.");
    };
    await poll("the diagnosis", tells, { timeout: 10_000, describe: () => `It says:\n${page}` });
    // What can be done about a finding is a click away.
    await workbench.page.locator(".patchbay-diagnosis").getByRole("button", { name: "Show Log" }).waitFor();
    if (!page.includes(world.lab.workspace)) throw new Error(`the diagnosis does not name the folder:\n${page}`);

    await world.writeFile("keys.txt", startContents);
    await started.focus();
    await propose(world, started, usualChange("keys.txt"));
    await theia.showDiff(diffTitle(agent, "keys.txt"));
    await theia.pressInDiff("Control+Alt+Shift+Enter");
    await waitForNoApproval(agent);
    await waitForNoDiff(world, agent, "keys.txt");
    mustEqual("keys.txt", await world.readFile("keys.txt"), startContents);

    await started.focus();
    await propose(world, started, usualChange("keys.txt"));
    await theia.showDiff(diffTitle(agent, "keys.txt"));
    await theia.pressInDiff("Control+Alt+Enter");
    await waitForContents(world, "keys.txt", changed);
    await waitForNoDiff(world, agent, "keys.txt");
  },
};
