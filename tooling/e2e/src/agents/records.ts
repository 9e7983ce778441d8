import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type AgentId, agentOf, agents, type RecordPlace } from "@patchbay/core";
import type { Lab } from "../support/lab.ts";

// Core says where the records are. That it says so rightly is shown here by the real agents, which look for themselves.

/** The places in which an agent that is started in the lab looks. */
export function placesOf({ home, temporary, env }: Lab, id: AgentId): readonly RecordPlace[] {
  const surroundings = { homeDirectory: home, temporaryDirectory: temporary, environment: (name: string) => env[name] };
  return agentOf(id)
    .places(surroundings)
    .filter(({ isRead }) => isRead);
}

/** Paths of the records that the agent finds in the lab. */
export async function recordsOf(lab: Lab, id: AgentId): Promise<readonly string[]> {
  const found = placesOf(lab, id).map(async ({ root, directories, pattern }) => {
    const directory = join(root, ...directories);
    const names = await readdir(directory).catch((): readonly string[] => []);
    return names.filter((name) => pattern.test(name)).map((name) => join(directory, name));
  });
  return (await Promise.all(found)).flat();
}

/** Whether every agent finds a record in the lab. */
export async function areAllAnnounced(lab: Lab): Promise<boolean> {
  const found = await Promise.all(agents.map(({ id }) => recordsOf(lab, id)));
  return found.every((records) => records.length > 0);
}

/** A tab, or a title, that names an agent. */
export const agentNamePattern: RegExp = new RegExp(
  `\\b(${agents.map(({ agentName }) => agentName).join("|")})\\b`,
  "u",
);
