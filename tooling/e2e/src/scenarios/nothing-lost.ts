import { pause, poll } from "../support/poll.ts";
import { diffTitle, propose, startContents, usualChange, waitForContents } from "./propose.ts";
import { everyAgent } from "../agents/index.ts";
import { mustEqual, type Scenario } from "./scenario.ts";

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
    // Drawn a moment later where a terminal was just moved or loaded again.
    await agent.waitForScreen(agent.kind.approval);
    mustEqual("autosave.txt", await world.readFile("autosave.txt"), startContents);
    await editor.acceptDiff();
    await waitForContents(world, "autosave.txt", changed.replace("FIRST line", "FIRST line unsaved"));
    await editor.setAutoSave?.(false);
  },
};

/** Text that is not saved yet is part of what the review compares, at once and without a question, and of what is written. */
export const unsavedFile: Scenario = {
  name: "unsaved-file",
  agents: everyAgent,
  isFor: (editor) => editor.setAutoSave !== undefined && editor.diffText !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("unsaved.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await editor.setAutoSave?.(false);
    await editor.openFile("unsaved.txt");
    await editor.typeInFile?.("typed ");
    await started.focus();
    await propose(world, started, { file: "unsaved.txt", from: "third line", to: "THIRD line" });
    await editor.showDiff(diffTitle(agent, "unsaved.txt"));
    const wanted = "typed first line\nsecond line\nTHIRD line\n";
    await poll("both in the review", async () => (await editor.diffText?.())?.trimEnd() === wanted.trimEnd(), {
      timeout: 10_000,
      describe: async () => (await editor.diffText?.()) ?? "",
    });
    mustEqual("unsaved.txt", await world.readFile("unsaved.txt"), startContents);
    await editor.acceptDiff();
    await waitForContents(world, "unsaved.txt", wanted);
  },
};
