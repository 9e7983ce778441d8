import type { EditorDriver } from "../editors/editor-driver.ts";
import { pause, poll } from "../support/poll.ts";
import { listenedAfter, waitUntilHeard } from "./heard.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoDiff,
} from "./propose.ts";
import { everyAgent } from "../agents/index.ts";
import { must, mustEqual, type Scenario } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** How long the user may be without the text once the review is there, milliseconds. */
const promised = 10_000;
/**
 * How long after the new run listens an agent may be without context, milliseconds. Until then the time is the editor's: VS Code
 * takes 4 to 10 s to start an extension again, as busy as the machine is.
 */
const hearsWithin = 4_000;

/**
 * The window goes in the middle of a review and comes back: without anybody's doing the agent hears again, what was typed
 * is there, and the review can be ended.
 */
export const reloadReview: Scenario = {
  name: "reload-review",
  agents: everyAgent,
  isFor: (editor) => editor.reload !== undefined,
  mayTell: /without your edits/,
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
    const left = (await editor.reload?.()) ?? 0;
    await waitForDiff(world, agent, "review.txt");
    await editor.showDiff(diffTitle(agent, "review.txt"));
    await poll("what was typed", async () => (await editor.readDiff()).includes("typed before the reload"), {
      timeout: promised,
      describe: async () => `The first line is ${JSON.stringify(await editor.readDiff())}`,
    });
    world.note("the draft is there after", Date.now() - left);
    // An editor whose connections outlive its window does not let the agent go.
    if (editor.keepsConnections !== true) {
      const at = await waitUntilHeard(world, id, { since: left, timeout: 30_000 });
      world.note("the agent hears again after", at - left);
      const took = at - (await listenedAfter(world, left));
      world.note("of which after Patchbay listened", took);
      must(`the agent hears again within ${hearsWithin} ms (${took})`, took <= hearsWithin);
    }
    mustEqual("review.txt", await world.readFile("review.txt"), startContents);
    // Claude Code does not ask again after a lost connection: its terminal keeps the question, and the editor what was typed.
    if (id === "claude" && editor.keepsConnections !== true) {
      await mustBeAnsweredInTerminal(editor);
      await started.focus();
      await agent.acceptInTerminal();
      await waitForContents(world, "review.txt", changed);
      if (editor.answerNotification === undefined) {
        await editor.showDiff(diffTitle(agent, "review.txt"));
        must("what was typed stays", (await editor.readDiff()).includes("typed before the reload"));
        await editor.rejectDiff();
      } else {
        const told = await editor.answerNotification("Apply My Edits");
        must(`the offer says what has happened (${told})`, /has written .*review\.txt without your edits\./.test(told));
        await waitForContents(world, "review.txt", changed.replace("FIRST line", "FIRST line typed before the reload"));
      }
    } else {
      await editor.acceptDiff();
      await waitForContents(world, "review.txt", changed.replace("FIRST line", "FIRST line typed before the reload"));
    }
    await agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, agent, "review.txt");
  },
};

/** Claude Code's proposal outlives the window untouched, too: its terminal answers, and the review goes once the file is written. */
export const reloadUntouched: Scenario = {
  name: "reload-untouched",
  agents: ["claude"],
  isFor: (editor) => editor.reload !== undefined && editor.keepsConnections !== true,
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile("untouched.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, usualChange("untouched.txt"));
    await editor.reload?.();
    await waitForDiff(world, agent, "untouched.txt");
    await editor.showDiff(diffTitle(agent, "untouched.txt"));
    await mustBeAnsweredInTerminal(editor);
    mustEqual("untouched.txt", await world.readFile("untouched.txt"), startContents);
    await started.focus();
    // Drawn a moment later where a terminal was just moved or loaded again.
    await agent.waitForScreen(agent.kind.approval);
    await agent.acceptInTerminal();
    await waitForContents(world, "untouched.txt", changed);
    await waitForNoDiff(world, agent, "untouched.txt");
    await agent.waitForScreen(/All done\./);
  },
};

/** The review in the foreground offers no verdict that would reach nobody. */
async function mustBeAnsweredInTerminal(editor: EditorDriver): Promise<void> {
  if (editor.titleActions === undefined) return;
  const listed = async (): Promise<string> => (await editor.titleActions?.())?.join("\n") ?? "";
  // The editor is still starting its extensions when the review is there again.
  const isSaid = async (): Promise<boolean> => {
    const actions = await listed();
    must(`it offers no verdict (${actions})`, !/\b(Accept|Reject)$/m.test(actions));
    return actions.includes("Answer in the Terminal");
  };
  await poll("the action that says where to answer", isSaid, { timeout: 10_000, describe: listed });
}
