import { agentOf, type AgentId } from "../agents/catalogue.ts";
import type { Choice } from "../agents/choice.ts";
import { variableOf } from "../agents/surroundings.ts";
import type { Platform } from "../platform/platform.ts";
import type { EditorRecord, FoundPlace } from "./records.ts";

export interface PlacesFacts {
  readonly platform: Platform;
  /** The places of all agents, read. */
  readonly places: readonly FoundPlace[];
  /** Absolute. */
  readonly folder: string;
}

/** The port that this terminal names to an agent; undefined: none. Claude Code takes hexadecimal ones, too. */
export function namedPort(platform: Platform, agent: AgentId): number | undefined {
  const text = variableOf(platform.process, agentOf(agent).portVariable);
  return text === undefined ? undefined : Number(text);
}

/** What the agent makes of the records that it finds. */
export async function chooseEditor(agent: AgentId, facts: PlacesFacts): Promise<Choice<EditorRecord>> {
  const { platform, folder } = facts;
  const checks = await agentOf(agent).loadChecks();
  return await checks.choose(recordsOf(agent, facts), { platform, folder, namedPort: namedPort(platform, agent) });
}

/** Those that the agent reads: its own user's regular files. */
function recordsOf(agent: AgentId, { platform, places }: PlacesFacts): readonly EditorRecord[] {
  const { uid } = platform.process;
  const byName = new Map<string, EditorRecord>();
  for (const { place, files } of places) {
    if (place.agent !== agent) continue;
    for (const { name, record, facts } of files) {
      // The same record may lie in several places.
      if (record !== undefined && (uid === -1 || facts.uid === uid)) byName.set(name, record);
    }
  }
  return Array.from(byName.values());
}
