import type { AgentId } from "@patchbay/core";
import { poll } from "../support/poll.ts";
import type { World } from "./scenario.ts";

/** How Patchbay's log says that it listens, and that an agent hears; editors put the time in front, and have their own way of writing fields. */
const listens = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?).*Listening for agents/;
const hears = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?).*Context sent to an agent.*\bdialect\W+(\w+)/;

/**
 * Waits until an agent is told what is open, and says when, Unix milliseconds. A connection alone is not it: Claude Code is
 * told 0.6 s after that (docs/protocols/claude.md).
 */
export async function waitUntilHeard(
  world: World,
  id: AgentId,
  { since, timeout }: { readonly since: number; readonly timeout: number },
): Promise<number> {
  return await poll("an agent that hears again", () => firstHeard(world, id, since), {
    timeout,
    describe: () => world.editor.logs(),
  });
}

/** When Patchbay listened for the first time after this, Unix milliseconds: how long an editor takes until then is its own. */
export async function listenedAfter(world: World, since: number): Promise<number> {
  const lines = (await world.editor.logs()).split("\n");
  const times = lines.flatMap((line) => Date.parse(listens.exec(line)?.[1] ?? "")).filter((time) => time > since);
  if (times.length === 0) throw new Error("Patchbay has not listened again");
  return Math.min(...times);
}

async function firstHeard(world: World, id: AgentId, since: number): Promise<number | undefined> {
  const times = (await world.editor.logs()).split("\n").flatMap((line) => {
    const [, time = "", dialect] = hears.exec(line) ?? [];
    return dialect === id ? [Date.parse(time)] : [];
  });
  return times.filter((time) => time > since).toSorted((a, b) => a - b)[0];
}
