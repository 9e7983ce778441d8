import { prepareAgent } from "../agents/agent.ts";
import { agents } from "../agents/index.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { pause, poll } from "../support/poll.ts";
import { TmuxTerminal } from "../terminals/tmux.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents, waitForNoApproval } from "./propose.ts";
import { everyAgent, mustEqual, type Scenario } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/**
 * The backend ends in the middle of a review, with an agent in a terminal outside of Theia: the agent's question has an
 * end, what the user typed is there after the restart, and the agent can be used again.
 */
export const backendRestart: Scenario = {
  name: "backend-restart",
  agents: everyAgent,
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world, id) => {
    const theia = world.editor;
    if (!(theia instanceof TheiaDriver)) throw new Error("this scenario is about Theia");
    await world.writeFile("restart.txt", startContents);
    const agent = await prepareAgent(agents[id], world.lab);
    const terminal = new TmuxTerminal();
    try {
      const command = [agent.launcher];
      await terminal.start({ directory: world.lab.workspace, env: world.lab.env, command });
      await agent.waitUntilReady(terminal);
      await agent.waitForConnection();
      const started = { agent, focus: async () => {} };
      await propose(world, started, usualChange("restart.txt"));
      await theia.showDiff(diffTitle(agent, "restart.txt"));
      await theia.typeInDiff(" typed before the end");
      await pause(1_500);
      await theia.restartBackend(world.lab);
      await waitForNoApproval(agent);
      mustEqual("restart.txt", await world.readFile("restart.txt"), startContents);
      const tab = theia.workbench.mainTabs().filter({ hasText: "restart.txt" });
      await tab.waitFor({ timeout: 20_000 });
      await tab.click();
      const text = theia.workbench.editor.locator(".editor.modified");
      await poll("the text typed before", async () => /typed.before.the.end/.test(await text.innerText()), {
        timeout: 10_000,
      });
      await theia.workbench.toolbarItem("Reject").click();
      // Claude Code looks for its editor again by itself; the others have given up before a page is loaded anew.
      if (id !== "claude") await agent.ask("/ide enable");
      const status = theia.workbench.page.locator("#theia-statusBar");
      const isBack = async (): Promise<boolean> => (await status.innerText()).includes(agent.kind.displayName);
      await poll("the agent in the status bar", isBack, { timeout: 30_000 });
      await pause(1_000);
      await propose(world, started, usualChange("restart.txt"));
      await theia.showDiff(diffTitle(agent, "restart.txt"));
      await theia.acceptDiff();
      await waitForContents(world, "restart.txt", changed);
    } finally {
      await terminal.dispose();
      agent.dispose();
    }
  },
};
