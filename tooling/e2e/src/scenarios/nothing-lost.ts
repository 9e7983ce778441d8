import { pause, poll } from "../support/poll.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoDiff,
} from "./propose.ts";
import { everyAgent, must, mustEqual, type Scenario } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** An editor that saves by itself does not thereby accept. */
export const autosave: Scenario = {
  name: "autosave",
  agents: everyAgent,
  isFor: (editor) => editor.setAutoSave !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("autosave.txt", startContents);
    await world.writeFile("probe.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await editor.setAutoSave?.(true);
    // An ordinary file shows that the setting has arrived, and how soon it acts.
    await editor.openFile("probe.txt");
    await editor.typeInFile?.("typed ");
    await poll("a file saved by the editor", async () => (await world.readFile("probe.txt")).includes("typed"), {
      timeout: 30_000,
    });
    await started.focus();
    await propose(world, started, usualChange("autosave.txt"));
    await editor.showDiff(diffTitle(agent, "autosave.txt"));
    await editor.typeInDiff(" unsaved");
    // The slowest editor saves a second after the last key.
    await pause(2_500);
    must("the agent still asks", agent.kind.approval.test(await agent.terminal.screen()));
    mustEqual("autosave.txt", await world.readFile("autosave.txt"), startContents);
    await editor.acceptDiff();
    await waitForContents(world, "autosave.txt", changed.replace("FIRST line", "FIRST line unsaved"));
    await editor.setAutoSave?.(false);
  },
};

/** What was typed into a proposal outlives a reload of the window, and the agent still gets its answer. */
export const reloadReview: Scenario = {
  name: "reload-review",
  // Claude Code asks anew for nothing after a lost connection: its terminal keeps the question.
  agents: ["gemini", "qwen"],
  isFor: (editor) => editor.reload !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("review.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, usualChange("review.txt"));
    await editor.showDiff(diffTitle(agent, "review.txt"));
    await editor.typeInDiff(" typed before the reload");
    // What was typed is promised to be kept half a second later.
    await pause(700);
    await editor.reload?.();
    await waitForDiff(world, agent, "review.txt");
    await editor.showDiff(diffTitle(agent, "review.txt"));
    mustEqual("review.txt", await world.readFile("review.txt"), startContents);
    await editor.acceptDiff();
    await waitForContents(world, "review.txt", changed.replace("FIRST line", "FIRST line typed before the reload"));
    await agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, agent, "review.txt");
  },
};
