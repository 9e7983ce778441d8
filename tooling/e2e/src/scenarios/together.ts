import { pause } from "../support/poll.ts";
import { mustEqual, type Scenario, type StartedAgent } from "./scenario.ts";
import {
  diffTitle,
  propose,
  startContents,
  waitForContents,
  waitForDiff,
  waitForNoApproval,
  waitForNoDiff,
} from "./propose.ts";

/** Three agents propose changes to one file in one window; no verdict touches another's proposal. */
export const together: Scenario = {
  name: "together",
  agents: "all",
  run: async (world) => {
    const file = "shared.txt";
    await world.writeFile(file, startContents);
    const gemini = await world.startAgent("gemini");
    const qwen = await world.startAgent("qwen");
    const claude = await world.startAgent("claude");
    for (const started of [gemini, qwen, claude]) {
      await started.focus();
      await started.agent.waitForConnection();
    }
    const lines = new Map([
      [gemini, "first line"],
      [qwen, "second line"],
      [claude, "third line"],
    ]);
    for (const [started, line] of lines) {
      await started.focus();
      await propose(world, started, { file, from: line, to: `${line} by ${started.agent.kind.id}` });
    }
    for (const { agent } of lines.keys()) await waitForDiff(world, agent, file);

    const afterQwen = startContents.replace("second line", "second line by qwen");
    await world.editor.showDiff(diffTitle(qwen.agent, file));
    await world.editor.acceptDiff();
    await waitForContents(world, file, afterQwen);
    await waitForNoDiff(world, qwen.agent, file);
    await mustStillAsk(gemini);
    await mustStillAsk(claude);

    await world.editor.showDiff(diffTitle(gemini.agent, file));
    await world.editor.rejectDiff();
    // VS Code gives the focus to the next review as the tab closes.
    await waitForNoDiff(world, gemini.agent, file);
    await gemini.focus();
    await waitForNoApproval(gemini.agent);
    await mustStillAsk(claude);
    await waitForDiff(world, claude.agent, file);

    await world.editor.showDiff(diffTitle(claude.agent, file));
    await world.editor.rejectDiff();
    await waitForNoDiff(world, claude.agent, file);
    await claude.focus();
    await waitForNoApproval(claude.agent);
    mustEqual(file, await world.readFile(file), afterQwen);
  },
};

async function mustStillAsk({ agent, focus }: StartedAgent): Promise<void> {
  await focus();
  // Long enough for a verdict gone astray to arrive.
  await pause(1_000);
  await agent.waitForScreen(agent.kind.approval);
}
