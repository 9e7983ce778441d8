import type { Turn } from "../models/model-server.ts";
import { poll } from "../support/poll.ts";
import { diffTitle, qwenRefused, startContents, waitForContents, waitUntilTold } from "./propose.ts";
import { everyAgent } from "../agents/index.ts";
import type { Scenario } from "./scenario.ts";

/**
 * Two changes of one file in one answer, the second one edited by the user. Qwen Code writes both at the end, and refuses an
 * edited one after the other (docs/protocols/qwen.md): the user is told then, and the text is kept.
 */
export const twoEdits: Scenario = {
  name: "two-edits",
  agents: everyAgent,
  mayTell: qwenRefused,
  run: async (world, id) => {
    const { editor } = world;
    const path = await world.writeFile("two.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    const edits = [
      agent.kind.editTurns(path, "third line", "THIRD line"),
      agent.kind.editTurns(path, "second line", "SECOND line"),
    ];
    agent.model.play(...inOneAnswer(edits));
    await agent.ask("Please change two.txt for me");
    await agent.waitForApproval();
    const title = diffTitle(agent, "two.txt");
    const acceptNext = async (line: string, typed: string): Promise<void> => {
      const isNext = async (): Promise<boolean> => {
        if (!(await editor.openDiffs()).some((one) => title.test(one))) return false;
        await editor.showDiff(title);
        return (await editor.diffText?.())?.includes(line) ?? true;
      };
      await poll(`the proposal of "${line}"`, isNext, { timeout: 30_000, describe: () => agent.terminal.screen() });
      if (typed !== "") await editor.typeInDiff(typed);
      await editor.acceptDiff();
    };
    await acceptNext("THIRD line", "");
    await acceptNext("SECOND line", " then typed");
    if (id !== "qwen") {
      await waitForContents(world, "two.txt", "first line then typed\nSECOND line\nTHIRD line\n");
      return;
    }
    await waitForContents(world, "two.txt", startContents.replace("third line", "THIRD line"));
    await waitUntilTold(world, qwenRefused, agent);
  },
};

/** The last turn of each, which is the edit, made one. */
export function inOneAnswer(edits: readonly (readonly Turn[])[]): readonly Turn[] {
  const calls = edits.flatMap((turns) => turns.slice(-1).flatMap((turn) => (turn.kind === "tool" ? [turn] : [])));
  return [...(edits[0]?.slice(0, -1) ?? []), { kind: "tools", calls }];
}
