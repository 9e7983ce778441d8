import type { Agent, AgentStart } from "../agents/agent.ts";
import { pause } from "../support/poll.ts";
import { endService, served, startServed, withService } from "./codex-service.ts";
import { waitForEnd, waitForReview, withHook, withHooks } from "./hooked.ts";
import { diffTitle, startContents, usualChange, waitForContents, waitForNoDiff } from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

// What becomes of a patch by Codex's own sandbox and policy: docs/protocols/codex.md, "Sandbox and policy".

const file = "policy.txt";
const changed = startContents.replace("first", "FIRST");

/** Codex with its service, in a conversation of its own, changes a line. */
async function change(world: World, start: AgentStart): Promise<Agent> {
  await endService(world);
  await world.writeFile(file, startContents);
  const agent = await startServed(world, start);
  const { from, to } = usualChange(file);
  agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/${file}`, from, to));
  await agent.ask(`Please change ${file} for me`);
  return agent;
}

async function mustShowNothing({ editor }: World): Promise<void> {
  const shown = await editor.openDiffs();
  must("no review is shown", shown.length === 0);
}

/** Without the hook nobody is asked where Codex may write, nor where it may not and never asks. */
export const servicePolicies: Scenario = {
  ...served,
  name: "service-policies",
  run: withService(async (world) => {
    const writing = await change(world, { policy: ["workspace-write", "on-request"] });
    await waitForEnd(writing);
    await waitForContents(world, file, changed);
    await mustShowNothing(world);
    const refused = await change(world, { policy: ["read-only", "never"] });
    const told = await waitForEnd(refused);
    mustEqual(file, await world.readFile(file), startContents);
    must("its model is told that it was refused", /reject|denied|not permitted|read-only/iu.test(told));
    await mustShowNothing(world);
  }),
};

/** With the hook its user is asked in each of them, once; what the sandbox forbids is written where Codex may ask about it. */
export const hookPolicies: Scenario = {
  ...served,
  ...withHooks,
  name: "hook-policies",
  mayTell: /has not written the change/u,
  run: withService(async (world) => {
    await withHook(world, "codex", async () => {
      const rows: readonly (readonly [sandbox: string, approval: string, isWritten: boolean])[] = [
        ["workspace-write", "on-request", true],
        ["read-only", "on-request", true],
        ["read-only", "never", false],
      ];
      for (const [sandbox, approval, isWritten] of rows) {
        const agent = await change(world, { isHooked: true, policy: [sandbox, approval] });
        await waitForReview(world, agent, file);
        mustEqual(file, await world.readFile(file), startContents);
        await world.editor.showDiff(diffTitle(agent, file));
        await world.editor.acceptDiff();
        await waitForEnd(agent);
        await waitForNoDiff(world, agent, file);
        if (isWritten) await waitForContents(world, file, changed);
        await pause(1_000);
        mustEqual(`${file} (${sandbox}, ${approval})`, await world.readFile(file), isWritten ? changed : startContents);
        must("the terminal asks nothing", !/Would you like/u.test(await agent.terminal.screen()));
      }
    });
  }),
};
