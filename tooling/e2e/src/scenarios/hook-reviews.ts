import { join } from "node:path";
import { everyAgent, kindOf, withReadersHooked } from "../agents/index.ts";
import { pause } from "../support/poll.ts";
import { proposeByHook, waitForEnd, waitForReview, withHook, withHooks } from "./hooked.ts";
import {
  diffTitle,
  qwenRefused,
  startContents,
  usualChange,
  waitForContents,
  waitForNoDiff,
  waitUntilTold,
} from "./propose.ts";
import { must, mustEqual, type Scenario } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

/** In every mode that never asks, and without a person, a write waits for the review. */
export const hookAccept: Scenario = {
  ...withHooks,
  name: "hook-accept",
  inServe: true,
  agents: withReadersHooked,
  run: async (world, id) => {
    const { quietModes } = kindOf(id);
    const starts = [...quietModes.map((mode) => ({ mode })), { headless: true }];
    await withHook(world, id, async () => {
      for (const [index, start] of starts.entries()) {
        const file = `hook-accept-${index}.txt`;
        await world.writeFile(file, startContents);
        const agent = await proposeByHook(world, id, usualChange(file), start);
        await world.editor.acceptDiff();
        await waitForContents(world, file, changed);
        await waitForEnd(agent);
        await waitForNoDiff(world, agent, file);
      }
    });
  },
};

/** What the user types into the review is what the agent writes, and the model is told. */
export const hookEdited: Scenario = {
  ...withHooks,
  name: "hook-edited",
  agents: withReadersHooked,
  run: async (world, id) => {
    const kind = kindOf(id);
    const wanted = changed.replace("FIRST line", "FIRST line and more by hand");
    await withHook(world, id, async () => {
      for (const headless of [false, true]) {
        const file = `hook-edited-${String(headless)}.txt`;
        await world.writeFile(file, startContents);
        // Whoever ignores a hook's arguments is told the text, and writes it.
        const after = kind.takesUsersText ? [] : kind.writeTurns(join(world.lab.workspace, file), wanted);
        const agent = await proposeByHook(world, id, usualChange(file), { headless, after });
        await world.editor.typeInDiff(" and more by hand");
        await world.editor.acceptDiff();
        await waitForContents(world, file, wanted);
        const told = await waitForEnd(agent);
        must("the model is told the user's text", told.includes("FIRST line and more by hand"));
        must("the model is told that it is the user's", /their text|wrote this instead|modified by a hook/.test(told));
        await waitForNoDiff(world, agent, file);
      }
    });
  },
};

/** The model is told the user's text and does not write it: the user is told, and the text is kept. */
export const hookUnwritten: Scenario = {
  ...withHooks,
  name: "hook-unwritten",
  agents: ["qwen"],
  mayTell: qwenRefused,
  run: async (world, id) => {
    const file = "hook-unwritten.txt";
    await withHook(world, id, async () => {
      await world.writeFile(file, startContents);
      const agent = await proposeByHook(world, id, usualChange(file));
      await world.editor.typeInDiff(" and more by hand");
      await world.editor.acceptDiff();
      await waitForEnd(agent);
      await waitForNoDiff(world, agent, file);
      await waitUntilTold(world, qwenRefused, agent);
      mustEqual(file, await world.readFile(file), startContents);
    });
  },
};

/** A rejected change is not written, and the model reads why, in the same turn. */
export const hookReject: Scenario = {
  ...withHooks,
  name: "hook-reject",
  inServe: true,
  agents: withReadersHooked,
  run: async (world, id) => {
    const { editor } = world;
    const reason = "keep the first line as it is";
    await withHook(world, id, async () => {
      for (const headless of [false, true]) {
        const file = `hook-reject-${String(headless)}.txt`;
        await world.writeFile(file, startContents);
        const agent = await proposeByHook(world, id, usualChange(file), { headless });
        if (editor.rejectWithReason === undefined) await editor.rejectDiff();
        else await editor.rejectWithReason(reason);
        const told = await waitForEnd(agent);
        must("the model is told that the user said no", told.includes("in their editor and rejected it"));
        must("the model is told why", editor.rejectWithReason === undefined || told.includes(reason));
        await waitForNoDiff(world, agent, file);
        mustEqual(file, await world.readFile(file), startContents);
      }
    });
  },
};

/** The user's policy says which files are reviewed. */
export const hookPaths: Scenario = {
  ...withHooks,
  name: "hook-paths",
  inServe: true,
  agents: withReadersHooked,
  isFor: (editor) => editor.setReviews !== undefined,
  run: async (world, id) => {
    const { editor } = world;
    for (const file of ["hook-free.txt", "hook-guarded.txt"]) await world.writeFile(file, startContents);
    await editor.setReviews?.({ "*": { paths: ["*-guarded.txt"] } });
    // The editor finds the change of its settings by itself, and nothing shows it.
    await pause(3_000);
    try {
      await withHook(world, id, async () => {
        const path = join(world.lab.workspace, "hook-free.txt");
        const before = kindOf(id).editTurns(path, "first line", "FIRST line");
        const [mode] = kindOf(id).quietModes;
        const free = await world.startAgent(id, {
          isHooked: true,
          ...(mode === undefined ? {} : { mode }),
          headless: { prompt: "Please change both files", turns: before },
        });
        await waitForContents(world, "hook-free.txt", changed);
        await waitForEnd(free.agent);
        const agent = await proposeByHook(world, id, usualChange("hook-guarded.txt"), { headless: true });
        await editor.acceptDiff();
        await waitForContents(world, "hook-guarded.txt", changed);
        await waitForEnd(agent);
      });
    } finally {
      await editor.setReviews?.({ "*": "always" });
      await pause(3_000);
    }
  },
};

/** In the mode that asks, with the hook installed, the user is asked once. */
export const hookOnce: Scenario = {
  ...withHooks,
  name: "hook-once",
  inServe: true,
  agents: everyAgent,
  run: async (world, id) => {
    await world.writeFile("hook-once.txt", startContents);
    await withHook(world, id, async () => {
      // Outside of an editor's terminals Claude Code connects to one that it is told of.
      const run = world.editor.id === "serve" && id === "claude" ? { run: [] } : {};
      const { agent } = await world.startAgent(id, { isHooked: true, ...run });
      await agent.waitForConnection();
      agent.model.play(...agent.kind.editTurns(join(world.lab.workspace, "hook-once.txt"), "first line", "FIRST line"));
      await agent.ask("Please change hook-once.txt for me");
      await waitForReview(world, agent, "hook-once.txt");
      await world.editor.showDiff(diffTitle(agent, "hook-once.txt"));
      await world.editor.acceptDiff();
      // A second question would keep the agent from its end.
      await waitForContents(world, "hook-once.txt", changed);
      await waitForEnd(agent);
      await waitForNoDiff(world, agent, "hook-once.txt");
    });
  },
};
