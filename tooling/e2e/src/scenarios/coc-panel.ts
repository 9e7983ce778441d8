import { panelAgents } from "../agents/index.ts";
import { PanelProgram } from "../editors/page/panel-program.ts";
import { pause, poll } from "../support/poll.ts";
import { cocOf, isCoc } from "./coc-ways.ts";
import { diffTitle, startContents, waitForContents, waitForDiff, waitForNoDiff } from "./propose.ts";
import { must, type Scenario } from "./scenario.ts";

/** The panel in a browser beside the editor: its reviews open here, `:w` writes the user's text, and lines go from here into the composer. */
export const panelBeside: Scenario = {
  name: "panel-beside",
  group: "panel",
  agents: panelAgents,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    const file = "panel-beside.txt";
    await world.writeFile(file, startContents);
    await coc.openFile(file);
    const talk = await world.converse(id);
    const { agent, panel } = talk;
    agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/${file}`, "first line", "FIRST line"));
    await panel.send(`Please change ${file} for me`);
    await panel.waitForQuestion();
    await waitForDiff(world, agent, file);
    must("the status line counts the question", /1 question/.test(String(await coc.link.read("patchbay#status()"))));
    await coc.showDiff(diffTitle(agent, file));
    await coc.typeInDiff(" and more by hand");
    // What has just opened takes no verdict.
    await pause(1_000);
    await coc.command("w");
    // The window under the cursor was closed just before, which led here: that is said once.
    await poll(
      "the first verdict",
      async () => !(await world.readFile(file)).startsWith("first") || /has just opened/.test(await coc.pane.screen()),
      {
        timeout: 10_000,
      },
    );
    if (/has just opened/.test(await coc.pane.screen())) {
      // Whoever reads that takes longer than the half second in which a repeated key is none.
      await pause(700);
      await coc.command("w");
    }
    await waitForContents(world, file, startContents.replace("first line", "FIRST line and more by hand"));
    await panel.waitForNoQuestion();
    await panel.waitForText(/with changes/);
    await waitForNoDiff(world, agent, file);
    await panel.waitUntilIdle();

    await coc.openFile(file);
    await coc.command("2,3CocCommand patchbay.mention");
    await poll("a mention in the composer", async () => (await panel.text()).includes(`${file} 2`), {
      timeout: 10_000,
      describe: () => panel.text(),
    });
    agent.model.play({ kind: "text", text: "I see it." });
    await panel.send("What stands there?");
    await panel.waitForText(/I see it\./);
    must("the model is told of the file", (agent.model.conversation.at(-1) ?? "").includes(file));
  },
};

/** `patchbay panel` beside the editor: it shows what is selected here, and its reviews open here, too. */
export const panelPage: Scenario = {
  name: "panel-page",
  group: "panel",
  agents: panelAgents,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    const file = "panel-page.txt";
    await world.writeFile(file, startContents);
    const agent = await world.preparePanel(id);
    const program = new PanelProgram();
    await program.start(world.lab);
    try {
      const panel = await program.open();
      await panel.begin(agent.kind.displayName);
      await coc.openFile(file);
      await coc.selectLine(2);
      const chip = panel.frame.locator(".chip.selection");
      await chip.filter({ hasText: `${file} 2` }).waitFor({ timeout: 20_000 });
      await coc.selectLine(3);
      await chip.filter({ hasText: `${file} 3` }).waitFor({ timeout: 20_000 });
      agent.model.play({ kind: "text", text: "I see them." });
      await panel.send("What stands there?");
      await panel.waitForText(/I see them\./);
      must("the model is told what is selected", (agent.model.conversation.at(-1) ?? "").includes("third line"));
      await coc.pane.press("Escape");
      await poll("no selection in the composer", async () => (await chip.count()) === 0, { timeout: 20_000 });

      agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/${file}`, "first line", "FIRST line"));
      await panel.send(`Please change ${file} for me`);
      await panel.waitForQuestion();
      await waitForDiff(world, agent, file);
      await coc.showDiff(diffTitle(agent, file));
      await coc.typeInDiff(" from Vim");
      // What has just opened takes no verdict.
      await pause(1_000);
      await coc.acceptDiff();
      await waitForContents(world, file, startContents.replace("first line", "FIRST line from Vim"));
      await panel.waitForNoQuestion();
      await waitForNoDiff(world, agent, file);
      await panel.waitUntilIdle();
    } finally {
      await program.stop();
    }
  },
};
