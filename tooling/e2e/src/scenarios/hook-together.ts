import type { AgentId } from "@patchbay/core";
import { type Agent, manageHook } from "../agents/agent.ts";
import { poll } from "../support/poll.ts";
import { proposeByHook, withHooks } from "./hooked.ts";
import { diffTitle, startContents, waitForContents, waitForDiff, waitForNoDiff } from "./propose.ts";
import { must, type Scenario } from "./scenario.ts";

const file = "hook-together.txt";

/** Three agents, each with a hook of another kind, propose changes to one file; each review goes on with what was accepted before. */
export const hookTogether: Scenario = {
  ...withHooks,
  name: "hook-together",
  agents: ["opencode"],
  beside: ["claude", "pi"],
  isFor: ({ id }) => id !== "serve",
  run: async (world, id) => {
    const { editor } = world;
    await world.writeFile(file, startContents);
    const agents: (readonly [AgentId, string, Agent])[] = [];
    try {
      for (const [one, line] of [
        [id, "first line"],
        ["claude", "second line"],
        ["pi", "third line"],
      ] as const) {
        const change = { file, from: line, to: `${line} by ${one}` };
        agents.push([one, line, await proposeByHook(world, one, change, { headless: true })]);
      }
      for (const [, , agent] of agents) await waitForDiff(world, agent, file);
      let wanted = startContents;
      const accepted: string[] = [];
      for (const [one, line, agent] of agents.toReversed()) {
        await editor.showDiff(diffTitle(agent, file));
        await poll(
          "what was accepted before",
          async () => {
            const text = await editor.diffText?.();
            return text === undefined || accepted.every((one) => text.includes(one));
          },
          { timeout: 30_000 },
        );
        const asked = agent.model.turnsAsked;
        await editor.acceptDiff();
        accepted.push(`${line} by ${one}`);
        wanted = wanted.replace(line, `${line} by ${one}`);
        await waitForContents(world, file, wanted);
        await waitForNoDiff(world, agent, file);
        await poll("the model's next request", () => agent.model.turnsAsked > asked, { timeout: 30_000 });
        must(
          "nobody is told of a failure",
          !/not written|failed/iu.test(agent.model.conversation.at(-1)?.slice(-500) ?? ""),
        );
      }
    } finally {
      for (const one of [id, "claude", "pi"] as const) await manageHook(world.lab, one, "remove");
    }
  },
};
