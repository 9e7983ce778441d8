import { kindOf } from "../agents/index.ts";
import { poll } from "../support/poll.ts";
import { waitForEnd, waitForReview, withHook, withHooks } from "./hooked.ts";
import { diffTitle, startContents, waitForContents, waitForNoDiff } from "./propose.ts";
import { must, mustEqual, type Scenario } from "./scenario.ts";
import { inOneAnswer } from "./two-edits.ts";

/** Pi says which editor it is connected with, and its model reads what the user selects, once. */
export const piContext: Scenario = {
  ...withHooks,
  name: "hook-context",
  agents: ["pi"],
  isFor: ({ id }) => id !== "serve",
  run: async (world, id) => {
    const { editor } = world;
    const text = `selected by hand for ${id}`;
    await world.writeFile("selection.txt", startContents.replace("second line", text));
    await withHook(world, id, async () => {
      const { agent, focus } = await world.startAgent(id, { isHooked: true });
      await agent.waitForScreen(/Patchbay: /);
      must("its footer names the editor", (await agent.terminal.screen()).includes(`Patchbay: ${editor.displayName}`));
      const screen = await agent.waitForConnection();
      must("its command names the editor", screen.includes(`Connected to ${editor.displayName}`));
      await editor.openFile("selection.txt");
      await editor.selectLine(2);
      await focus();
      for (const prompt of ["Say what I selected", "Say it once more"]) {
        const before = agent.model.turnsAsked;
        await agent.ask(prompt);
        await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: 30_000 });
        await poll("the end of the turn", async () => !/Working/.test(await agent.terminal.screen()), {
          timeout: 30_000,
        });
      }
      const asked = agent.model.conversation.at(-1) ?? "";
      mustEqual("how often the model reads the selection", String(asked.split(text).length - 1), "1");
    });
  },
};

/** Two changes of one file in one answer: the second review shows the file as the first one leaves it, and both are written. */
export const piTwoEdits: Scenario = {
  ...withHooks,
  name: "hook-two-edits",
  agents: ["pi", "opencode", "kilo"],
  isFor: ({ id }) => id !== "serve",
  run: async (world, id) => {
    const { editor } = world;
    const file = "hook-two.txt";
    const path = await world.writeFile(file, startContents);
    const kind = kindOf(id);
    const edits = [kind.editTurns(path, "first line", "FIRST line"), kind.editTurns(path, "third line", "THIRD line")];
    await withHook(world, id, async () => {
      const prompt = `Please change ${file} for me`;
      const headless = { prompt, turns: inOneAnswer(edits) };
      const { agent } = await world.startAgent(id, { isHooked: true, headless });
      const title = diffTitle(agent, file);
      const isShown = async (line: string): Promise<boolean> => {
        if (!(await editor.openDiffs()).some((one) => title.test(one))) return false;
        await editor.showDiff(title);
        return (await editor.diffText?.())?.includes(line) ?? true;
      };
      await waitForReview(world, agent, file);
      await poll("the first review", () => isShown("FIRST line"), { timeout: 30_000 });
      await editor.typeInDiff(" then typed");
      await editor.acceptDiff();
      await poll("the second review", () => isShown("THIRD line"), {
        timeout: 30_000,
        describe: () => agent.terminal.screen(),
      });
      // Pi asks about both before it writes the first; opencode has written it by then.
      const isWritten = id !== "pi";
      const first = startContents.replace("first line", "FIRST line then typed");
      mustEqual(file, await world.readFile(file), isWritten ? first : startContents);
      const text = await editor.diffText?.();
      must("the second review has the first one's text", text?.includes("FIRST line then typed") ?? true);
      await editor.acceptDiff();
      await waitForContents(world, file, "FIRST line then typed\nsecond line\nTHIRD line\n");
      await waitForEnd(agent);
      await waitForNoDiff(world, agent, file);
    });
  },
};

/** Escape in the terminal takes the review back, and nothing more of that answer is asked. */
export const piEscape: Scenario = {
  ...withHooks,
  name: "hook-escape",
  agents: ["pi", "opencode", "kilo"],
  inServe: true,
  run: async (world, id) => {
    const file = "hook-escape.txt";
    const path = await world.writeFile(file, startContents);
    await withHook(world, id, async () => {
      const { agent, focus } = await world.startAgent(id, { isHooked: true });
      const { kind, model } = agent;
      const edits = [kind.editTurns(path, "first line", "FIRST line"), kind.writeTurns(`${path}.new`, "new\n")];
      model.play(...inOneAnswer(edits));
      await agent.ask(`Please change ${file} for me`);
      await agent.waitUntilAsking(agent.terminal);
      await waitForReview(world, agent, file);
      await focus();
      await (kind.interrupt ?? kind.reject)(agent.terminal);
      await waitForNoDiff(world, agent, file);
      await agent.waitForScreen(/aborted|interrupted/i);
      must("nothing more of that answer is asked", (await world.editor.openDiffs()).length === 0);
      mustEqual(file, await world.readFile(file), startContents);
      must("nothing is written", (await world.readFile(`${file}.new`).catch(() => undefined)) === undefined);
    });
  },
};
