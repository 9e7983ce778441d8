import { everyHooked } from "../agents/index.ts";
import { poll } from "../support/poll.ts";
import { proposeByHook, waitForEnd, withHook, withHooks } from "./hooked.ts";
import { waitForContents } from "./propose.ts";
import { must, type Scenario } from "./scenario.ts";

const file = "hook-problems.json";
const before = '{\n  "one": 1,\n  "two": 2,\n  "two": 3\n}\n';

/** In the answer to its write the model reads what the language server says of it, and nothing that it said before. */
export const hookProblems: Scenario = {
  ...withHooks,
  name: "hook-problems",
  agents: everyHooked,
  isFor: ({ id }) => id === "vscode",
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile(file, before);
    await editor.openFile(file);
    // The key that is there twice, as a sign that the language server runs.
    await poll("the editor's problems", async () => ((await editor.countProblems?.()) ?? 0) > 0, { timeout: 60_000 });
    await withHook(world, id, async () => {
      const agent = await proposeByHook(world, id, { file, from: '"one": 1,', to: '"one": 1' }, { headless: true });
      await editor.acceptDiff();
      await waitForContents(world, file, before.replace('"one": 1,', '"one": 1'));
      const told = await waitForEnd(agent);
      must("the model is told of the new problem", /new problems in .*Expected comma/su.test(told));
      must("the model is told of no old one", !told.includes("Duplicate object key"));
    });
  },
};
