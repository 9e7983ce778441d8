import { type Agent, prepareAgent } from "../agents/agent.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { pause, poll } from "../support/poll.ts";
import { TmuxTerminal } from "../terminals/tmux.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents, waitForNoApproval } from "./propose.ts";
import { everyAgent, kindOf } from "../agents/index.ts";
import { mustEqual, type Scenario } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** How long the agent's question must stand unanswered after the restart, ms: an answer in the user's name came at once. */
const undecidedMs = 3_000;

/**
 * The backend ends in the middle of a review, with an agent in a terminal outside of Theia, and comes back: nothing is
 * decided, and what the user typed is there. Gemini CLI and Qwen Code wait for the verdict and have it, with nobody's doing;
 * Claude Code's connection has gone, so that its terminal decides, and the text is kept for the user.
 */
export const backendRestart: Scenario = {
  name: "backend-restart",
  agents: everyAgent,
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world, id) => {
    const theia = world.editor;
    if (!(theia instanceof TheiaDriver)) throw new Error("this scenario is about Theia");
    await world.writeFile("restart.txt", startContents);
    const agent = await prepareAgent(kindOf(id), world.lab);
    const terminal = new TmuxTerminal();
    try {
      const command = [agent.launcher];
      await terminal.start({ directory: world.lab.workspace, env: world.lab.env, command });
      await agent.waitUntilReady(terminal);
      if (id === "claude") await chooseEditor(agent);
      await agent.waitForConnection();
      const started = { agent, focus: async () => {} };
      await propose(world, started, usualChange("restart.txt"));
      await theia.showDiff(diffTitle(agent, "restart.txt"));
      await theia.typeInDiff(" typed before the end");
      await pause(1_500);
      await theia.restartHost(world.lab);
      await pause(undecidedMs);
      await agent.waitForScreen(agent.kind.approval);
      mustEqual("restart.txt", await world.readFile("restart.txt"), startContents);
      const tab = theia.workbench.mainTabs().filter({ hasText: "restart.txt" });
      await tab.waitFor({ timeout: 20_000 });
      await tab.click();
      const text = theia.workbench.editor.locator(".editor.modified");
      await poll("the text typed before", async () => /typed.before.the.end/.test(await text.innerText()), {
        timeout: 10_000,
      });
      const edited = changed.replace("FIRST line", "FIRST line typed before the end");
      if (id === "claude") {
        await agent.acceptInTerminal();
        await waitForNoApproval(agent);
        await waitForContents(world, "restart.txt", changed);
        // Its terminal wrote its own version; what was typed is put onto that.
        await theia.saveKept();
        await waitForContents(world, "restart.txt", edited);
        await tab.waitFor({ state: "detached", timeout: 10_000 });
        await chooseEditor(agent);
      } else {
        await theia.acceptDiff();
        await waitForContents(world, "restart.txt", edited);
        await agent.waitForScreen(/All done\./);
      }
      const status = theia.workbench.page.locator("#theia-statusBar");
      const isBack = async (): Promise<boolean> => (await status.innerText()).includes(agent.kind.displayName);
      await poll("the agent in the status bar", isBack, { timeout: 30_000 });
      await pause(1_000);
      await world.writeFile("again.txt", startContents);
      await propose(world, started, usualChange("again.txt"));
      await theia.showDiff(diffTitle(agent, "again.txt"));
      await theia.acceptDiff();
      await waitForContents(world, "again.txt", changed);
    } finally {
      await terminal.dispose();
      agent.dispose();
    }
  },
};

/** Chooses the editor in Claude Code's list, unless it is chosen: in a terminal outside of an editor it chooses none by itself. */
async function chooseEditor(agent: Agent): Promise<void> {
  const { terminal, kind } = agent;
  await agent.ask(kind.statusCommand);
  const list = await agent.waitForScreen(/Connect to an IDE/);
  if (kind.connected.test(list)) await agent.leaveStatusMenu();
  else {
    await terminal.press("Up");
    await agent.waitForScreen(/❯\s+Theia/);
    await terminal.press("Enter");
    // The first time it asks whether it should always do so; its own answer is no.
    const question = /Connect to your IDE automatically/;
    const screen = await agent.waitForScreen(new RegExp(`${question.source}|${kind.ready.source}`, "m"));
    if (question.test(screen)) {
      // Right after it was drawn it does not take keys yet.
      await pause(500);
      await terminal.press("Enter");
    }
  }
  await agent.waitForScreen(kind.ready);
}
