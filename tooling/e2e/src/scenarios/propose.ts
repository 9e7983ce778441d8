import type { Agent } from "../agents/agent.ts";
import { pause, poll } from "../support/poll.ts";
import { mustEqual, type StartedAgent, type World } from "./scenario.ts";

/** A change of one line that an agent was told to propose. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Lines every scenario's file starts with. */
export const startContents = "first line\nsecond line\nthird line\n";

/** The change most scenarios propose. */
export function usualChange(file: string): Change {
  return { file, from: "first line", to: "FIRST line" };
}

/**
 * Makes the agent propose a change and returns when both the agent asks and the editor shows the view, which then has
 * been open for a second: a view that closes by itself must not pass for one that was decided.
 */
export async function propose(world: World, started: StartedAgent, change: Change): Promise<void> {
  const { agent } = started;
  const before = await world.readFile(change.file);
  agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/${change.file}`, change.from, change.to));
  await agent.ask(`Please change ${change.file} for me`);
  await agent.waitForApproval();
  await waitForDiff(world, agent, change.file);
  await pause(1_000);
  await waitForDiff(world, agent, change.file);
  // It still asks. A terminal that is just drawn anew shows half of it.
  await agent.waitForApproval();
  mustEqual(change.file, await world.readFile(change.file), before);
}

/** Whose view it is. */
type Named = Pick<Agent, "kind">;

/** Matches the title of an agent's view of a file. */
export function diffTitle(agent: Named, file: string): RegExp {
  const name = file.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const who = agent.kind.displayName;
  return new RegExp(`${name}.*${who}|${who}.*${name}`);
}

/** Waits until exactly one view of this agent shows this file. */
export async function waitForDiff(world: World, agent: Named, file: string): Promise<void> {
  const title = diffTitle(agent, file);
  let seen: readonly string[] = [];
  await poll(
    `${agent.kind.displayName}'s view of ${file}`,
    async () => {
      seen = await world.editor.openDiffs();
      return seen.filter((one) => title.test(one)).length === 1;
    },
    { timeout: 30_000, describe: () => `Open views: ${seen.join(" | ") || "none"}` },
  );
}

/** Waits until this agent has no view of this file any more. */
export async function waitForNoDiff(world: World, agent: Named, file: string): Promise<void> {
  const title = diffTitle(agent, file);
  await poll(
    `the end of ${agent.kind.displayName}'s view of ${file}`,
    async () => !(await world.editor.openDiffs()).some((one) => title.test(one)),
    { timeout: 30_000 },
  );
}

/** Waits until a file has these contents. */
export async function waitForContents(world: World, file: string, contents: string): Promise<void> {
  let seen = "";
  await poll(
    `${JSON.stringify(contents)} in ${file}`,
    async () => {
      seen = await world.readFile(file);
      return seen === contents;
    },
    { timeout: 30_000, describe: () => `It has ${JSON.stringify(seen)}` },
  );
}

/** Waits until the agent no longer asks for a decision. */
export async function waitForNoApproval(agent: Agent): Promise<void> {
  await poll(
    `the end of ${agent.kind.displayName}'s question`,
    async () => !agent.kind.approval.test(await agent.terminal.screen()),
    { timeout: 30_000, describe: () => agent.terminal.screen() },
  );
}

/** What Patchbay says where Qwen Code has refused to write what was accepted. */
export const qwenRefused: RegExp = /Qwen Code has not written the change you accepted/u;

/** Waits until the user was told so; an editor that cannot say what it told is believed. */
export async function waitUntilTold({ editor }: World, message: RegExp, agent: Agent): Promise<void> {
  if (editor.takeMessages === undefined) return;
  const told: string[] = [];
  const isTold = async (): Promise<boolean> => {
    told.push(...(editor.takeMessages?.() ?? []));
    return told.some((text) => message.test(text));
  };
  await poll(`the words ${message}`, isTold, { timeout: 15_000, describe: () => agent.terminal.screen() });
}
