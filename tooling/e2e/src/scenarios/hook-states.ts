import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandLine } from "../agents/agent.ts";
import { everyHooked, kindOf } from "../agents/index.ts";
import { CocDriver } from "../editors/coc/coc.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { nodeBinary } from "../prerequisites/components.ts";
import { poll } from "../support/poll.ts";
import { quote } from "../terminals/tmux.ts";
import { unasking, waitForEnd, waitForReview, withHook, withHooks } from "./hooked.ts";
import { killAgent } from "./killed.ts";
import { diffTitle, startContents, waitForContents } from "./propose.ts";
import { must, type Scenario, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** Reads the edition's list of sessions, as it stands on the screen. */
async function openList({ editor }: World): Promise<() => Promise<string>> {
  if (editor instanceof VsCodeDriver) {
    await editor.workbench.runCommand("Patchbay: Show Connections");
    return async () => await editor.workbench.page.locator(".part.sidebar").innerText();
  }
  if (editor instanceof TheiaDriver) {
    await editor.workbench.runCommand("Patchbay: Show Reviews and Connections");
    return async () => await editor.workbench.page.locator(".patchbay-inbox").innerText();
  }
  if (editor instanceof CocDriver) {
    return async () => {
      await editor.command("Patchbay agents");
      const heading = "Agents: go to";
      const isListed = async (): Promise<boolean> => (await editor.pane.screen()).includes(heading);
      await poll("the list of agents", isListed, { timeout: 10_000 });
      const screen = await editor.pane.screen();
      await editor.pane.press("Escape");
      await poll("the end of the list", async () => !(await isListed()), { timeout: 10_000 });
      return screen;
    };
  }
  const watching = await editor.openTerminal();
  await watching.type(`clear; ${[nodeBinary(), commandLine, "status", "--watch"].map(quote).join(" ")}`);
  await watching.press("Enter");
  return async () => await watching.screen();
}

/**
 * What an agent is doing, as the editor's list and `patchbay status --watch` say it: working, waiting for the user, and for what, idle,
 * ended. Theia lists no session that has ended.
 */
export const hookStates: Scenario = {
  ...withHooks,
  name: "hook-states",
  agents: everyHooked,
  inServe: true,
  isFor: (editor) =>
    editor.id === "serve" ||
    editor instanceof VsCodeDriver ||
    editor instanceof TheiaDriver ||
    editor instanceof CocDriver,
  run: async (world, id) => {
    const { editor, lab } = world;
    const kind = kindOf(id);
    const file = "states.txt";
    await world.writeFile(file, startContents);
    await withHook(world, id, async () => {
      const { agent, focus } = await world.startAgent(id, unasking(id));
      const path = join(lab.workspace, file);
      agent.model.play(...kind.commandTurns("sleep 6"), ...kind.editTurns(path, "first line", "FIRST line"));
      await focus();
      await agent.ask(`Please change ${file} for me`);
      const list = await openList(world);
      const said = async (state: string): Promise<void> => {
        const words = new RegExp(`${kind.displayName}[^]*${state}`, "u");
        await poll(`an agent that is ${state}`, async () => words.test(await list()), {
          timeout: 30_000,
          describe: list,
        });
        await writeFile(join(lab.root, `status-${state.split(" ", 1)[0]}.txt`), await list());
      };
      await said("working");
      // With its first prompt it does much for the first time.
      await agent.waitUntilAsking(agent.terminal);
      await waitForReview(world, agent, file);
      await said(`waits for you: .*${file}`);
      await editor.showDiff(diffTitle(agent, file));
      await editor.acceptDiff();
      await waitForContents(world, file, changed);
      await focus();
      await waitForEnd(agent);
      await said("idle");
      await killAgent(world, id);
      if (editor instanceof TheiaDriver) {
        await poll("no session any more", async () => !/idle|working/u.test(await list()), {
          timeout: 30_000,
          describe: list,
        });
      } else await said("ended");
    });
  },
};

const news = /is waiting for your answer: |has finished: /u;

/** Who wants to be notified hears of an agent whose terminal they do not see: that it waits, and that it has finished. */
export const hookNotice: Scenario = {
  ...withHooks,
  name: "hook-notice",
  agents: everyHooked,
  mayTell: news,
  isFor: (editor) => editor instanceof VsCodeDriver || editor instanceof TheiaDriver,
  run: async (world, id) => {
    const { editor, lab } = world;
    if (!(editor instanceof VsCodeDriver || editor instanceof TheiaDriver)) return;
    const { page } = editor.workbench;
    const show = async (): Promise<string> =>
      editor instanceof VsCodeDriver
        ? await editor.answerNotification("Show")
        : await editor.workbench.readAndAnswer("Show");
    const file = "notice.txt";
    await world.writeFile(file, startContents);
    await editor.setSettings({ "patchbay.notify": "hiddenTerminal", "patchbay.diff.open": "background" });
    try {
      await withHook(world, id, async () => {
        const kind = kindOf(id);
        const { agent, focus } = await world.startAgent(id, unasking(id));
        const other = await editor.openTerminal();
        // Time to go elsewhere; without the comment Qwen Code refuses to sleep.
        const slow = kind.commandTurns("sleep 6 # intentional-sleep: a slow build");
        agent.model.play(...slow, ...kind.editTurns(join(lab.workspace, file), "first line", "FIRST line"));
        await focus();
        await agent.ask(`Please change ${file} for me`);
        await other.focus();
        const waits = await show();
        // Sessions of one agent are numbered.
        const says = (what: string): RegExp => new RegExp(`${kind.displayName}(?: \\d+)? ${what}`, "u");
        must(`it says which agent waits: ${waits}`, says("is waiting for your answer: ").test(waits));
        const tabs = page.locator(
          ".tabs-container .tab.active, #theia-main-content-panel .lm-TabBar-tab.lm-mod-current",
        );
        await tabs.filter({ hasText: diffTitle(agent, file) }).waitFor({ timeout: 15_000 });
        await editor.acceptDiff();
        await waitForContents(world, file, changed);
        const ends = await show();
        must(`it says which agent has finished: ${ends}`, says("has finished: ").test(ends));
        // It leads to its terminal.
        await waitForEnd(agent);
      });
    } finally {
      await editor.setSettings({});
    }
  },
};
